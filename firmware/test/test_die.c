/* The whole die on a board made of memory: a host types lines, a finger presses, the power goes. */
#include "../core/die.h"

#include <stdlib.h>
#include <string.h>

#include "../core/crc.h"
#include "../core/die_parts.h"
#include "../core/say.h"
#include "check.h"
#include "fake_hal.h"

static const struct build BUILD = {"0.1.0", "6a09e667", "por"};

struct rig {
    struct fake fake;
    struct die die;
    unsigned read; /* how much of fake.out was looked at */
};

static void run(struct rig *rig, uint32_t ms)
{
    while (ms--) {
        rig->fake.now_ms++;
        for (int i = 0; i < 20; i++) /* ten conversions fit a millisecond; polls are faster */
            die_poll(&rig->die);
    }
}

static void power_up(struct rig *rig)
{
    fake_power_up(&rig->fake);
    rig->read = 0;
    die_begin(&rig->die, &rig->fake.hal, &BUILD);
}

/* A die that has just been plugged in and is ready. */
static void begin(struct rig *rig, uint32_t seed)
{
    fake_begin(&rig->fake, seed);
    power_up(rig);
    run(rig, 800);
}

static void say(struct rig *rig, const char *body)
{
    char bytes[256];
    sprintf(bytes, "%s*%04x\n", body, crc16(body, (uint8_t)strlen(body)));
    fake_receive(&rig->fake, bytes);
}

/* "$1 ARM boot=<this die's> req=.. die=.." and its like. */
static void say_own(struct rig *rig, const char *verb, const char *rest)
{
    char body[200];
    sprintf(body, "$1 %s boot=%08x%s%s", verb, rig->die.boot, *rest ? " " : "", rest);
    say(rig, body);
    run(rig, 5);
}

/* Forget what was said so far. */
static void skip(struct rig *rig) { rig->read = rig->fake.out_len; }

/* How many lines since `skip` hold `part`; the last of them in `line` where wanted. */
static int lines_with(struct rig *rig, const char *part, char *line)
{
    int count = 0;
    const char *at = rig->fake.out + rig->read;
    while (*at) {
        const char *end = strchr(at, '\n');
        char text[256];
        snprintf(text, sizeof text, "%.*s", (int)(end ? end - at : (long)strlen(at)), at);
        if (strstr(text, part)) {
            count++;
            if (line)
                strcpy(line, text);
        }
        if (!end)
            break;
        at = end + 1;
    }
    return count;
}

static bool said(struct rig *rig, const char *part) { return lines_with(rig, part, NULL) > 0; }

static void press(struct rig *rig, uint32_t ms)
{
    rig->fake.inputs |= INPUT_BUTTON;
    run(rig, ms);
    rig->fake.inputs = (uint8_t)(rig->fake.inputs & ~INPUT_BUTTON);
    run(rig, 30);
}

static bool shows(struct rig *rig, const char *text)
{
    return memcmp(rig->fake.view.text, text, 4) == 0;
}

static unsigned number_in(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 9999;
}

static void ack(struct rig *rig, unsigned roll)
{
    char rest[32];
    sprintf(rest, "roll=%u", roll);
    say_own(rig, "ACK", rest);
}

static void test_it_says_nothing_before_it_has_noise_and_an_id(void)
{
    struct rig rig;
    fake_begin(&rig.fake, 1);
    power_up(&rig);
    say(&rig, "$0 HELLO? v=1.0");
    run(&rig, 200);
    CHECK_EQ(rig.fake.out_len, 0);
    CHECK(shows(&rig, "----"));
    run(&rig, 600);
    CHECK(said(&rig, "HELLO v=1.1 uid="));
    CHECK(said(&rig, "fw=0.1.0 hash=6a09e667 rst=por cap=btn,shk,raw,fair torn=0"));
    CHECK(shows(&rig, " 6--"));
}

static void test_hello_only_on_request(void)
{
    struct rig rig;
    begin(&rig, 1);
    run(&rig, 5000);
    CHECK(!said(&rig, "HELLO"));
    say(&rig, "$0 HELLO? v=1.0");
    run(&rig, 5);
    CHECK_EQ(lines_with(&rig, "HELLO", NULL), 1);
}

static void test_the_id_is_for_life_and_the_boot_is_not(void)
{
    struct rig rig;
    uint8_t uid[IDENTITY_BYTES];
    begin(&rig, 1);
    uint32_t boot = rig.die.boot;
    memcpy(uid, rig.die.uid, sizeof uid);
    power_up(&rig);
    run(&rig, 800);
    CHECK(memcmp(uid, rig.die.uid, sizeof uid) == 0);
    CHECK(boot != rig.die.boot);
    struct rig other;
    begin(&other, 2);
    CHECK(memcmp(uid, other.die.uid, sizeof uid) != 0);
}

static void test_a_heartbeat_a_second(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    skip(&rig);
    run(&rig, 10000);
    CHECK_EQ(lines_with(&rig, " HB ", line), 10);
    CHECK(strstr(line, "st=idle die=D6 last=0 unacked=0 req=0*") != NULL);
}

static void test_armed_pressed_rolled_acked(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=41 die=D8");
    CHECK(said(&rig, "ARMED boot="));
    CHECK(said(&rig, "req=41 die=D8"));
    CHECK(shows(&rig, " d 8"));
    skip(&rig);
    press(&rig, 600);
    run(&rig, 200);
    CHECK_EQ(lines_with(&rig, "START", line), 1);
    CHECK(strstr(line, "req=41 die=D8 t=") != NULL);
    CHECK(lines_with(&rig, "ROLL", line) >= 1);
    CHECK(strstr(line, "roll=1 die=D8 val=") != NULL);
    CHECK(strstr(line, "req=41 ms=6") != NULL); /* 600 ms held, less and more some debouncing */
    CHECK(strstr(line, "h=ok late=0 t=") != NULL);
    unsigned value = number_in(line, " val=");
    CHECK(value >= 1 && value <= 8);
    char expected[8];
    sprintf(expected, " 8 %u", value);
    CHECK(shows(&rig, expected));
    CHECK(rig.fake.view.colon);
    ack(&rig, 1);
    skip(&rig);
    run(&rig, 5000);
    CHECK(!said(&rig, "ROLL"));
    CHECK(said(&rig, "st=rolled die=D8 last=1 unacked=0 req=0*"));
}

static void test_a_roll_is_safe_before_it_is_shown_or_sent(void)
{
    struct rig rig;
    begin(&rig, 1);
    rig.fake.busy_polls = 250; /* a memory as slow as can be */
    say_own(&rig, "ARM", "req=41 die=D20");
    press(&rig, 500);
    for (int ms = 0; ms < 2000 && rig.die.state != DIE_ROLLED; ms++) {
        CHECK(!said(&rig, "ROLL"));
        CHECK(rig.fake.view.text[2] < '0' || rig.fake.view.text[2] > '9');
        run(&rig, 1);
    }
    struct rolls rolls;
    struct roll roll;
    rolls_open(&rolls, &rig.fake.hal);
    CHECK(rolls_read(&rig.fake.hal, 1, &roll));
    CHECK_EQ(roll.value, rig.die.value);
    CHECK_EQ(rolls.unacked, 1);
}

static void test_it_is_sent_again_until_acked_and_in_order(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    press(&rig, 100);
    run(&rig, 700);
    press(&rig, 100);
    run(&rig, 700);
    skip(&rig);
    run(&rig, 10000);
    CHECK(lines_with(&rig, "roll=1 ", NULL) >= 6);
    CHECK(!said(&rig, "roll=2 "));
    ack(&rig, 2); /* out of order: nothing */
    run(&rig, 2000);
    CHECK(!said(&rig, "roll=2 "));
    skip(&rig);
    ack(&rig, 1);
    run(&rig, 100);
    CHECK_EQ(lines_with(&rig, "ROLL", line), 1);
    CHECK(strstr(line, "roll=2 ") != NULL);
    ack(&rig, 2);
    skip(&rig);
    run(&rig, 5000);
    CHECK(!said(&rig, "ROLL"));
}

static void test_unarmed_it_rolls_with_req_0_and_a_tap(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    press(&rig, 100);
    run(&rig, 700);
    CHECK(lines_with(&rig, "ROLL", line) >= 1);
    CHECK(strstr(line, "roll=1 die=D6 val=") != NULL);
    CHECK(strstr(line, " req=0 ") != NULL);
}

static void test_a_long_press_goes_through_the_dice(void)
{
    static const char *const ORDER[] = {" 8--", "10--", "12--", "20--", " 4--", " 6--", " 8--"};
    struct rig rig;
    begin(&rig, 1);
    for (unsigned i = 0; i < sizeof ORDER / sizeof *ORDER; i++) {
        press(&rig, DIE_LONG_PRESS_MS + 50);
        CHECK(shows(&rig, ORDER[i]));
    }
    CHECK(!said(&rig, "START"));
    press(&rig, 3 * DIE_LONG_PRESS_MS + 50); /* held on: three steps */
    CHECK(shows(&rig, "20--"));
    CHECK(!said(&rig, "ROLL"));
}

static void test_a_long_press_changes_nothing_when_armed(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=7 die=D12");
    press(&rig, 3000);
    run(&rig, 200);
    CHECK(lines_with(&rig, "ROLL", line) >= 1);
    CHECK(strstr(line, "die=D12 ") != NULL);
    CHECK(strstr(line, " req=7 ") != NULL);
}

static void test_every_die_can_be_armed_and_no_other(void)
{
    static const char *const GOOD[] = {"D4", "D6", "D8", "D10", "D12", "D20"};
    static const char *const BAD[] = {"D100", "D3", "D7", "D0", "D08", "d8", "8", "D", "D2O", "D256", "D262", "XX"};
    struct rig rig;
    char rest[64];
    begin(&rig, 1);
    for (unsigned i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        sprintf(rest, "req=%u die=%s", i + 1, GOOD[i]);
        skip(&rig);
        say_own(&rig, "ARM", rest);
        CHECK(said(&rig, "ARMED"));
        CHECK_EQ(rig.die.sides, atoi(GOOD[i] + 1));
    }
    for (unsigned i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        sprintf(rest, "req=99 die=%s", BAD[i]);
        skip(&rig);
        say_own(&rig, "ARM", rest);
        CHECK(said(&rig, "NO boot="));
        CHECK(said(&rig, "req=99 why=die"));
        CHECK_EQ(rig.die.req, 6);
    }
}

static void test_values_stay_on_the_die(void)
{
    static const unsigned SIDES[] = {4, 6, 8, 10, 12, 20};
    struct rig rig;
    begin(&rig, 5);
    for (unsigned i = 0; i < 60; i++) {
        char rest[64], line[256];
        sprintf(rest, "req=%u die=D%u", i + 1, SIDES[i % 6]);
        say_own(&rig, "ARM", rest);
        skip(&rig);
        press(&rig, 450);
        run(&rig, 150);
        CHECK_EQ(lines_with(&rig, "ROLL", line), 1);
        CHECK_EQ(number_in(line, " roll="), i + 1);
        CHECK(number_in(line, " val=") - 1 < SIDES[i % 6]);
        ack(&rig, i + 1);
        run(&rig, 20);
    }
}

static void test_another_boots_lines_do_nothing(void)
{
    struct rig rig;
    char body[100];
    begin(&rig, 1);
    sprintf(body, "$1 ARM boot=%08x req=1 die=D8", rig.die.boot + 1);
    say(&rig, body);
    say(&rig, "$1 ARM req=1 die=D8");
    run(&rig, 10);
    CHECK(!said(&rig, "ARMED"));
    press(&rig, 100);
    run(&rig, 700);
    sprintf(body, "$1 ACK boot=%08x roll=1", rig.die.boot ^ 0x80000000u);
    say(&rig, body);
    run(&rig, 10);
    CHECK_EQ(rig.die.rolls.unacked, 1);
}

static void test_its_own_echo_and_noise_do_nothing(void)
{
    struct rig rig;
    begin(&rig, 1);
    press(&rig, 100);
    run(&rig, 3000);
    fake_receive(&rig.fake, "AT\r\nATE1\r\n$$$\xff\x80~\n");
    rig.fake.out[rig.fake.out_len < 2000 ? rig.fake.out_len : 2000] = '\0';
    fake_receive(&rig.fake, rig.fake.out);
    run(&rig, 100);
    CHECK_EQ(rig.die.rolls.unacked, 1);
    CHECK_EQ(rig.die.state, DIE_ROLLED);
    say(&rig, "$0 HELLO? v=1.0");
    skip(&rig);
    run(&rig, 20);
    CHECK_EQ(lines_with(&rig, "HELLO", NULL), 1);
}

static void test_a_restart_marks_what_waits_as_late(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=41 die=D8");
    press(&rig, 500);
    run(&rig, 200);
    uint8_t value = rig.die.value;
    power_up(&rig);
    run(&rig, 1200);
    CHECK(lines_with(&rig, "ROLL", line) >= 1);
    CHECK(strstr(line, "roll=1 die=D8 val=") != NULL);
    CHECK_EQ(number_in(line, " val="), value);
    CHECK(strstr(line, " req=41 ") != NULL);
    CHECK(strstr(line, "late=1*") != NULL); /* no t: that was another clock */
    press(&rig, 100);
    run(&rig, 700);
    skip(&rig);
    ack(&rig, 1);
    run(&rig, 100);
    CHECK_EQ(lines_with(&rig, "ROLL", line), 1);
    CHECK(strstr(line, "roll=2 ") != NULL && strstr(line, "late=0 t=") != NULL);
}

static void test_one_req_has_one_roll(void)
{
    struct rig rig;
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=41 die=D8");
    press(&rig, 500);
    run(&rig, 200);
    skip(&rig);
    say_own(&rig, "ARM", "req=41 die=D8"); /* the host's copy, late */
    CHECK(said(&rig, "req=41 why=done"));
    press(&rig, 100);
    run(&rig, 700); /* an unarmed roll in between */
    say_own(&rig, "ARM", "req=41 die=D8");
    CHECK_EQ(lines_with(&rig, "why=done", NULL), 2);
    power_up(&rig);
    run(&rig, 800);
    skip(&rig);
    say_own(&rig, "ARM", "req=41 die=D8"); /* after a restart, while the roll still waits */
    CHECK(said(&rig, "req=41 why=done"));
}

/* A memory that takes its time: ACK and ARM come in one breath, and both are obeyed. */
static void test_an_arm_right_behind_an_ack(void)
{
    struct rig rig;
    char body[200];
    begin(&rig, 1);
    press(&rig, 100);
    run(&rig, 700);
    rig.fake.busy_polls = 100;
    skip(&rig);
    sprintf(body, "$1 ACK boot=%08x roll=1", rig.die.boot);
    say(&rig, body);
    sprintf(body, "$2 ARM boot=%08x req=2 die=D12", rig.die.boot);
    say(&rig, body);
    run(&rig, 60);
    CHECK_EQ(rig.die.rolls.unacked, 0);
    CHECK(said(&rig, "ARMED"));
    CHECK(!said(&rig, "why=busy"));
}

static void test_an_arm_during_a_roll_is_busy(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    press(&rig, 100);
    say_own(&rig, "ARM", "req=9 die=D20");
    CHECK(said(&rig, "req=9 why=busy"));
    run(&rig, 700);
    CHECK(lines_with(&rig, "ROLL", line) >= 1);
    CHECK(strstr(line, "die=D6") != NULL && strstr(line, " req=0 ") != NULL);
}

static void test_disarm_and_bye(void)
{
    struct rig rig;
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=9 die=D20");
    say_own(&rig, "DISARM", "req=8");
    CHECK_EQ(rig.die.req, 9);
    say_own(&rig, "DISARM", "req=9");
    CHECK_EQ(rig.die.req, 0);
    CHECK_EQ(rig.die.state, DIE_IDLE);
    say_own(&rig, "ARM", "req=10 die=D20");
    say_own(&rig, "BYE", "");
    CHECK_EQ(rig.die.req, 0);
}

static void test_sixteen_waiting_rolls_are_full(void)
{
    struct rig rig;
    begin(&rig, 1);
    for (int i = 0; i < 16; i++) {
        press(&rig, 100);
        run(&rig, 600);
    }
    CHECK_EQ(rig.die.rolls.unacked, 16);
    skip(&rig);
    press(&rig, 100);
    run(&rig, 700);
    CHECK(said(&rig, "FULL boot="));
    CHECK(said(&rig, "unacked=16"));
    CHECK(shows(&rig, "FULL"));
    CHECK(!said(&rig, "START"));
    CHECK_EQ(rig.die.rolls.newest, 16);
    skip(&rig);
    say_own(&rig, "ARM", "req=3 die=D6");
    CHECK(said(&rig, "why=full"));
    run(&rig, 2000);
    CHECK(!shows(&rig, "FULL"));
    ack(&rig, 1);
    press(&rig, 100);
    run(&rig, 700);
    CHECK_EQ(rig.die.rolls.newest, 17);
}

static void shake(struct rig *rig, int times)
{
    while (times--) {
        rig->fake.inputs |= INPUT_SHAKE;
        run(rig, 5);
        rig->fake.inputs = (uint8_t)(rig->fake.inputs & ~INPUT_SHAKE);
        run(rig, 95);
    }
}

static void test_carrying_is_movement_and_never_a_roll(void)
{
    struct rig rig;
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=41 die=D8");
    skip(&rig);
    shake(&rig, 50);
    CHECK(said(&rig, "MOVE boot="));
    CHECK(lines_with(&rig, "MOVE", NULL) <= 11); /* five seconds, at most twice a second */
    CHECK(said(&rig, "st=handling"));
    CHECK(said(&rig, "req=41")); /* still armed */
    CHECK(!said(&rig, "START"));
    run(&rig, 1000);
    CHECK(shows(&rig, " d 8"));
}

static void test_shaking_goes_on_with_a_roll(void)
{
    struct rig rig;
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=41 die=D8");
    press(&rig, 100);
    shake(&rig, 20);
    CHECK(!said(&rig, "ROLL"));
    run(&rig, 600);
    CHECK(said(&rig, "ROLL"));
}

static void test_a_stuck_button_ends_its_roll(void)
{
    struct rig rig;
    begin(&rig, 1);
    say_own(&rig, "ARM", "req=41 die=D8");
    rig.fake.inputs = INPUT_BUTTON;
    run(&rig, DIE_ROLL_MAX_MS + 300);
    CHECK(said(&rig, "ROLL"));
    run(&rig, 20000);
    CHECK_EQ(rig.die.rolls.newest, 1);
}

static void check_fault(struct rig *rig, const char *word)
{
    char code[32], fault[32];
    sprintf(code, "code=%s*", word);
    sprintf(fault, "st=fault die=");
    CHECK(said(rig, code));
    run(rig, 1500);
    CHECK(said(rig, fault));
    sprintf(fault, "fault=%s*", word);
    CHECK(said(rig, fault));
    CHECK(shows(rig, "FAIL"));
    skip(rig);
    press(rig, 200);
    run(rig, 800);
    CHECK(!said(rig, "START"));
    CHECK(said(rig, code)); /* pressed: it says why */
    run(rig, 10000);
    CHECK(lines_with(rig, code, NULL) >= 3);
    say_own(rig, "ARM", "req=5 die=D6");
    CHECK(said(rig, "why=fault"));
}

static void test_noise_that_fails_stops_it(void)
{
    static const char *const WORDS[2][2] = {{"adc-rct", "adc-stuck"}, {"wdt-rct", "wdt-stuck"}};
    for (int source = 0; source < NOISE_SOURCES; source++)
        for (int silent = 0; silent < 2; silent++) {
            struct rig rig;
            begin(&rig, 1);
            rig.fake.noise_stuck[source] = !silent;
            rig.fake.noise_silent[source] = silent;
            press(&rig, 100); /* the roll empties the pool, so that the converter runs again */
            run(&rig, 3000);
            check_fault(&rig, WORDS[source][silent]);
        }
}

static void test_a_die_without_noise_never_gets_an_id(void)
{
    struct rig rig;
    fake_begin(&rig.fake, 1);
    rig.fake.noise_stuck[NOISE_ADC] = true;
    power_up(&rig);
    run(&rig, 200);
    say(&rig, "$0 HELLO? v=1.0");
    run(&rig, 10);
    CHECK(said(&rig, "uid=0000000000000000"));
    check_fault(&rig, "adc-rct");
}

static void test_a_fault_still_delivers_what_waits(void)
{
    struct rig rig;
    begin(&rig, 1);
    press(&rig, 100);
    run(&rig, 800);
    rig.fake.noise_stuck[NOISE_WDT] = true;
    run(&rig, 1000);
    CHECK_EQ(rig.die.state, DIE_FAULT);
    skip(&rig);
    run(&rig, 2000);
    CHECK(said(&rig, "roll=1 "));
    ack(&rig, 1);
    CHECK_EQ(rig.die.rolls.unacked, 0);
}

static void test_a_broken_memory_is_a_fault(void)
{
    struct rig rig;
    begin(&rig, 1);
    rig.fake.broken_at = ROLLS_AT + ROLLS_SLOT_BYTES + 7;
    press(&rig, 100);
    run(&rig, 1000);
    CHECK(!said(&rig, "ROLL"));
    check_fault(&rig, "store");
}

static void test_a_host_that_does_not_read_stops_nothing(void)
{
    struct rig rig;
    begin(&rig, 1);
    rig.fake.room = 0;
    skip(&rig);
    for (int i = 0; i < 3; i++) {
        press(&rig, 100);
        run(&rig, 700);
    }
    CHECK_EQ(rig.die.rolls.newest, 3);
    CHECK_EQ(rig.fake.out_len, rig.read);
    say(&rig, "$0 HELLO? v=1.0");
    run(&rig, 3000);
    rig.fake.room = 255;
    run(&rig, 1000);
    CHECK(said(&rig, "roll=1 "));
    CHECK(said(&rig, "HELLO"));
}

static void test_raw_samples_are_those_of_the_source(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    say_own(&rig, "RAW?", "src=adc n=40");
    run(&rig, 100);
    CHECK_EQ(lines_with(&rig, "RAW boot=", line), 3); /* 16, 16 and 8 */
    CHECK(strstr(line, "src=adc i=32 x=") != NULL);
    skip(&rig);
    say_own(&rig, "RAW?", "src=wdt n=16");
    press(&rig, 60); /* no roll meanwhile */
    run(&rig, 400);
    CHECK_EQ(lines_with(&rig, "src=wdt i=0", NULL), 1);
    CHECK(!said(&rig, "START"));
    press(&rig, 60);
    run(&rig, 800);
    CHECK(said(&rig, "ROLL"));
    skip(&rig);
    say_own(&rig, "RAW?", "src=dust n=16");
    run(&rig, 400);
    CHECK(!said(&rig, "RAW"));
}

/* Press, cut the power at every byte written, come back: each value that was ever shown arrives, once, as shown. */
static void test_power_cuts_with_the_whole_die(void)
{
    for (int writes = 1; writes < 45; writes++)
        for (int cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
            struct rig rig;
            char line[256];
            uint8_t shown[8] = {0};
            begin(&rig, (uint32_t)(writes * 7 + 1));
            rig.fake.cut = (enum cut)cut;
            rig.fake.writes_left = writes;
            for (int i = 0; i < 3 && !rig.fake.off; i++) {
                press(&rig, 60);
                for (int ms = 0; ms < 600 && !rig.fake.off; ms++)
                    run(&rig, 1);
                if (!rig.fake.off && rig.die.state == DIE_ROLLED)
                    shown[rig.die.rolls.newest] = rig.die.value;
                if (i == 1 && !rig.fake.off)
                    ack(&rig, 1);
            }
            power_up(&rig);
            run(&rig, 800);
            for (unsigned number = rig.die.rolls.oldest; number && number <= rig.die.rolls.newest; number++) {
                if (rig.die.rolls.oldest != number)
                    continue;
                skip(&rig);
                run(&rig, 2000);
                CHECK(lines_with(&rig, "ROLL", line) >= 1);
                CHECK_EQ(number_in(line, " roll="), number);
                CHECK(shown[number] == 0 || number_in(line, " val=") == shown[number]);
                shown[number] = 0;
                ack(&rig, number);
                run(&rig, 20);
            }
            CHECK_EQ(shown[2] | shown[3], 0); /* the first was acknowledged, or came again */
        }
}

/* Have it commit; the commitment's digits. */
static void commit(struct rig *rig, char hash[65])
{
    char line[256];
    skip(rig);
    say_own(rig, "COMMIT", "");
    run(rig, 100);
    CHECK_EQ(lines_with(rig, " FAIR boot=", line), 1);
    const char *at = strstr(line, " hash=");
    CHECK(at != NULL && strlen(at) == 6 + 64 + 5);
    snprintf(hash, 65, "%s", at ? at + 6 : "");
}

/* Have it reveal; false where it has no seed. */
static bool reveal(struct rig *rig, uint8_t seed[ROLLS_SEED_BYTES])
{
    char line[256];
    skip(rig);
    say_own(rig, "REVEAL", "");
    run(rig, 20);
    CHECK_EQ(lines_with(rig, " FAIR boot=", line), 1);
    const char *at = strstr(line, " seed=");
    for (unsigned i = 0; at && i < ROLLS_SEED_BYTES; i++) {
        char digits[3] = {at[6 + 2 * i], at[7 + 2 * i], 0};
        seed[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return at != NULL;
}

static bool is_commitment(const char *hash, const uint8_t seed[ROLLS_SEED_BYTES])
{
    struct rng rng;
    uint8_t bytes[RNG_BYTES];
    char digits[65];
    rng_begin(&rng);
    memcpy(bytes + FAIR_SEED_AT, seed, ROLLS_SEED_BYTES);
    fair_commitment(&rng, bytes);
    for (unsigned i = 0; i < RNG_BYTES; i++)
        sprintf(digits + 2 * i, "%02x", bytes[i]);
    return strcmp(hash, digits) == 0;
}

static unsigned value_for(const uint8_t seed[ROLLS_SEED_BYTES], const struct ask *ask)
{
    struct rng rng;
    uint8_t bytes[RNG_BYTES];
    rng_begin(&rng);
    memcpy(bytes + FAIR_SEED_AT, seed, ROLLS_SEED_BYTES);
    fair_block(&rng, ask, 0, bytes);
    return rng_value(bytes, ask->sides);
}

/* Arm, roll and acknowledge; the roll's line. */
static void roll_armed(struct rig *rig, unsigned roll, const char *rest, char line[256])
{
    say_own(rig, "ARM", rest);
    skip(rig);
    press(rig, 450);
    run(rig, 200);
    CHECK(lines_with(rig, " ROLL ", line) >= 1);
    CHECK_EQ(number_in(line, " roll="), roll);
    ack(rig, roll);
    run(rig, 100);
}

static void test_fair_rolls_come_of_the_seed_that_was_committed_to(void)
{
    static const unsigned SIDES[] = {4, 6, 8, 10, 12, 20};
    struct rig rig;
    char hash[65], again[65], line[256], rest[64];
    unsigned values[12];
    uint8_t seed[ROLLS_SEED_BYTES];
    begin(&rig, 1);
    commit(&rig, hash);
    for (unsigned i = 0; i < 12; i++) {
        sprintf(rest, "req=%u die=D%u nonce=00c0%04x", i + 41, SIDES[i % 6], i);
        roll_armed(&rig, i + 1, rest, line);
        CHECK(strstr(line, " fair=1*") != NULL);
        values[i] = number_in(line, " val=");
        if (i == 5) { /* a restart in mid-game */
            power_up(&rig);
            run(&rig, 800);
        }
    }
    commit(&rig, again);
    CHECK(strcmp(hash, again) == 0);
    CHECK(reveal(&rig, seed));
    CHECK(is_commitment(hash, seed));
    for (unsigned i = 0; i < 12; i++) {
        struct ask ask = {i + 41, 0x00c00000u + i, (uint8_t)SIDES[i % 6]};
        CHECK_EQ(values[i], value_for(seed, &ask));
    }
    commit(&rig, again);
    CHECK(strcmp(hash, again) != 0);
}

static void test_no_roll_comes_of_a_seed_that_is_known(void)
{
    struct rig rig;
    char hash[65], line[256];
    uint8_t seed[ROLLS_SEED_BYTES], again[ROLLS_SEED_BYTES];
    begin(&rig, 1);
    CHECK(!reveal(&rig, seed)); /* none was ever committed to */
    commit(&rig, hash);
    roll_armed(&rig, 1, "req=1 die=D20", line); /* a host that gives no number */
    CHECK(strstr(line, "fair") == NULL);
    CHECK(reveal(&rig, seed));
    power_up(&rig);
    run(&rig, 800);
    CHECK(reveal(&rig, again));
    CHECK(memcmp(seed, again, sizeof seed) == 0);
    roll_armed(&rig, 2, "req=2 die=D20 nonce=00000001", line);
    CHECK(strstr(line, "fair") == NULL);
    say_own(&rig, "ARM", "req=3 die=D20 nonce=00000001");
    say_own(&rig, "DISARM", "req=3");
    commit(&rig, hash);
    skip(&rig);
    press(&rig, 100);
    run(&rig, 600);
    CHECK(lines_with(&rig, " ROLL ", line) >= 1); /* nobody asked for it */
    CHECK(strstr(line, " req=0 ") != NULL && strstr(line, "fair") == NULL);
}

static void test_it_neither_commits_nor_reveals_while_it_rolls(void)
{
    struct rig rig;
    char hash[65];
    begin(&rig, 1);
    commit(&rig, hash);
    say_own(&rig, "ARM", "req=1 die=D20 nonce=00000001");
    rig.fake.inputs |= INPUT_BUTTON;
    run(&rig, 900);
    skip(&rig);
    say_own(&rig, "COMMIT", "");
    say_own(&rig, "REVEAL", "");
    run(&rig, 100);
    CHECK(!said(&rig, "FAIR"));
    rig.fake.noise_stuck[NOISE_ADC] = true;
    rig.fake.inputs = 0;
    run(&rig, 1500);
    CHECK(rig.die.state == DIE_FAULT);
    say_own(&rig, "COMMIT", "");
    run(&rig, 100);
    CHECK(!said(&rig, "FAIR"));
}

static void test_it_reveals_once_its_rolls_are_acknowledged(void)
{
    struct rig rig;
    char hash[65];
    uint8_t seed[ROLLS_SEED_BYTES];
    begin(&rig, 1);
    commit(&rig, hash);
    say_own(&rig, "ARM", "req=1 die=D20 nonce=00000001");
    press(&rig, 450);
    run(&rig, 200);
    skip(&rig);
    say_own(&rig, "REVEAL", "");
    run(&rig, 100);
    CHECK(!said(&rig, "FAIR"));
    ack(&rig, 1);
    run(&rig, 50);
    CHECK(reveal(&rig, seed) && is_commitment(hash, seed));
}

static void test_the_longest_lines_fit(void)
{
    struct rig rig;
    char line[256];
    begin(&rig, 1);
    struct roll roll = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT16_MAX, 20 | ROLLS_FAIR, 20};
    rig.die.seq = UINT16_MAX;
    skip(&rig);
    CHECK(say_roll(&rig.die, &roll));
    CHECK_EQ(lines_with(&rig, " t=4294967295 fair=1*", line), 1);
    rig.die.seq = UINT16_MAX;
    rig.die.rolls.torn = 48;
    CHECK(say_hello(&rig.die));
    uint8_t bytes[RNG_BYTES] = {0};
    rig.die.seq = UINT16_MAX;
    skip(&rig);
    CHECK(say_fair(&rig.die, SEED_STANDS, bytes));
    CHECK_EQ(rig.fake.out_len - rig.read, SAY_FAIR_ROOM);
}

int main(void)
{
    test_it_says_nothing_before_it_has_noise_and_an_id();
    test_hello_only_on_request();
    test_the_id_is_for_life_and_the_boot_is_not();
    test_a_heartbeat_a_second();
    test_armed_pressed_rolled_acked();
    test_a_roll_is_safe_before_it_is_shown_or_sent();
    test_it_is_sent_again_until_acked_and_in_order();
    test_unarmed_it_rolls_with_req_0_and_a_tap();
    test_a_long_press_goes_through_the_dice();
    test_a_long_press_changes_nothing_when_armed();
    test_every_die_can_be_armed_and_no_other();
    test_values_stay_on_the_die();
    test_another_boots_lines_do_nothing();
    test_its_own_echo_and_noise_do_nothing();
    test_a_restart_marks_what_waits_as_late();
    test_one_req_has_one_roll();
    test_an_arm_right_behind_an_ack();
    test_an_arm_during_a_roll_is_busy();
    test_disarm_and_bye();
    test_sixteen_waiting_rolls_are_full();
    test_carrying_is_movement_and_never_a_roll();
    test_shaking_goes_on_with_a_roll();
    test_a_stuck_button_ends_its_roll();
    test_noise_that_fails_stops_it();
    test_a_die_without_noise_never_gets_an_id();
    test_a_fault_still_delivers_what_waits();
    test_a_broken_memory_is_a_fault();
    test_a_host_that_does_not_read_stops_nothing();
    test_raw_samples_are_those_of_the_source();
    test_power_cuts_with_the_whole_die();
    test_fair_rolls_come_of_the_seed_that_was_committed_to();
    test_no_roll_comes_of_a_seed_that_is_known();
    test_it_neither_commits_nor_reveals_while_it_rolls();
    test_it_reveals_once_its_rolls_are_acknowledged();
    test_the_longest_lines_fit();
    return check_end("die");
}
