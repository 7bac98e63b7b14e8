/* The shake switch: whether the die is being moved. It begins no roll: a die that is carried must not roll. */
#ifndef DICETOWER_MOTION_H
#define DICETOWER_MOTION_H

#include <stdbool.h>
#include <stdint.h>

/* One contact is a knock on the table; two, close together, are a hand. */
#define MOTION_CONTACTS 2
/* So long without a contact is lying still. A shaken ball switch closes several times a second. */
#define MOTION_STILL_MS 300

struct motion {
    bool closed;       /* the contact as last seen */
    bool moving;
    uint16_t contacts; /* since it last lay still; stays at 65535 */
    uint32_t last_ms;  /* the last contact */
};

/* Take the contact as it is now. */
void motion_step(struct motion *motion, bool closed, uint32_t now_ms);

#endif
