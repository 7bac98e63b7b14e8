/* When a roll is sent again. */
#include "../core/link.h"

#include "check.h"

/* Send roll `number` whenever due, a millisecond at a time; the moments. */
static int moments(struct link *link, uint32_t number, uint32_t from, uint32_t to, uint32_t *at, int most)
{
    int count = 0;
    for (uint32_t ms = from; ms != to; ms++)
        if (link_due(link, number, ms) && count < most) {
            at[count++] = ms - from;
            link_sent(link, ms);
        }
    return count;
}

static void test_the_row(void)
{
    static const uint32_t EXPECTED[] = {0, 200, 600, 1400, 3000, 4600, 6200};
    struct link link = {0};
    uint32_t at[16];
    CHECK_EQ(moments(&link, 5, 0xFFFFFF00u, 0xFFFFFF00u + 7000, at, 16), 7); /* over the clock's wrap */
    for (int i = 0; i < 7; i++)
        CHECK_EQ(at[i], EXPECTED[i]);
}

static void test_nothing_to_send(void)
{
    struct link link = {0};
    uint32_t at[4];
    CHECK_EQ(moments(&link, 0, 0, 10000, at, 4), 0);
}

static void test_the_next_roll_goes_at_once(void)
{
    struct link link = {0};
    uint32_t at[16];
    moments(&link, 5, 0, 7000, at, 16);
    CHECK(link_due(&link, 6, 7001));
    link_sent(&link, 7001);
    CHECK(!link_due(&link, 6, 7200));
    CHECK(link_due(&link, 6, 7201));
}

static void test_a_host_that_is_heard_again_gets_it_soon(void)
{
    struct link link = {0};
    uint32_t at[16];
    moments(&link, 5, 0, 1300, at, 16);
    link_heard(&link); /* not at the slowest: nothing changes */
    CHECK(!link_due(&link, 5, 1301));
    moments(&link, 5, 1301, 7000, at, 16);
    link_heard(&link);
    CHECK(link_due(&link, 5, 7001));
}

static void test_a_line_that_found_no_room_is_due_until_sent(void)
{
    struct link link = {0};
    CHECK(link_due(&link, 5, 0));
    CHECK(link_due(&link, 5, 1));
    link_sent(&link, 1);
    CHECK(!link_due(&link, 5, 2));
}

int main(void)
{
    test_the_row();
    test_nothing_to_send();
    test_the_next_roll_goes_at_once();
    test_a_host_that_is_heard_again_gets_it_soon();
    test_a_line_that_found_no_room_is_due_until_sent();
    return check_end("link");
}
