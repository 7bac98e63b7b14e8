/* The die's parts, for one another; boards need die.h only. Each is called from die_poll with die->now_ms set. */
#ifndef DICETOWER_DIE_PARTS_H
#define DICETOWER_DIE_PARTS_H

#include "die.h"

/* gather.c: take noise samples, test them, fill the pool; serve RAW?. */
void gather_begin(struct die *die);
void gather_step(struct die *die);
/* Whether both sources have passed their start-up and the pool may be drawn from. */
bool gather_ready(const struct die *die);

/* hear.c: take the host's bytes and do what its lines ask. */
void hear_step(struct die *die);

/* play.c: the button, and a roll from its press to its value. */
void play_step(struct die *die);
/* The next number of sides a long press gives; D4 after D20. */
uint8_t play_next_sides(uint8_t sides);
bool play_has_sides(uint32_t sides);

/* face.c: what the display shows now. Pure. */
struct view face_of(const struct die *die);

/* die.c: stop rolling and say so. The first fault stays. */
void die_fail(struct die *die, enum die_fault fault);
/* Draw the number that names this run; from then on the die speaks. */
void die_awake(struct die *die, const uint8_t random[RNG_BYTES]);

#endif
