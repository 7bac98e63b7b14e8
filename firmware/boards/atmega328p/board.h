/* The ATmega328P at 16 MHz, as on an Arduino Nano or Uno: what each file here gives to main.c.
 *
 *     pin  port  what
 *     D0   PD0   from the host (RXD)
 *     D1   PD1   to the host (TXD)
 *     D2   PD2   button to ground
 *     D3   PD3   shake switch to ground
 *     D5   PD5   TM1637 CLK
 *     D6   PD6   TM1637 DIO
 *     D11  PB3   piezo, over 220 ohm (OC2A)
 *     A0   PC0   nothing but 5 cm of wire: noise
 *
 * Register names and numbers: Microchip DS40002061B, the ATmega328P's data sheet. Timer 0 counts milliseconds,
 * timer 1 runs free at 16 MHz for the noise, timer 2 sounds the piezo.
 */
#ifndef DICETOWER_BOARD_H
#define DICETOWER_BOARD_H

#include "../../hal.h"

/* clock.c */
void clock_begin(void);
uint32_t clock_millis(void *ctx);

/* uart.c: 115200 8N1, both ways by interrupt. A host that does not read loses nothing but its own lines: the
 * bytes go out all the same. */
void uart_begin(void);
int16_t uart_receive(void *ctx);
uint8_t uart_room(void *ctx);
void uart_send(void *ctx, const char *bytes, uint8_t len);

/* noise.c; also the watchdog, which resets a board whose main loop has stopped for a second. */
void noise_begin(void);
bool noise_sample(void *ctx, enum noise_source source, uint8_t *sample);
void noise_wanted(void *ctx, bool wanted);
void noise_alive(void); /* the main loop says that it runs */

/* eeprom.c */
bool eeprom_ready(void *ctx);
uint8_t eeprom_read(void *ctx, uint16_t at);
void eeprom_write(void *ctx, uint16_t at, uint8_t byte);

/* contacts.c */
void contacts_begin(void);
uint8_t contacts_read(void *ctx);

/* tm1637.c */
void display_begin(void);
void display_show(void *ctx, const struct view *view);

/* piezo.c */
void piezo_begin(void);
void piezo_tick(void *ctx);
void piezo_millisecond(void); /* called by the clock's interrupt */

/* reset.c: why this start, as docs/wire.md's word; in ROM. */
rom_char *reset_word(void);

#endif
