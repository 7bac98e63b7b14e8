/* The only way out of core: what a board must give the die.
 *
 * Every function returns at once and is called from one place only, the board's main loop, by die_poll. `ctx` is the
 * board's own and is passed back untouched. A board is done when `firmware/test` passes, its functions keep these
 * promises, and `tests/firmware` passes on it.
 */
#ifndef DICETOWER_HAL_H
#define DICETOWER_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/entropy.h"

enum { INPUT_BUTTON = 1, INPUT_SHAKE = 2 };

/* What the display shows: four characters, with a colon in the middle where wanted.
 * Characters: digits, space, '-', '_', and the letters that seven segments can draw. */
struct view {
    char text[4];
    bool colon;
};

struct hal {
    void *ctx;

    /* Milliseconds since start; wraps at 2^32. */
    uint32_t (*millis)(void *ctx);

    /* The next byte from the host, or -1. */
    int16_t (*receive)(void *ctx);
    /* How many bytes `send` takes now. A host that does not read must not make this 0 for ever on a real UART;
     * where it may (a PC's pty), the die drops unassured lines and goes on. */
    uint8_t (*room)(void *ctx);
    /* Send bytes; never called with more than `room` said. */
    void (*send)(void *ctx, const char *bytes, uint8_t len);

    /* The contacts as they are now, not debounced: INPUT_BUTTON, INPUT_SHAKE. */
    uint8_t (*inputs)(void *ctx);

    /* A new raw noise sample since the last call, if there is one. Never the same sample twice. */
    bool (*noise)(void *ctx, enum noise_source source, uint8_t *sample);
    /* Whether ADC samples are wanted now; a board may stop the converter while not. */
    void (*noise_wanted)(void *ctx, bool wanted);

    /* Non-volatile memory, of NV_BYTES bytes, 0xFF when new. A write is begun and may take milliseconds; while one
     * is under way nv_ready is false, and nv_read and nv_write are not called. */
    bool (*nv_ready)(void *ctx);
    uint8_t (*nv_read)(void *ctx, uint16_t at);
    void (*nv_write)(void *ctx, uint16_t at, uint8_t byte);

    /* The display and one short tick of the sounder. */
    void (*show)(void *ctx, const struct view *view);
    void (*tick)(void *ctx);
};

#define NV_BYTES 1024

#endif
