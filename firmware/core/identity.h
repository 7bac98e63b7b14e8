/* The die's id: 64 bits, drawn at its first start and kept for life, twice, each copy with a CRC. */
#ifndef DICETOWER_IDENTITY_H
#define DICETOWER_IDENTITY_H

#include "nv.h"

#define IDENTITY_BYTES 8
/* Two copies of 10 bytes, at 16 and 32: byte 0 is left alone, and no page holds both. */
#define IDENTITY_AT 16
#define IDENTITY_STEPS 20

/* Read the first whole copy. False, and `uid` all zeros, where there is none. Call when nv_ready. */
bool identity_read(const struct hal *hal, uint8_t uid[IDENTITY_BYTES]);

/* Write both copies, at most one byte a call; `step` and `written` begin as 0 and false, and belong to this call.
 * A copy that is already right is not worn. */
enum nv_result identity_write(const struct hal *hal, const uint8_t uid[IDENTITY_BYTES], uint8_t *step, bool *written);

#endif
