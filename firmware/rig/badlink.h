/* One direction of a serial line that loses, repeats, delays and garbles whole lines, from a seed. */
#ifndef DICETOWER_BADLINK_H
#define DICETOWER_BADLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BADLINK_BYTES 16384

struct badlink {
    double lose, flip, repeat, cut; /* chances a line: gone; one to three bits flipped; twice; its end gone */
    uint32_t delay_ms;              /* each line waits up to so long; lines never overtake */
    uint64_t random;
    uint8_t line[256]; /* the line being collected */
    size_t line_len;
    /* Bytes on their way, and when each is due. */
    uint8_t bytes[BADLINK_BYTES];
    uint64_t due_us[BADLINK_BYTES];
    size_t head, tail;
    uint64_t last_due_us;
};

/* Whether it changes anything; a good link passes bytes on at once. */
bool badlink_is_bad(const struct badlink *link);

/* A byte goes in at `now_us`. A full link drops it. */
void badlink_put(struct badlink *link, uint8_t byte, uint64_t now_us);

/* The next byte that is due, or -1. */
int badlink_take(struct badlink *link, uint64_t now_us);

#endif
