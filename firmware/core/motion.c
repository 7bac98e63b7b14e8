#include "motion.h"

static void contact(struct motion *motion, uint32_t now_ms)
{
    motion->last_ms = now_ms;
    if (motion->contacts < UINT16_MAX)
        motion->contacts++;
    motion->moving = motion->contacts >= MOTION_CONTACTS;
}

void motion_step(struct motion *motion, bool closed, uint32_t now_ms)
{
    if (closed && !motion->closed)
        contact(motion, now_ms);
    motion->closed = closed;
    if (motion->contacts > 0 && now_ms - motion->last_ms >= MOTION_STILL_MS) {
        motion->contacts = 0;
        motion->moving = false;
    }
}
