#include "badlink.h"

#include <string.h>

#include "device.h"

static double chance(struct badlink *link)
{
    return (double)(rig_random(&link->random) >> 11) / 9007199254740992.0; /* 2^53 */
}

bool badlink_is_bad(const struct badlink *link)
{
    return link->lose > 0 || link->flip > 0 || link->repeat > 0 || link->cut > 0 || link->delay_ms > 0;
}

static void queue(struct badlink *link, uint8_t byte, uint64_t due_us)
{
    size_t next = (link->head + 1) % BADLINK_BYTES;
    if (next == link->tail)
        return;
    link->bytes[link->head] = byte;
    link->due_us[link->head] = due_us;
    link->head = next;
}

static void flip_bits(struct badlink *link, uint8_t *line, size_t len)
{
    for (uint64_t count = 1 + rig_random(&link->random) % 3; count > 0; count--) {
        uint64_t bit = rig_random(&link->random) % (len * 8);
        line[bit / 8] = (uint8_t)(line[bit / 8] ^ 1u << (bit % 8));
    }
}

static void send_copy(struct badlink *link, uint64_t now_us)
{
    uint8_t line[sizeof link->line];
    size_t len = link->line_len;
    uint64_t due_us = now_us;
    memcpy(line, link->line, len);
    if (link->delay_ms > 0)
        due_us += rig_random(&link->random) % ((uint64_t)link->delay_ms * 1000);
    if (chance(link) < link->flip)
        flip_bits(link, line, len);
    if (chance(link) < link->cut)
        len = rig_random(&link->random) % len;
    if (due_us < link->last_due_us)
        due_us = link->last_due_us;
    link->last_due_us = due_us;
    for (size_t i = 0; i < len; i++)
        queue(link, line[i], due_us);
}

static void end_line(struct badlink *link, uint64_t now_us)
{
    if (chance(link) >= link->lose) {
        send_copy(link, now_us);
        if (chance(link) < link->repeat)
            send_copy(link, now_us);
    }
    link->line_len = 0;
}

void badlink_put(struct badlink *link, uint8_t byte, uint64_t now_us)
{
    if (!badlink_is_bad(link) && link->line_len == 0) {
        queue(link, byte, now_us);
        return;
    }
    link->line[link->line_len++] = byte;
    if (byte == '\n' || link->line_len == sizeof link->line)
        end_line(link, now_us);
}

int badlink_take(struct badlink *link, uint64_t now_us)
{
    uint8_t byte;
    if (link->tail == link->head || link->due_us[link->tail] > now_us)
        return -1;
    byte = link->bytes[link->tail];
    link->tail = (link->tail + 1) % BADLINK_BYTES;
    return byte;
}
