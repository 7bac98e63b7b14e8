#include <avr/io.h>
#include <util/atomic.h>

#include "board.h"

bool eeprom_ready(void *ctx)
{
    (void)ctx;
    return !(EECR & _BV(EEPE));
}

uint8_t eeprom_read(void *ctx, uint16_t at)
{
    (void)ctx;
    EEAR = at;
    EECR |= _BV(EERE);
    return EEDR;
}

/* Erase and write in one, 3.4 ms; EEPE must follow EEMPE within four cycles (data sheet, EECR, EEPE). */
void eeprom_write(void *ctx, uint16_t at, uint8_t byte)
{
    (void)ctx;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        EEAR = at;
        EEDR = byte;
        EECR = _BV(EEMPE);
        EECR |= _BV(EEPE);
    }
}
