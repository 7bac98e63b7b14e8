/* What the die says: one function a verb of docs/wire.md. Each sends a whole line or, where there is no room, none,
 * and gives false then; what must arrive is tried again by its caller. */
#ifndef DICETOWER_SAY_H
#define DICETOWER_SAY_H

#include "die.h"

#define SAY_FAIR_ROOM 101 /* "$65535 FAIR boot=xxxxxxxx hash=<64>*xxxx\n" */

enum no_why { NO_BUSY, NO_FULL, NO_FAULT, NO_DIE, NO_DONE };

bool say_hello(struct die *die);
bool say_heartbeat(struct die *die);
bool say_armed(struct die *die);
bool say_no(struct die *die, uint32_t req, enum no_why why);
bool say_start(struct die *die);
bool say_roll(struct die *die, const struct roll *roll);
bool say_full(struct die *die);
bool say_move(struct die *die);
bool say_fault(struct die *die);
bool say_raw(struct die *die);
/* `bytes` are the commitment where the seed stands, and hold the seed (fair.h) where it is spent. */
bool say_fair(struct die *die, enum seed_state state, const uint8_t bytes[RNG_BYTES]);

#endif
