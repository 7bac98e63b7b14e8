#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "board.h"

#define ALIVE_TIMEOUTS 64 /* of 16 ms: the main loop may stop for a second */

static volatile uint8_t wdt_sample, wdt_fresh, alive;
static uint8_t adc_on;

/* The watchdog runs from its own 128 kHz oscillator, timer 1 from the crystal: their jitter is the noise. The interrupt
 * clears WDIE; left so, the next timeout resets the board (data sheet,
 * "Watchdog Timer"). */
ISR(WDT_vect)
{
    wdt_sample = TCNT1L;
    wdt_fresh = 1;
    if (alive > 0) {
        alive--;
        WDTCSR |= _BV(WDIE);
    }
}

/* Interrupt and reset mode, 16 ms (data sheet, "Watchdog Timer Prescale Select"): WDP bits all 0. */
static void watchdog_begin(void)
{
    uint8_t sreg = SREG;
    cli();
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE);
    SREG = sreg;
}

void noise_begin(void)
{
    TCCR1A = 0;
    TCCR1B = _BV(CS10);
    ADMUX = _BV(REFS1) | _BV(REFS0); /* ADC0 against 1.1 V: the smallest step there is, 1.07 mV */
    DIDR0 = _BV(ADC0D);
    noise_alive();
    watchdog_begin();
}

void noise_alive(void)
{
    alive = ALIVE_TIMEOUTS;
}

static void convert(void)
{
    /* 16 MHz / 128 = 125 kHz, 13 clocks a conversion: 9,600 samples a second. */
    ADCSRA = _BV(ADEN) | _BV(ADSC) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
}

void noise_wanted(void *ctx, bool wanted)
{
    (void)ctx;
    adc_on = wanted;
    if (wanted)
        convert();
    else
        ADCSRA = 0;
}

static bool take_adc(uint8_t *sample)
{
    if (!adc_on || (ADCSRA & _BV(ADSC)))
        return false;
    *sample = ADCL;
    (void)ADCH;
    convert();
    return true;
}

static bool take_wdt(uint8_t *sample)
{
    if (!wdt_fresh)
        return false;
    wdt_fresh = 0;
    *sample = wdt_sample;
    return true;
}

bool noise_sample(void *ctx, enum noise_source source, uint8_t *sample)
{
    (void)ctx;
    return source == NOISE_ADC ? take_adc(sample) : take_wdt(sample);
}
