/* Health tests on raw noise samples: NIST SP 800-90B, 4.4.
 *
 * Each source is watched sample by sample by the Repetition Count Test (4.4.1) and the Adaptive Proportion Test
 * (4.4.2). A failure stays until health_begin: whoever holds the result must stop rolling.
 *
 * The cut-offs follow from an assessed min-entropy H a sample and a false-alarm chance of 2^-30 a test:
 *
 *     RCT = 1 + ceil(30 / H)
 *     APT = 1 + critbinom(W, 2^-H, 1 - 2^-30), W = 1024 for two-valued samples and 512 for others
 *
 * tests/firmware/test_cutoffs.py computes them from these formulas, and the standard's own printed examples with
 * the same code.
 */
#ifndef DICETOWER_ENTROPY_H
#define DICETOWER_ENTROPY_H

#include <stdbool.h>
#include <stdint.h>

#include "rom.h"

enum noise_source {
    NOISE_ADC, /* the lowest bits of a conversion on an open pin; bit 0 is tested and counted */
    NOISE_WDT, /* the low byte of a 16 MHz counter when the watchdog's own oscillator fires */
    NOISE_SOURCES
};

/* H = 0.3 bit a sample for the ADC's lowest bit, a two-valued sample; the only source that is credited. */
#define ADC_H_TENTHS 3
#define ADC_RCT 101
#define ADC_APT 904
#define ADC_WINDOW 1024
/* Start-up test (4.3): at least 1024 samples before the first is used. */
#define ADC_STARTUP 1024

/* H = 1 bit a sample for the counter's low byte. Mixed in, tested, not credited. */
#define WDT_H_TENTHS 10
#define WDT_RCT 31
#define WDT_APT 325
#define WDT_WINDOW 512
/* Not credited, so the start-up is short: half a second of samples, enough for a stuck counter to show. */
#define WDT_STARTUP 32

enum health_result {
    HEALTH_OK = 0,
    HEALTH_RCT = -1, /* one value again and again: the source is stuck */
    HEALTH_APT = -2  /* one value far too often: the source has lost most of its entropy */
};

struct health_limits {
    uint8_t mask; /* which bits of a sample are tested */
    uint16_t rct, apt, window, startup;
};

extern ROM struct health_limits HEALTH_LIMITS[NOISE_SOURCES];

struct health {
    uint8_t source;
    uint8_t last;      /* RCT: the value being repeated */
    uint8_t reference; /* APT: the value being counted */
    uint16_t repeats;  /* RCT: how often in a row */
    uint16_t matches;  /* APT: how often in this window */
    uint16_t seen;     /* APT: samples into this window */
    uint16_t startup;  /* samples still to pass before the source is used */
    int8_t result;     /* enum health_result; stays at the first failure */
};

void health_begin(struct health *health, enum noise_source source);

/* Test one raw sample. The first failure is kept and given from then on. */
enum health_result health_take(struct health *health, uint8_t sample);

/* Whether the start-up test is done and nothing has failed. */
bool health_ready(const struct health *health);

#endif
