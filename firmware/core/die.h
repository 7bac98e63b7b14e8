/* The e-die: one call in the board's main loop does everything.
 *
 *     static struct die die;
 *     die_begin(&die, &hal, &build);
 *     for (;;) die_poll(&die);
 *
 * Its life: it wakes (noise gathered, id read or drawn), is idle or armed, rolls, shows what it rolled. A failed health
 * test or a worn-out memory is a fault: it says so and rolls no more, but still delivers the rolls it holds.
 *
 *     waking --> idle <--> armed        a press rolls; armed, the roll begins with the press, else with its release,
 *                 ^ \       /           for a long press changes the die type
 *                 |  rolling            lasts while the button is held or the die is shaken
 *                 |     |
 *                 |  storing            the value is drawn and being written; not shown yet
 *                 |     |
 *                rolled                 shown and sent
 *
 * Everything that waits for the host is in non-volatile memory (rolls.h), everything else may be forgotten.
 */
#ifndef DICETOWER_DIE_H
#define DICETOWER_DIE_H

#include "../hal.h"
#include "debounce.h"
#include "entropy.h"
#include "fair.h"
#include "identity.h"
#include "line.h"
#include "link.h"
#include "motion.h"
#include "rng.h"
#include "rolls.h"

#define DIE_HEARTBEAT_MS 1000    /* docs/wire.md */
#define DIE_FAULT_AGAIN_MS 5000  /* docs/wire.md */
#define DIE_MOVE_AGAIN_MS 500    /* docs/wire.md: at most twice a second */
#define DIE_LONG_PRESS_MS 800    /* longer than a deliberate tap, shorter than patience */
#define DIE_ROLL_MIN_MS 300      /* so that a roll is seen to roll; and two in a second are possible */
#define DIE_ROLL_MAX_MS 10000    /* a button that is stuck, or leant on, ends its roll */
#define DIE_FULL_SHOWN_MS 1500   /* read at a glance */
#define DIE_NOISE_SILENT_MS 1000 /* sixty watchdog periods; ten thousand conversions */
#define DIE_SPIN_MS 80           /* one step of the rolling picture, and one tick of the sounder */
#define DIE_RAW_SAMPLES 16       /* raw samples in a line */

enum die_state { DIE_WAKING, DIE_IDLE, DIE_ARMED, DIE_ROLLING, DIE_STORING, DIE_ROLLED, DIE_FAULT };

enum die_fault {
    FAULT_NONE,
    FAULT_ADC_RCT,
    FAULT_ADC_APT,
    FAULT_ADC_STUCK, /* no sample although wanted */
    FAULT_WDT_RCT,
    FAULT_WDT_APT,
    FAULT_WDT_STUCK,
    FAULT_STORE /* a cell of the memory did not take its byte */
};

/* What the board knows of the program and of this start; strings in ROM. */
struct build {
    rom_char *version; /* "0.1.0" */
    rom_char *hash;    /* 8 small hexadecimal digits of the source */
    rom_char *reset;   /* por, ext, bod, wdt or sw */
};

/* Raw samples being sent. */
struct raw {
    uint8_t source;
    uint8_t held;
    uint16_t sent, left;
    uint8_t samples[DIE_RAW_SAMPLES];
};

struct die {
    const struct hal *hal;
    const struct build *build;
    struct framer framer;
    struct rolls rolls;
    struct link link;
    struct rng rng;
    struct health health[NOISE_SOURCES];
    struct debounce button;
    struct motion motion;
    struct raw raw;
    struct view shown;
    uint8_t uid[IDENTITY_BYTES];
    uint32_t boot;
    uint32_t now_ms;
    uint32_t beat_ms;    /* the last heartbeat */
    uint32_t said_ms;    /* the last FAULT or MOVE */
    uint32_t since_ms;   /* press, or start of the roll */
    uint32_t noise_ms[NOISE_SOURCES]; /* the last sample of each */
    uint32_t full_ms;    /* FULL shown since */
    uint32_t req;        /* armed for, 0 for nothing */
    uint32_t roll_req;   /* what the roll under way is for */
    uint32_t done_req;   /* what the last roll was for */
    uint32_t nonce;      /* the host's number for `req`, where `has_nonce` */
    uint16_t duration_ms;
    uint16_t seq;
    uint8_t state;       /* enum die_state */
    uint8_t fault;       /* enum die_fault */
    uint8_t sides;
    uint8_t value;       /* of the newest roll, 0 for none */
    uint8_t drawn;       /* the value being stored */
    uint8_t id_step;
    bool id_known;
    bool id_written;
    bool awake;          /* the boot number is drawn: the die may speak */
    bool hello_owed;
    bool fair_owed;
    bool has_nonce;
    bool pressing;       /* a press that is not a roll yet */
    bool long_press;     /* this press has changed the die type */
    bool showing_full;
    bool wants_adc;
};

/* Prepare; reads all of the memory. `hal` and `build` must outlive the die. */
void die_begin(struct die *die, const struct hal *hal, const struct build *build);

/* Do what is due; never waits. Call as often as possible. */
void die_poll(struct die *die);

/* Whether a poll each millisecond is enough now, so that the board may sleep until its clock's next interrupt. */
bool die_may_sleep(const struct die *die);

#endif
