/* SHA-256 (FIPS 180-4), small rather than fast: 100 bytes of state, 32 bytes of stack while it works. */
#ifndef DICETOWER_SHA256_H
#define DICETOWER_SHA256_H

#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
    uint32_t state[8];
    union { /* the block as it fills, and its words while it is worked in */
        uint8_t bytes[64];
        uint32_t words[16];
    } block;
    uint32_t bytes; /* hashed so far; up to 2^29 - 1 */
};

void sha256_begin(struct sha256 *sha);
void sha256_byte(struct sha256 *sha, uint8_t byte);
void sha256_bytes(struct sha256 *sha, const void *data, uint8_t len);

/* Write the digest. `sha` must be begun again before it takes more. */
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES]);

#endif
