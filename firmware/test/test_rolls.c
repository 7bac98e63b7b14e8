/* The rolls in memory, with the power cut at every byte that is ever written. */
#include "../core/rolls.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fake_hal.h"

static enum rolls_result finish(struct rolls *rolls, struct fake *fake)
{
    enum rolls_result result;
    do
        result = rolls_step(rolls, &fake->hal);
    while (result == ROLLS_BUSY && !fake->off);
    return result;
}

static uint8_t value_of(uint32_t number) { return (uint8_t)(1 + number % 6); }

static struct roll roll_for(uint32_t number)
{
    struct roll roll = {0, number * 10, number * 1000, (uint16_t)(400 + number), 6, value_of(number)};
    return roll;
}

/* Add the next roll; its number where it became safe, else 0. */
static uint32_t add(struct rolls *rolls, struct fake *fake)
{
    struct roll roll = roll_for(rolls->next);
    rolls_add(rolls, &roll);
    return finish(rolls, fake) == ROLLS_ADDED ? roll.number : 0;
}

static void ack(struct rolls *rolls, struct fake *fake, uint32_t number)
{
    CHECK(rolls_ack(rolls, &fake->hal, number));
    finish(rolls, fake);
}

static struct rolls opened(struct fake *fake)
{
    struct rolls rolls;
    fake_power_up(fake);
    rolls_open(&rolls, &fake->hal);
    return rolls;
}

static void check_roll(struct fake *fake, uint32_t number)
{
    struct roll roll, expected = roll_for(number);
    CHECK(rolls_read(&fake->hal, number, &roll));
    CHECK_EQ(roll.number, number);
    CHECK_EQ(roll.req, expected.req);
    CHECK_EQ(roll.t_ms, expected.t_ms);
    CHECK_EQ(roll.duration_ms, expected.duration_ms);
    CHECK_EQ(roll.sides, 6);
    CHECK_EQ(roll.value, expected.value);
}

static void test_a_new_memory_holds_nothing(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    CHECK_EQ(rolls.next, 1);
    CHECK_EQ(rolls.newest + rolls.oldest + rolls.unacked + rolls.torn, 0);
    CHECK(!rolls_full(&rolls));
    CHECK_EQ(rolls_step(&rolls, &fake.hal), ROLLS_IDLE);
}

static void test_rolls_survive_a_restart_in_order(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    for (uint32_t number = 1; number <= 5; number++)
        CHECK_EQ(add(&rolls, &fake), number);
    ack(&rolls, &fake, 1);
    rolls = opened(&fake);
    CHECK_EQ(rolls.next, 6);
    CHECK_EQ(rolls.inherited, 5);
    CHECK_EQ(rolls.oldest, 2);
    CHECK_EQ(rolls.unacked, 4);
    for (uint32_t number = 2; number <= 5; number++)
        check_roll(&fake, number);
}

static void test_only_the_oldest_can_be_acknowledged(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    CHECK(!rolls_ack(&rolls, &fake.hal, 0));
    CHECK(!rolls_ack(&rolls, &fake.hal, 1));
    add(&rolls, &fake);
    add(&rolls, &fake);
    CHECK(!rolls_ack(&rolls, &fake.hal, 2));
    ack(&rolls, &fake, 1);
    CHECK(!rolls_ack(&rolls, &fake.hal, 1));
    ack(&rolls, &fake, 2);
    CHECK_EQ(rolls.oldest, 0);
    CHECK_EQ(rolls.unacked, 0);
}

static void test_an_ack_during_a_write_waits(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    add(&rolls, &fake);
    struct roll roll = roll_for(2);
    rolls_add(&rolls, &roll);
    CHECK(!rolls_ack(&rolls, &fake.hal, 1));
    CHECK_EQ(finish(&rolls, &fake), ROLLS_ADDED);
    CHECK(rolls_ack(&rolls, &fake.hal, 1));
}

static void test_sixteen_are_full_and_one_ack_makes_room(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    for (int i = 0; i < ROLLS_UNACKED_MAX; i++) {
        CHECK(!rolls_full(&rolls));
        add(&rolls, &fake);
    }
    CHECK(rolls_full(&rolls));
    rolls = opened(&fake);
    CHECK(rolls_full(&rolls));
    CHECK_EQ(rolls.unacked, ROLLS_UNACKED_MAX);
    ack(&rolls, &fake, 1);
    CHECK(!rolls_full(&rolls));
}

static void test_many_rolls_go_round_and_wear_evenly(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    for (uint32_t number = 1; number <= 48 * 20; number++) {
        CHECK_EQ(add(&rolls, &fake), number);
        check_roll(&fake, number);
        ack(&rolls, &fake, number);
        if (number % 7 == 0)
            rolls = opened(&fake);
    }
    unsigned most = 0;
    for (int at = 0; at < NV_BYTES; at++)
        most = fake.nv_writes[at] > most ? fake.nv_writes[at] : most;
    CHECK_EQ(most, 3 * 20 - 1); /* the state cell; the first time it was erased already */
    for (int at = 0; at < ROLLS_AT; at++)
        CHECK_EQ(fake.nv_writes[at], 0);
}

static void test_which_req_waits(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    CHECK(!rolls_holds_req(&rolls, &fake.hal, 10));
    add(&rolls, &fake);
    add(&rolls, &fake);
    CHECK(rolls_holds_req(&rolls, &fake.hal, 10));
    CHECK(rolls_holds_req(&rolls, &fake.hal, 20));
    ack(&rolls, &fake, 1);
    CHECK(!rolls_holds_req(&rolls, &fake.hal, 10));
}

static void test_a_worn_out_cell_fails_for_good(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    fake.broken_at = ROLLS_AT + ROLLS_SLOT_BYTES + 5;
    struct roll roll = roll_for(1);
    rolls_add(&rolls, &roll);
    CHECK_EQ(finish(&rolls, &fake), ROLLS_FAILED);
    CHECK_EQ(rolls_step(&rolls, &fake.hal), ROLLS_FAILED);
}

/* What a host has: every number it was given, and how often in different shapes. */
struct host {
    uint32_t last;      /* the highest number delivered */
    unsigned delivered; /* rolls, copies not counted */
};

static void deliver(struct rolls *rolls, struct fake *fake, struct host *host, int most)
{
    while (rolls->oldest != 0 && most-- > 0 && !fake->off) {
        uint32_t number = rolls->oldest;
        check_roll(fake, number);
        if (number > host->last) {
            host->last = number;
            host->delivered++;
        }
        ack(rolls, fake, number);
    }
}

/* Run a die for `rolls_wanted` safe rolls with one power cut after `writes` bytes; every safe roll must arrive. */
static void live(int writes, enum cut cut, int before)
{
    struct fake fake;
    struct host host = {0};
    unsigned safe = 0;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    for (int i = 0; i < before; i++) {
        safe += add(&rolls, &fake) != 0;
        deliver(&rolls, &fake, &host, i % 3 == 2 ? 16 : 0);
    }
    fake.cut = cut;
    fake.writes_left = writes;
    for (int i = 0; i < 4 && !fake.off; i++) {
        uint32_t number = add(&rolls, &fake);
        safe += number != 0 && !fake.off;
        deliver(&rolls, &fake, &host, i == 2 ? 2 : 0);
    }
    uint32_t promised = rolls.next - 1; /* the last of them may have been cut in its last byte: safe, but not shown */
    rolls = opened(&fake);
    CHECK(rolls.torn <= 1);
    CHECK(rolls.next >= promised); /* a number is used again only where its roll left no trace */
    for (int i = 0; i < 3; i++) {
        while (rolls_full(&rolls))
            deliver(&rolls, &fake, &host, 1);
        safe += add(&rolls, &fake) != 0;
    }
    deliver(&rolls, &fake, &host, 100);
    CHECK(host.delivered == safe || host.delivered == safe + 1);
    CHECK_EQ(rolls.unacked, 0);
    CHECK_EQ(rolls.oldest, 0);
}

static void test_power_cuts_everywhere(void)
{
    for (int before = 0; before < 100; before += 33)
        for (int writes = 1; writes < 95; writes++)
            for (int cut = CUT_BEFORE; cut <= CUT_AFTER; cut++)
                live(writes, (enum cut)cut, before);
}

/* The number of a torn roll is not given to another: the host might know it. */
static void test_a_torn_number_is_left_out_once(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    add(&rolls, &fake);
    fake.cut = CUT_HALF;
    fake.writes_left = 8;
    CHECK_EQ(add(&rolls, &fake), 0);
    rolls = opened(&fake);
    CHECK_EQ(rolls.torn, 1);
    CHECK_EQ(rolls.next, 3);
    CHECK_EQ(add(&rolls, &fake), 3);
    rolls = opened(&fake);
    CHECK_EQ(rolls.next, 4);
    CHECK_EQ(rolls.unacked, 2);
}

/* Every power-on ends in another cut while the oldest roll waits: it must never be written over. */
static void test_cut_after_cut_never_eats_a_waiting_roll(void)
{
    struct fake fake;
    fake_begin(&fake, 1);
    struct rolls rolls = opened(&fake);
    add(&rolls, &fake);
    for (int i = 0; i < 100; i++) {
        rolls = opened(&fake);
        if (rolls_full(&rolls))
            break;
        fake.cut = CUT_HALF;
        fake.writes_left = 5;
        CHECK_EQ(add(&rolls, &fake), 0);
    }
    rolls = opened(&fake);
    CHECK(rolls_full(&rolls));
    CHECK_EQ(rolls.oldest, 1);
    check_roll(&fake, 1);
}

/* A cell of the newest roll has changed by itself: its number is not given away again. */
static void test_rot_in_the_newest_roll(void)
{
    for (int at = 0; at < ROLLS_SLOT_BYTES - 2; at++) {
        struct fake fake;
        fake_begin(&fake, 1);
        struct rolls rolls = opened(&fake);
        for (int i = 0; i < 3; i++)
            add(&rolls, &fake);
        fake.nv[ROLLS_AT + 3 * ROLLS_SLOT_BYTES + at] ^= 0x10;
        rolls = opened(&fake);
        CHECK_EQ(rolls.next, 4);
        CHECK_EQ(rolls.torn, 1);
    }
}

static void test_any_memory_is_opened(void)
{
    srand(1);
    for (int i = 0; i < 2000; i++) {
        struct fake fake;
        fake_begin(&fake, 1);
        for (int at = 0; at < NV_BYTES; at++)
            fake.nv[at] = (uint8_t)rand();
        struct rolls rolls = opened(&fake);
        if (rolls_full(&rolls))
            continue;
        uint32_t number = rolls.next;
        CHECK_EQ(add(&rolls, &fake), number);
        check_roll(&fake, number);
    }
}

int main(void)
{
    test_a_new_memory_holds_nothing();
    test_rolls_survive_a_restart_in_order();
    test_only_the_oldest_can_be_acknowledged();
    test_an_ack_during_a_write_waits();
    test_sixteen_are_full_and_one_ack_makes_room();
    test_many_rolls_go_round_and_wear_evenly();
    test_which_req_waits();
    test_a_worn_out_cell_fails_for_good();
    test_power_cuts_everywhere();
    test_a_torn_number_is_left_out_once();
    test_cut_after_cut_never_eats_a_waiting_roll();
    test_rot_in_the_newest_roll();
    test_any_memory_is_opened();
    return check_end("rolls");
}
