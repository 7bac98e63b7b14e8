/* The id: written twice, read from whichever copy is whole. */
#include "../core/identity.h"

#include <string.h>

#include "check.h"
#include "fake_hal.h"

static const uint8_t UID[IDENTITY_BYTES] = {0x1f, 0x83, 0xd9, 0xab, 0xfb, 0x41, 0xbd, 0x6b};

static enum nv_result write_all(struct fake *fake, const uint8_t uid[IDENTITY_BYTES])
{
    uint8_t step = 0;
    bool written = false;
    enum nv_result result;
    do
        result = identity_write(&fake->hal, uid, &step, &written);
    while (result == NV_BUSY && !fake->off);
    return result;
}

static bool reads_uid(struct fake *fake)
{
    uint8_t uid[IDENTITY_BYTES];
    return identity_read(&fake->hal, uid) && memcmp(uid, UID, IDENTITY_BYTES) == 0;
}

static void test_a_new_memory_has_no_id(void)
{
    struct fake fake;
    uint8_t uid[IDENTITY_BYTES], zeros[IDENTITY_BYTES] = {0};
    fake_begin(&fake, 1);
    memset(uid, 1, sizeof uid);
    CHECK(!identity_read(&fake.hal, uid));
    CHECK(memcmp(uid, zeros, sizeof uid) == 0);
    memset(fake.nv, 0, sizeof fake.nv);
    CHECK(!identity_read(&fake.hal, uid));
}

static void test_written_and_read(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    fake.busy_polls = 3;
    CHECK_EQ(write_all(&fake, UID), NV_DONE);
    fake_power_up(&fake);
    CHECK(reads_uid(&fake));
}

static void test_either_copy_is_enough_and_is_mended(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    write_all(&fake, UID);
    for (int at = IDENTITY_AT; at < IDENTITY_AT + 26; at++) {
        fake.nv[at] ^= 0x08;
        CHECK(reads_uid(&fake));
        CHECK_EQ(write_all(&fake, UID), NV_DONE);
    }
    fake.nv[IDENTITY_AT] ^= 1;
    fake.nv[IDENTITY_AT + 16] ^= 1;
    CHECK(!reads_uid(&fake));
}

static void test_what_is_right_is_not_written_again(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    write_all(&fake, UID);
    write_all(&fake, UID);
    for (int at = 0; at < NV_BYTES; at++)
        CHECK(fake.nv_writes[at] <= 1);
    CHECK_EQ(fake.nv_writes[0], 0);
}

static void test_a_broken_cell_is_told(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    fake.broken_at = IDENTITY_AT + 3;
    CHECK_EQ(write_all(&fake, UID), NV_FAILED);
}

static void test_a_power_cut_leaves_it_or_nothing(void)
{
    for (int writes = 1; writes <= IDENTITY_STEPS; writes++)
        for (int cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
            struct fake fake;
            uint8_t uid[IDENTITY_BYTES];
            fake_begin(&fake, 1);
            fake.cut = (enum cut)cut;
            fake.writes_left = writes;
            write_all(&fake, UID);
            fake_power_up(&fake);
            CHECK(!identity_read(&fake.hal, uid) || memcmp(uid, UID, IDENTITY_BYTES) == 0);
        }
}

int main(void)
{
    test_a_new_memory_has_no_id();
    test_written_and_read();
    test_either_copy_is_enough_and_is_mended();
    test_what_is_right_is_not_written_again();
    test_a_broken_cell_is_told();
    test_a_power_cut_leaves_it_or_nothing();
    return check_end("identity");
}
