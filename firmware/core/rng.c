#include "rng.h"

#define NO_BITS 1 /* the leading 1 alone */

/* Bytes that tell apart what a digest is used for. */
enum { USE_OUTPUT = 'o', USE_NEXT_POOL = 'p' };

static void derive(struct sha256 *sha, uint8_t use, const uint8_t digest[SHA256_BYTES], uint8_t out[SHA256_BYTES])
{
    sha256_begin(sha);
    sha256_byte(sha, use);
    sha256_bytes(sha, digest, SHA256_BYTES);
    sha256_end(sha, out);
}

void rng_begin(struct rng *rng)
{
    sha256_begin(&rng->pool);
    rng->credited = 0;
    rng->bits = NO_BITS;
}

static void add_bit(struct rng *rng, uint8_t bit)
{
    uint8_t full = rng->bits & 0x80;
    rng->bits = (uint8_t)(rng->bits << 1 | bit);
    if (full) {
        sha256_byte(&rng->pool, rng->bits);
        rng->bits = NO_BITS;
    }
    if (rng->credited < RNG_SAMPLES)
        rng->credited++;
}

void rng_add(struct rng *rng, enum noise_source source, uint8_t sample)
{
    if (source == NOISE_ADC)
        add_bit(rng, sample & 1);
    else
        sha256_byte(&rng->pool, sample);
}

bool rng_ready(const struct rng *rng)
{
    return rng->credited == RNG_SAMPLES;
}

/* The emptied pool does the hashing itself: a second one would cost 104 bytes of stack. */
static void empty(struct rng *rng, uint8_t digest[SHA256_BYTES])
{
    sha256_byte(&rng->pool, rng->bits);
    sha256_end(&rng->pool, digest);
}

static void begin_again(struct rng *rng, uint8_t digest[SHA256_BYTES])
{
    derive(&rng->pool, USE_NEXT_POOL, digest, digest);
    rng_begin(rng);
    sha256_bytes(&rng->pool, digest, SHA256_BYTES);
}

void rng_abandon(struct rng *rng, uint8_t out[RNG_BYTES])
{
    uint8_t digest[SHA256_BYTES];
    empty(rng, digest);
    derive(&rng->pool, USE_OUTPUT, digest, out);
    begin_again(rng, digest);
}

void rng_hash(struct rng *rng, uint8_t bytes[RNG_BYTES], uint8_t len)
{
    uint8_t digest[SHA256_BYTES];
    empty(rng, digest);
    sha256_begin(&rng->pool);
    sha256_bytes(&rng->pool, bytes, len);
    sha256_end(&rng->pool, bytes);
    begin_again(rng, digest);
}

bool rng_draw(struct rng *rng, uint8_t out[RNG_BYTES])
{
    bool ready = rng_ready(rng);
    if (ready)
        rng_abandon(rng, out);
    return ready;
}

uint8_t rng_value_of(uint8_t byte, uint8_t sides)
{
    uint16_t limit = (uint16_t)(256u - 256u % sides);
    if (byte >= limit)
        return 0;
    return (uint8_t)(1u + (uint8_t)(byte % sides));
}

uint8_t rng_value(const uint8_t bytes[RNG_BYTES], uint8_t sides)
{
    uint8_t value = 0;
    for (uint8_t i = 0; i < RNG_BYTES && value == 0; i++)
        value = rng_value_of(bytes[i], sides);
    return value;
}
