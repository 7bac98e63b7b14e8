#include "entropy.h"

ROM struct health_limits HEALTH_LIMITS[NOISE_SOURCES] = {
    {0x01, ADC_RCT, ADC_APT, ADC_WINDOW, ADC_STARTUP},
    {0xFF, WDT_RCT, WDT_APT, WDT_WINDOW, WDT_STARTUP},
};

static void repetition(struct health *health, uint8_t sample)
{
    if (sample != health->last) {
        health->last = sample;
        health->repeats = 0;
    }
    if (++health->repeats >= HEALTH_LIMITS[health->source].rct)
        health->result = HEALTH_RCT;
}

static void proportion(struct health *health, uint8_t sample)
{
    if (health->seen == 0) {
        health->reference = sample;
        health->matches = 0;
    }
    if (sample == health->reference && ++health->matches >= HEALTH_LIMITS[health->source].apt)
        health->result = HEALTH_APT;
    if (++health->seen == HEALTH_LIMITS[health->source].window)
        health->seen = 0;
}

void health_begin(struct health *health, enum noise_source source)
{
    struct health fresh = {0};
    *health = fresh;
    health->source = (uint8_t)source;
    health->startup = HEALTH_LIMITS[source].startup;
}

enum health_result health_take(struct health *health, uint8_t sample)
{
    sample &= HEALTH_LIMITS[health->source].mask;
    if (health->result == HEALTH_OK)
        repetition(health, sample);
    if (health->result == HEALTH_OK)
        proportion(health, sample);
    if (health->startup > 0)
        health->startup--;
    return (enum health_result)health->result;
}

bool health_ready(const struct health *health)
{
    return health->result == HEALTH_OK && health->startup == 0;
}
