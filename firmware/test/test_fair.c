/* Fair rolls against the golden vectors that bind them to the host's, and the seed in memory they come of. */
#include "../core/fair.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fake_hal.h"

static void unhex(const char *text, uint8_t *bytes, unsigned len)
{
    for (unsigned i = 0; i < len; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtol(digits, NULL, 16);
    }
}

static void finish(struct rolls *rolls, struct fake *fake)
{
    while (rolls_step(rolls, &fake->hal) == ROLLS_BUSY && !fake->off)
        ;
}

static void keep(struct fake *fake, struct rolls *rolls, const uint8_t seed[ROLLS_SEED_BYTES])
{
    rolls_keep_seed(rolls, seed);
    finish(rolls, fake);
}

static void check_commitment(const char *seed, const char *hash)
{
    struct rng rng;
    uint8_t bytes[RNG_BYTES], expected[RNG_BYTES];
    unhex(seed, bytes + FAIR_SEED_AT, ROLLS_SEED_BYTES);
    unhex(hash, expected, RNG_BYTES);
    rng_begin(&rng);
    fair_commitment(&rng, bytes);
    CHECK(memcmp(bytes, expected, RNG_BYTES) == 0);
}

static void check_roll(const char *text, const struct ask *ask, unsigned value)
{
    struct fake fake;
    struct rolls rolls;
    struct rng rng;
    uint8_t seed[ROLLS_SEED_BYTES];
    unhex(text, seed, sizeof seed);
    fake_begin(&fake, 1);
    rolls_open(&rolls, &fake.hal);
    rng_begin(&rng);
    keep(&fake, &rolls, seed);
    CHECK_EQ(fair_value(&rng, &fake.hal, ask), value);
}

static void test_golden_vectors(const char *folder)
{
    char path[1024], row[256], kind[8], seed[40], third[80];
    unsigned nonce, sides, value, rows = 0;
    snprintf(path, sizeof path, "%s/fair.txt", folder);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && fgets(row, sizeof row, file)) {
        int count = sscanf(row, "%7s %39s %79s %x %u %u", kind, seed, third, &nonce, &sides, &value);
        struct ask ask = {(uint32_t)strtoul(third, NULL, 10), nonce, (uint8_t)sides};
        rows++;
        if (count == 3)
            check_commitment(seed, third);
        else
            check_roll(seed, &ask, value);
    }
    CHECK(rows > 100);
    if (file)
        fclose(file);
}

static void test_a_pool_that_lent_its_memory_must_be_filled_again(void)
{
    struct rng rng, other;
    uint8_t bytes[RNG_BYTES] = {0}, a[RNG_BYTES], b[RNG_BYTES];
    rng_begin(&rng);
    for (int i = 0; i < RNG_SAMPLES; i++)
        rng_add(&rng, NOISE_ADC, i % 3 == 0);
    rng_begin(&other);
    CHECK(rng_ready(&rng));
    rng_hash(&rng, bytes, 17);
    rng_hash(&other, bytes, 17);
    CHECK(!rng_ready(&rng));
    rng_abandon(&rng, a);
    rng_abandon(&other, b);
    CHECK(memcmp(a, b, RNG_BYTES) != 0); /* what it held went on */
}

static void test_a_seed_stands_then_is_spent_and_then_another_stands(void)
{
    static const uint8_t FIRST[ROLLS_SEED_BYTES] = {1, 2, 3}, SECOND[ROLLS_SEED_BYTES] = {9};
    struct fake fake;
    struct rolls rolls;
    uint8_t seed[ROLLS_SEED_BYTES];
    fake_begin(&fake, 1);
    rolls_open(&rolls, &fake.hal);
    CHECK_EQ(rolls_seed(&fake.hal, seed), SEED_NONE);
    keep(&fake, &rolls, FIRST);
    CHECK_EQ(rolls_seed(&fake.hal, seed), SEED_STANDS);
    CHECK(memcmp(seed, FIRST, sizeof seed) == 0);
    rolls_spend_seed(&rolls);
    finish(&rolls, &fake);
    CHECK_EQ(rolls_seed(&fake.hal, seed), SEED_SPENT);
    CHECK(memcmp(seed, FIRST, sizeof seed) == 0);
    keep(&fake, &rolls, SECOND);
    fake_power_up(&fake);
    rolls_open(&rolls, &fake.hal);
    CHECK_EQ(rolls_seed(&fake.hal, seed), SEED_STANDS);
    CHECK(memcmp(seed, SECOND, sizeof seed) == 0);
    CHECK_EQ(rolls.newest + rolls.unacked + rolls.torn, 0); /* it is no roll */
}

/* A power cut at any byte of writing a seed over a spent one: the new one stands, or none; never the old, never a mixture. */
static void test_a_power_cut_leaves_a_whole_seed_or_none(void)
{
    static const uint8_t OLD[ROLLS_SEED_BYTES] = {1, 2, 3}, NEW[ROLLS_SEED_BYTES] = {0xFF, 9, 3, 7};
    for (int writes = 0; writes < 20; writes++) {
        for (int cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
            struct fake fake;
            struct rolls rolls;
            uint8_t seed[ROLLS_SEED_BYTES];
            fake_begin(&fake, 1);
            rolls_open(&rolls, &fake.hal);
            keep(&fake, &rolls, OLD);
            rolls_spend_seed(&rolls);
            finish(&rolls, &fake);
            fake.writes_left = writes;
            fake.cut = (enum cut)cut;
            keep(&fake, &rolls, NEW);
            fake_power_up(&fake);
            enum seed_state state = rolls_seed(&fake.hal, seed);
            if (state == SEED_STANDS)
                CHECK(memcmp(seed, NEW, sizeof seed) == 0);
            if (state == SEED_SPENT)
                CHECK(memcmp(seed, OLD, sizeof seed) == 0 || memcmp(seed, NEW, sizeof seed) == 0);
        }
    }
}

int main(int argc, char **argv)
{
    test_golden_vectors(argc > 1 ? argv[1] : "../fixtures/wire");
    test_a_pool_that_lent_its_memory_must_be_filled_again();
    test_a_seed_stands_then_is_spent_and_then_another_stands();
    test_a_power_cut_leaves_a_whole_seed_or_none();
    return check_end("fair");
}
