#include "sha256.h"

#include "rom.h"

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static ROM uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* FIPS 180-4, 5.3.3: the same of the square roots of the first 8 primes. */
static ROM uint32_t H0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* Rotate right by whole bytes and then by -3 to 3 bits: an 8-bit processor moves bytes for nothing and shifts 32 bits
 * one at a time, so that x >> 13 | x << 19 would cost it 32 shifts instead of 3. */
static uint32_t ror(uint32_t x, uint8_t bytes, int8_t bits)
{
    for (; bytes > 0; bytes--)
        x = x >> 8 | x << 24;
    for (; bits > 0; bits--)
        x = x >> 1 | (x & 1 ? 0x80000000u : 0);
    for (; bits < 0; bits++)
        x = x << 1 | (x & 0x80000000u ? 1 : 0);
    return x;
}

/* FIPS 180-4, 4.1.2, the two functions of the schedule and the two of the round. */
static uint32_t small0(uint32_t x) { return ror(x, 1, -1) ^ ror(x, 2, 2) ^ x >> 3; }    /* 7, 18, 3 */
static uint32_t small1(uint32_t x) { return ror(x, 2, 1) ^ ror(x, 2, 3) ^ (x >> 8) >> 2; } /* 17, 19, 10 */
static uint32_t big0(uint32_t x) { return ror(x, 0, 2) ^ ror(x, 2, -3) ^ ror(x, 3, -2); }  /* 2, 13, 22 */
static uint32_t big1(uint32_t x) { return ror(x, 1, -2) ^ ror(x, 1, 3) ^ ror(x, 3, 1); }   /* 6, 11, 25 */

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The schedule's word for round t, kept in a ring of sixteen. */
static uint32_t word(uint32_t *w, uint8_t t)
{
    if (t >= 16)
        w[t & 15] += small1(w[(t - 2) & 15]) + w[(t - 7) & 15] + small0(w[(t - 15) & 15]);
    return w[t & 15];
}

static void round_of(uint32_t v[8], uint32_t added)
{
    uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    uint32_t t1 = v[7] + big1(v[4]) + choose + added;
    uint32_t t2 = big0(v[0]) + majority;
    for (uint8_t i = 7; i > 0; i--)
        v[i] = v[i - 1];
    v[4] += t1;
    v[0] = t1 + t2;
}

static void compress(struct sha256 *sha)
{
    uint32_t *w = sha->block.words, v[8];
    for (uint8_t i = 0; i < 16; i++)
        w[i] = big_endian(sha->block.bytes + 4 * i);
    for (uint8_t i = 0; i < 8; i++)
        v[i] = sha->state[i];
    for (uint8_t t = 0; t < 64; t++)
        round_of(v, K[t] + word(w, t));
    for (uint8_t i = 0; i < 8; i++)
        sha->state[i] += v[i];
}

void sha256_begin(struct sha256 *sha)
{
    for (uint8_t i = 0; i < 8; i++)
        sha->state[i] = H0[i];
    sha->bytes = 0;
}

void sha256_byte(struct sha256 *sha, uint8_t byte)
{
    sha->block.bytes[sha->bytes & 63] = byte;
    sha->bytes++;
    if ((sha->bytes & 63) == 0)
        compress(sha);
}

void sha256_bytes(struct sha256 *sha, const void *data, uint8_t len)
{
    const uint8_t *bytes = data;
    while (len--)
        sha256_byte(sha, *bytes++);
}

static void pad(struct sha256 *sha)
{
    uint32_t bits = sha->bytes << 3;
    sha256_byte(sha, 0x80);
    while ((sha->bytes & 63) != 56)
        sha256_byte(sha, 0);
    for (uint8_t i = 0; i < 4; i++)
        sha256_byte(sha, 0);
    for (uint8_t shift = 32; shift > 0; shift = (uint8_t)(shift - 8))
        sha256_byte(sha, (uint8_t)(bits >> (shift - 8)));
}

void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES])
{
    pad(sha);
    for (uint8_t i = 0; i < SHA256_BYTES; i++)
        digest[i] = (uint8_t)(sha->state[i >> 2] >> (24 - 8 * (i & 3)));
}
