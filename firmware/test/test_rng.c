/* The mapping from bytes to values, proved by going through every byte; the pool, by what it must never do. */
#include "../core/rng.h"

#include <string.h>

#include "check.h"

static void test_every_byte_of_every_die(void)
{
    for (unsigned sides = 2; sides <= 128; sides++) {
        unsigned counts[129] = {0};
        for (unsigned byte = 0; byte < 256; byte++) {
            uint8_t value = rng_value_of((uint8_t)byte, (uint8_t)sides);
            CHECK(value <= sides);
            counts[value]++;
        }
        for (unsigned value = 1; value <= sides; value++)
            CHECK_EQ(counts[value], 256 / sides);
        CHECK_EQ(counts[0], 256 % sides);
    }
}

static void test_the_first_byte_that_counts_is_taken(void)
{
    uint8_t bytes[RNG_BYTES];
    memset(bytes, 255, sizeof bytes);
    CHECK_EQ(rng_value(bytes, 20), 0);
    CHECK_EQ(rng_value(bytes, 4), 4);
    bytes[RNG_BYTES - 1] = 239;
    CHECK_EQ(rng_value(bytes, 20), 20);
    bytes[3] = 0;
    CHECK_EQ(rng_value(bytes, 20), 1);
}

static void add(struct rng *rng, uint16_t samples, uint32_t seed)
{
    while (samples--) {
        seed = seed * 1664525u + 1013904223u;
        rng_add(rng, NOISE_ADC, (uint8_t)(seed >> 24));
    }
}

static void test_a_draw_needs_its_samples_and_takes_them(void)
{
    struct rng rng;
    uint8_t out[RNG_BYTES] = {0};
    rng_begin(&rng);
    add(&rng, RNG_SAMPLES - 1, 1);
    for (int i = 0; i < 2000; i++)
        rng_add(&rng, NOISE_WDT, (uint8_t)i); /* mixed in, not counted */
    CHECK(!rng_ready(&rng));
    CHECK(!rng_draw(&rng, out));
    CHECK_EQ(out[0], 0);
    add(&rng, 1, 2);
    CHECK(rng_ready(&rng));
    CHECK(rng_draw(&rng, out));
    CHECK(!rng_ready(&rng));
    CHECK(!rng_draw(&rng, out));
}

static void draw_two(uint32_t first, uint32_t second, uint8_t a[RNG_BYTES], uint8_t b[RNG_BYTES])
{
    struct rng rng;
    rng_begin(&rng);
    add(&rng, RNG_SAMPLES, first);
    CHECK(rng_draw(&rng, a));
    add(&rng, RNG_SAMPLES, second);
    CHECK(rng_draw(&rng, b));
}

static void test_a_pool_remembers_the_one_before_it(void)
{
    uint8_t a[RNG_BYTES], b[RNG_BYTES], c[RNG_BYTES], d[RNG_BYTES];
    draw_two(1, 3, a, b);
    draw_two(2, 3, c, d);
    CHECK(memcmp(a, c, RNG_BYTES) != 0);
    CHECK(memcmp(b, d, RNG_BYTES) != 0); /* the same samples, after other ones */
    CHECK(memcmp(a, b, RNG_BYTES) != 0);
}

static void test_every_tested_bit_reaches_the_output(void)
{
    uint8_t a[RNG_BYTES], b[RNG_BYTES];
    for (int changed = 0; changed < RNG_SAMPLES; changed++) {
        struct rng rng, other;
        rng_begin(&rng);
        rng_begin(&other);
        for (int i = 0; i < RNG_SAMPLES; i++) {
            rng_add(&rng, NOISE_ADC, i & 1);
            rng_add(&other, NOISE_ADC, (uint8_t)((i & 1) ^ (i == changed)));
        }
        CHECK(rng_draw(&rng, a) && rng_draw(&other, b));
        CHECK(memcmp(a, b, RNG_BYTES) != 0);
    }
}

/* Not a proof of anything but that the parts are joined: a pool that gave zeros, or one value, would show. */
static void test_values_of_many_draws_are_spread(void)
{
    unsigned counts[21] = {0};
    struct rng rng;
    uint8_t out[RNG_BYTES];
    rng_begin(&rng);
    for (uint32_t i = 0; i < 4000; i++) {
        add(&rng, RNG_SAMPLES, i);
        CHECK(rng_draw(&rng, out));
        counts[rng_value(out, 20)]++;
    }
    CHECK_EQ(counts[0], 0);
    for (int value = 1; value <= 20; value++)
        CHECK(counts[value] > 120 && counts[value] < 280); /* 200, five standard deviations of 13.8 either way */
}

int main(void)
{
    test_every_byte_of_every_die();
    test_the_first_byte_that_counts_is_taken();
    test_a_draw_needs_its_samples_and_takes_them();
    test_a_pool_remembers_the_one_before_it();
    test_every_tested_bit_reaches_the_output();
    test_values_of_many_draws_are_spread();
    return check_end("rng");
}
