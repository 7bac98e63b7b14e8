#include "fair.h"

/* Bytes that tell apart what is hashed; rng.c has others. */
enum { USE_COMMITMENT = 'c', USE_ROLL = 'r' };
enum { AT_REQ = FAIR_SEED_AT + ROLLS_SEED_BYTES, AT_NONCE = AT_REQ + 4, AT_SIDES = AT_NONCE + 4, AT_BLOCK, ASK_BYTES };

static void put32(uint8_t *to, uint32_t value)
{
    for (uint8_t i = 4; i > 0; i--, value >>= 8)
        to[i - 1] = (uint8_t)value;
}

void fair_commitment(struct rng *rng, uint8_t bytes[RNG_BYTES])
{
    bytes[0] = USE_COMMITMENT;
    rng_hash(rng, bytes, AT_REQ);
}

void fair_block(struct rng *rng, const struct ask *ask, uint8_t block, uint8_t bytes[RNG_BYTES])
{
    bytes[0] = USE_ROLL;
    put32(bytes + AT_REQ, ask->req);
    put32(bytes + AT_NONCE, ask->nonce);
    bytes[AT_SIDES] = ask->sides;
    bytes[AT_BLOCK] = block;
    rng_hash(rng, bytes, ASK_BYTES);
}

uint8_t fair_value(struct rng *rng, const struct hal *hal, const struct ask *ask)
{
    uint8_t bytes[RNG_BYTES], value = 0;
    for (uint8_t block = 0; value == 0; block++) {
        if (rolls_seed(hal, bytes + FAIR_SEED_AT) != SEED_STANDS)
            return 0;
        fair_block(rng, ask, block, bytes);
        value = rng_value(bytes, ask->sides);
    }
    return value;
}
