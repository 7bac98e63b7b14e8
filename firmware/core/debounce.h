/* A contact that bounces: a change counts once it has held for DEBOUNCE_MS. */
#ifndef DICETOWER_DEBOUNCE_H
#define DICETOWER_DEBOUNCE_H

#include <stdbool.h>
#include <stdint.h>

/* Ganssle, "A Guide to Debouncing": of 18 switches none bounced over 6.2 ms but one, at 157 ms; most under 2 ms. */
#define DEBOUNCE_MS 10

enum edge { EDGE_NONE, EDGE_PRESSED, EDGE_RELEASED };

struct debounce {
    bool pressed;      /* the settled state */
    bool changing;     /* the contact disagrees with it */
    uint16_t since_ms; /* since when; wraps */
};

/* Take the contact as it is now; call it at least every few milliseconds. */
enum edge debounce_step(struct debounce *debounce, bool contact, uint16_t now_ms);

#endif
