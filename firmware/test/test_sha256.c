/* SHA-256 against the vectors that NIST publishes with FIPS 180 (csrc.nist.gov, "SHA256.pdf" and SHAVS). */
#include "../core/sha256.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static void check_hex(const uint8_t digest[32], const char *expected)
{
    char hex[65];
    for (int i = 0; i < 32; i++)
        sprintf(hex + 2 * i, "%02x", digest[i]);
    CHECK(strcmp(hex, expected) == 0);
}

static void check_repeated(const char *text, uint32_t times, const char *expected)
{
    struct sha256 sha;
    uint8_t digest[32];
    sha256_begin(&sha);
    for (uint32_t i = 0; i < times; i++)
        sha256_bytes(&sha, text, (uint8_t)strlen(text));
    sha256_end(&sha, digest);
    check_hex(digest, expected);
}

static void test_published_vectors(void)
{
    check_repeated("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_repeated("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_repeated("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_repeated("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                   "mnopqrstnopqrstu",
                   1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    check_repeated("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    check_repeated("\xbd", 1, "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

/* Zeros of every length around the padding's edges; expected: computed with another implementation. */
static void test_lengths_around_a_block(void)
{
    static const struct {
        uint32_t len;
        const char *digest;
    } ROWS[] = {
        {55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
        {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
    };
    for (unsigned row = 0; row < sizeof ROWS / sizeof *ROWS; row++) {
        struct sha256 sha;
        uint8_t digest[32];
        sha256_begin(&sha);
        for (uint32_t i = 0; i < ROWS[row].len; i++)
            sha256_byte(&sha, 0);
        sha256_end(&sha, digest);
        check_hex(digest, ROWS[row].digest);
    }
}

int main(void)
{
    test_published_vectors();
    test_lengths_around_a_block();
    return check_end("sha256");
}
