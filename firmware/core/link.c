#include "link.h"

bool link_due(struct link *link, uint32_t oldest, uint32_t now_ms)
{
    if (oldest != link->roll) {
        link->roll = oldest;
        link->wait_ms = 0;
    }
    return oldest != 0 && (link->wait_ms == 0 || now_ms - link->sent_ms >= link->wait_ms);
}

void link_sent(struct link *link, uint32_t now_ms)
{
    uint16_t wait_ms = (uint16_t)(link->wait_ms * 2);
    link->sent_ms = now_ms;
    if (wait_ms == 0)
        wait_ms = LINK_FIRST_MS;
    link->wait_ms = wait_ms > LINK_SLOWEST_MS ? LINK_SLOWEST_MS : wait_ms;
}

void link_heard(struct link *link)
{
    if (link->wait_ms == LINK_SLOWEST_MS)
        link->wait_ms = 0;
}
