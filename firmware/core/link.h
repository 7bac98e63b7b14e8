/* When to send the oldest unacknowledged roll (again). Only timing: the rolls are in rolls.h. */
#ifndef DICETOWER_LINK_H
#define DICETOWER_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* docs/wire.md: again after 200, 400, 800 and then every 1600 ms. */
#define LINK_FIRST_MS 200
#define LINK_SLOWEST_MS 1600

struct link {
    uint32_t roll;    /* the roll being sent, 0 for none */
    uint32_t sent_ms; /* when last */
    uint16_t wait_ms; /* how long to wait for its ACK; 0: send now */
};

/* Whether to send `oldest` (0 for none) now. A roll not sent before is due at once. */
bool link_due(struct link *link, uint32_t oldest, uint32_t now_ms);

/* It was sent. */
void link_sent(struct link *link, uint32_t now_ms);

/* The host was heard: if the die had fallen back to its slowest, it begins the row afresh. */
void link_heard(struct link *link);

#endif
