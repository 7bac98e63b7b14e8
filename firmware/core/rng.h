/* Random bytes from tested noise, and die values from random bytes.
 *
 * Raw samples are hashed into a pool (SHA-256, a vetted conditioner of SP 800-90B, 3.1.5.1.1). A draw is allowed
 * once the pool holds 320 bits of assessed min-entropy: the 256 that come out and 64 more, so that the output may
 * be taken as full entropy (SP 800-90C, 3.1: vetted conditioning with h_in >= n_out + 64). The pool's old digest
 * is carried into the next pool, one-way: a draw tells nothing of the ones before it.
 */
#ifndef DICETOWER_RNG_H
#define DICETOWER_RNG_H

#include <stdbool.h>
#include <stdint.h>

#include "entropy.h"
#include "sha256.h"

#define RNG_BYTES SHA256_BYTES
/* 320 bits at 0.3 bit an ADC sample, rounded up: ceil(320 / 0.3). */
#define RNG_SAMPLES 1067

struct rng {
    struct sha256 pool;
    uint16_t credited; /* ADC samples in the pool, up to RNG_SAMPLES */
    uint8_t bits;      /* ADC lowest bits waiting to fill a byte, under a leading 1 */
};

void rng_begin(struct rng *rng);

/* Put one healthy raw sample into the pool. ADC samples count; watchdog samples are mixed in only. */
void rng_add(struct rng *rng, enum noise_source source, uint8_t sample);

/* Whether the pool holds enough for a draw. */
bool rng_ready(const struct rng *rng);

/* Empty the pool into 32 random bytes. False, and `out` untouched, when it does not hold enough. */
bool rng_draw(struct rng *rng, uint8_t out[RNG_BYTES]);

/* Empty the pool whatever it holds. For telling one run of the die from another, never for a die value. */
void rng_abandon(struct rng *rng, uint8_t out[RNG_BYTES]);

/* SHA-256 of the first `len` of `bytes`, at most 32, in place. The pool lends its memory: what it holds is carried into
 * the next pool and counted no longer. */
void rng_hash(struct rng *rng, uint8_t bytes[RNG_BYTES], uint8_t len);

/* A die value, 1 to `sides`, from one random byte; 0 when the byte must be thrown away.
 *
 * `sides` is 2 to 128. Bytes from the largest multiple of `sides` not over 256 upwards are thrown away, so every
 * value stands for the same number of bytes: the tests go through all 256. */
uint8_t rng_value_of(uint8_t byte, uint8_t sides);

/* The first value that any of the 32 bytes gives; 0 when all must be thrown away (for a D20 one draw in 2^128). */
uint8_t rng_value(const uint8_t bytes[RNG_BYTES], uint8_t sides);

#endif
