#include <avr/io.h>

#include "board.h"

#define PIEZO _BV(PB3)
#define TICK_MS 3
/* 16 MHz / 64 / (2 * 31) = 4.03 kHz, where small piezo discs are loudest (data sheet, 8-bit
 * Timer/Counter2, "Clear Timer on Compare Match", toggle OC2A). */
#define TOP 30

static volatile uint8_t left_ms;

void piezo_begin(void)
{
    DDRB |= PIEZO;
    OCR2A = TOP;
}

void piezo_tick(void *ctx)
{
    (void)ctx;
    left_ms = TICK_MS;
    TCCR2A = _BV(COM2A0) | _BV(WGM21);
    TCCR2B = _BV(CS22);
}

void piezo_millisecond(void)
{
    if (left_ms > 0 && --left_ms == 0)
        TCCR2A = TCCR2B = 0;
}
