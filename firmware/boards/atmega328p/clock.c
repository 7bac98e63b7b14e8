#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "board.h"

static volatile uint32_t now_ms;

ISR(TIMER0_COMPA_vect)
{
    now_ms++;
    piezo_millisecond();
}

/* 16 MHz / 64 / 250 = 1 kHz (data sheet, 8-bit Timer/Counter0, "Clear Timer on Compare Match"). */
void clock_begin(void)
{
    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS01) | _BV(CS00);
    OCR0A = 249;
    TIMSK0 = _BV(OCIE0A);
}

uint32_t clock_millis(void *ctx)
{
    uint32_t ms;
    (void)ctx;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { ms = now_ms; }
    return ms;
}
