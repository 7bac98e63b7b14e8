#include <avr/io.h>
#include <avr/wdt.h>

#include "board.h"

/* Written before main, so not cleared with the other variables. */
static uint8_t cause __attribute__((section(".noinit")));
static uint8_t handed_over __attribute__((section(".noinit")));

void keep_r2(void) __attribute__((naked, used, section(".init0")));
void keep_cause(void) __attribute__((naked, used, section(".init3")));

/* Optiboot clears MCUSR and hands its value over in r2. */
void keep_r2(void)
{
    __asm__ volatile("sts %0, r2" : : "i"(&handed_over));
}

/* A watchdog reset leaves the watchdog running at its shortest (data sheet, "Watchdog Timer"): off, first of all. */
void keep_cause(void)
{
    cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

static ROM char POR[] = "por", EXT[] = "ext", BOD[] = "bod", WDT[] = "wdt", SOFTWARE[] = "sw";

/* Power-on sets the brown-out flag too, so it is asked first. */
rom_char *reset_word(void)
{
    uint8_t flags = cause ? cause : handed_over;
    if (flags & _BV(PORF))
        return POR;
    if (flags & _BV(WDRF))
        return WDT;
    if (flags & _BV(BORF))
        return BOD;
    return flags & _BV(EXTRF) ? EXT : SOFTWARE;
}
