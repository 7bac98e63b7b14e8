/* The button and the shake switch, with contacts that bounce. */
#include "../core/debounce.h"
#include "../core/motion.h"

#include "check.h"

static void test_a_press_counts_once_it_has_held(void)
{
    struct debounce button = {0};
    for (uint16_t ms = 0; ms < DEBOUNCE_MS; ms++)
        CHECK_EQ(debounce_step(&button, true, ms), EDGE_NONE);
    CHECK_EQ(debounce_step(&button, true, DEBOUNCE_MS), EDGE_PRESSED);
    CHECK_EQ(debounce_step(&button, true, DEBOUNCE_MS + 1), EDGE_NONE);
}

static void test_bouncing_is_one_press_and_one_release(void)
{
    struct debounce button = {0};
    int pressed = 0, released = 0;
    for (uint16_t ms = 65000; ms != 400; ms++) { /* over the counter's wrap */
        uint16_t at = (uint16_t)(ms - 65000);
        bool contact = at < 20 ? at % 3 == 0 : at < 300 ? true : at < 320 ? at % 3 == 0 : false;
        enum edge edge = debounce_step(&button, contact, ms);
        pressed += edge == EDGE_PRESSED;
        released += edge == EDGE_RELEASED;
    }
    CHECK_EQ(pressed, 1);
    CHECK_EQ(released, 1);
}

static void test_a_spike_is_no_press(void)
{
    struct debounce button = {0};
    for (uint16_t ms = 0; ms < 1000; ms++)
        CHECK_EQ(debounce_step(&button, ms % 50 < DEBOUNCE_MS, ms), EDGE_NONE);
}

static void contact(struct motion *motion, uint32_t ms)
{
    motion_step(motion, true, ms);
    motion_step(motion, false, ms + 1);
}

static void test_one_knock_is_no_movement(void)
{
    struct motion motion = {0};
    contact(&motion, 100);
    CHECK(!motion.moving);
    motion_step(&motion, false, 100 + MOTION_STILL_MS);
    contact(&motion, 101 + MOTION_STILL_MS);
    CHECK(!motion.moving);
}

static void test_two_contacts_are_movement_until_it_lies_still(void)
{
    struct motion motion = {0};
    contact(&motion, 100);
    contact(&motion, 200);
    CHECK(motion.moving);
    CHECK_EQ(motion.contacts, 2);
    motion_step(&motion, false, 200 + MOTION_STILL_MS - 1);
    CHECK(motion.moving);
    motion_step(&motion, false, 200 + MOTION_STILL_MS);
    CHECK(!motion.moving);
    CHECK_EQ(motion.contacts, 0);
}

static void test_a_contact_that_stays_closed_is_one(void)
{
    struct motion motion = {0};
    for (uint32_t ms = 0; ms < 2000; ms++)
        motion_step(&motion, true, ms);
    CHECK(!motion.moving);
}

static void test_contacts_never_wrap(void)
{
    struct motion motion = {0};
    for (uint32_t i = 0; i < 70000; i++)
        contact(&motion, i * 2);
    CHECK_EQ(motion.contacts, 65535);
    CHECK(motion.moving);
}

int main(void)
{
    test_a_press_counts_once_it_has_held();
    test_bouncing_is_one_press_and_one_release();
    test_a_spike_is_no_press();
    test_one_knock_is_no_movement();
    test_two_contacts_are_movement_until_it_lies_still();
    test_a_contact_that_stays_closed_is_one();
    test_contacts_never_wrap();
    return check_end("contacts");
}
