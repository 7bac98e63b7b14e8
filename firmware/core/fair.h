/* Rolls that are fair to both sides: each comes of a seed that the die has committed to and of a number that the host
 * chose afterwards. docs/wire.md, "Fair dice", says what that is good for.
 *
 *     commitment = SHA-256('c' seed)
 *     block b    = SHA-256('r' seed req nonce sides b), req and nonce big endian in four bytes
 *     value      = the first that any byte of blocks 0, 1, ... gives (rng_value)
 *
 * The roll's number is not in it: a die that knew the seed could else spend numbers on rolls that nobody asked for until
 * it liked what comes. So there is one value for each request.
 */
#ifndef DICETOWER_FAIR_H
#define DICETOWER_FAIR_H

#include "rng.h"
#include "rolls.h"

#define FAIR_SEED_AT 1 /* where the seed stands in `bytes` below; what is before it is written here */

/* What a value comes of, besides the seed. */
struct ask {
    uint32_t req, nonce;
    uint8_t sides;
};

/* The commitment to the seed in `bytes`, in its place. `rng` lends its memory (rng_hash). */
void fair_commitment(struct rng *rng, uint8_t bytes[RNG_BYTES]);

/* A block of the seed in `bytes`, in its place. */
void fair_block(struct rng *rng, const struct ask *ask, uint8_t block, uint8_t bytes[RNG_BYTES]);

/* The value for `ask` of the seed in memory; 0 where none stands there. Not while memory is written. */
uint8_t fair_value(struct rng *rng, const struct hal *hal, const struct ask *ask);

#endif
