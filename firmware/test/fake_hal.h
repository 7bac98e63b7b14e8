/* A board made of memory: every input is a variable, and the non-volatile memory can lose power at any byte. */
#ifndef DICETOWER_FAKE_HAL_H
#define DICETOWER_FAKE_HAL_H

#include "../hal.h"

enum cut {
    CUT_BEFORE, /* the byte is not written */
    CUT_ERASED, /* the cell is left erased, 0xFF */
    CUT_HALF,   /* the cell is left with neither value */
    CUT_AFTER   /* the byte is written */
};

struct fake {
    struct hal hal;
    uint32_t now_ms;
    uint8_t inputs;
    /* To the die. */
    uint8_t in[4096];
    unsigned in_at, in_len;
    /* From the die. */
    char out[65536];
    unsigned out_len;
    uint8_t room;
    /* Noise: xorshift, or one value again and again, or none. */
    uint32_t noise_state;
    bool noise_stuck[NOISE_SOURCES];
    bool noise_silent[NOISE_SOURCES];
    uint32_t wdt_ms;
    bool adc_wanted;
    /* Memory. `writes_left` counts down to the cut; negative: no cut. After it the power is off: nothing is written. */
    uint8_t nv[NV_BYTES];
    unsigned nv_writes[NV_BYTES];
    int writes_left;
    enum cut cut;
    bool off;
    int broken_at; /* a cell that takes no byte, or -1 */
    uint8_t busy;  /* polls that nv_ready still says no */
    uint8_t busy_polls;
    struct view view;
    unsigned shows, ticks;
};

/* A board just made: memory erased, room for any line, healthy noise from `seed`. */
void fake_begin(struct fake *fake, uint32_t seed);

/* The power comes back: all but the memory is new. */
void fake_power_up(struct fake *fake);

/* Bytes from the host. */
void fake_receive(struct fake *fake, const char *bytes);

#endif
