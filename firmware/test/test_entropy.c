/* The health tests at, one below and far from their cut-offs. */
#include "../core/entropy.h"

#include "check.h"

static enum health_result feed(struct health *health, uint8_t sample, uint16_t times)
{
    enum health_result result = HEALTH_OK;
    while (times--)
        result = health_take(health, sample);
    return result;
}

static struct health begun(enum noise_source source)
{
    struct health health;
    health_begin(&health, source);
    return health;
}

static void test_repetition_cut_off(void)
{
    struct health adc = begun(NOISE_ADC), wdt = begun(NOISE_WDT);
    CHECK_EQ(feed(&adc, 1, ADC_RCT - 1), HEALTH_OK);
    CHECK_EQ(feed(&adc, 1, 1), HEALTH_RCT);
    CHECK_EQ(feed(&wdt, 7, WDT_RCT - 1), HEALTH_OK);
    CHECK_EQ(feed(&wdt, 7, 1), HEALTH_RCT);
}

static void test_another_value_starts_the_count_again(void)
{
    struct health health = begun(NOISE_WDT);
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(feed(&health, 7, WDT_RCT - 1), HEALTH_OK);
        CHECK_EQ(feed(&health, 8, 1), HEALTH_OK);
    }
}

static void test_only_the_tested_bits_count(void)
{
    struct health health = begun(NOISE_ADC);
    enum health_result result = HEALTH_OK;
    for (int i = 0; i < ADC_RCT; i++)
        result = health_take(&health, (uint8_t)(i << 1));
    CHECK_EQ(result, HEALTH_RCT);
}

/* `matches` of the reference value in one window, never long in a row; the rest another value. */
static enum health_result proportion(enum noise_source source, uint16_t window, uint16_t matches)
{
    struct health health = begun(source);
    enum health_result result = HEALTH_OK;
    uint16_t others = (uint16_t)(window - matches), due = 0;
    for (uint16_t i = 0; i < window && result == HEALTH_OK; i++) {
        due = (uint16_t)(due + others);
        bool other = due >= window;
        if (other)
            due = (uint16_t)(due - window);
        result = health_take(&health, (uint8_t)(other ? 0 : 1));
    }
    return result;
}

static void test_proportion_cut_off(void)
{
    CHECK_EQ(proportion(NOISE_ADC, ADC_WINDOW, ADC_APT - 1), HEALTH_OK);
    CHECK_EQ(proportion(NOISE_ADC, ADC_WINDOW, ADC_APT), HEALTH_APT);
    CHECK_EQ(proportion(NOISE_WDT, WDT_WINDOW, WDT_APT - 1), HEALTH_OK);
    CHECK_EQ(proportion(NOISE_WDT, WDT_WINDOW, WDT_APT), HEALTH_APT);
}

static void test_a_window_begins_again(void)
{
    struct health health = begun(NOISE_ADC);
    enum health_result result = HEALTH_OK;
    for (uint16_t i = 0; i < 4 * ADC_WINDOW; i++) /* half and half for ever: fine */
        result = health_take(&health, i & 1);
    CHECK_EQ(result, HEALTH_OK);
}

static void test_a_failure_stays(void)
{
    struct health health = begun(NOISE_ADC);
    feed(&health, 0, ADC_RCT);
    for (uint16_t i = 0; i < 2000; i++)
        health_take(&health, i & 1);
    CHECK_EQ(health_take(&health, 1), HEALTH_RCT);
    CHECK(!health_ready(&health));
}

static void test_start_up_must_pass_first(void)
{
    struct health health = begun(NOISE_ADC);
    for (uint16_t i = 1; i <= ADC_STARTUP; i++) {
        CHECK(!health_ready(&health));
        health_take(&health, i & 1);
    }
    CHECK(health_ready(&health));
}

int main(void)
{
    test_repetition_cut_off();
    test_another_value_starts_the_count_again();
    test_only_the_tested_bits_count();
    test_proportion_cut_off();
    test_a_window_begins_again();
    test_a_failure_stays();
    test_start_up_must_pass_first();
    return check_end("entropy");
}
