/* One byte into non-volatile memory, checked, without waiting. */
#ifndef DICETOWER_NV_H
#define DICETOWER_NV_H

#include "../hal.h"

enum nv_result {
    NV_DONE = 0,   /* the cell holds the byte */
    NV_BUSY = 1,   /* call again with the same arguments */
    NV_FAILED = -1 /* written, and it holds something else */
};

/* Bring `byte` into the cell `at`. `written` is the caller's, false before the first call for a byte; it is false
 * again after NV_DONE. A cell that holds the byte already is not worn. */
enum nv_result nv_put(const struct hal *hal, uint16_t at, uint8_t byte, bool *written);

#endif
