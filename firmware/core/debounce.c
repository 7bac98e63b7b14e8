#include "debounce.h"

enum edge debounce_step(struct debounce *debounce, bool contact, uint16_t now_ms)
{
    if (contact == debounce->pressed) {
        debounce->changing = false;
        return EDGE_NONE;
    }
    if (!debounce->changing) {
        debounce->changing = true;
        debounce->since_ms = now_ms;
    }
    if ((uint16_t)(now_ms - debounce->since_ms) < DEBOUNCE_MS)
        return EDGE_NONE;
    debounce->pressed = contact;
    debounce->changing = false;
    return contact ? EDGE_PRESSED : EDGE_RELEASED;
}
