#include <avr/io.h>

#include "board.h"

#define BUTTON _BV(PD2)
#define SHAKE _BV(PD3)

/* Inputs with their pull-ups: a closed contact reads 0. */
void contacts_begin(void)
{
    DDRD &= (uint8_t)~(BUTTON | SHAKE);
    PORTD |= BUTTON | SHAKE;
}

uint8_t contacts_read(void *ctx)
{
    uint8_t pins = PIND;
    (void)ctx;
    return (pins & BUTTON ? 0 : INPUT_BUTTON) | (pins & SHAKE ? 0 : INPUT_SHAKE);
}
