#include <avr/interrupt.h>
#include <avr/io.h>

#include "board.h"

/* Data sheet, USART0, "Internal Clock Generation", double speed: 16 MHz / 8 / 17 = 117,647 baud, 2.1 % fast; normal speed would be 3.5 % slow. */
#define UBRR_115200 16

#define IN_MASK 127  /* the main loop's longest stop: a block of SHA-256, 7 ms, and a byte of EEPROM, 3.4 ms: 120 bytes */
#define OUT_MASK 127 /* holds one line of the longest kind */

static volatile uint8_t in[IN_MASK + 1], in_head, in_tail;
static volatile uint8_t out[OUT_MASK + 1], out_head, out_tail;

/* A byte with a framing error is given as 0, which no line holds. A full buffer drops what comes. */
ISR(USART_RX_vect)
{
    uint8_t broken = UCSR0A & _BV(FE0), byte = UDR0, next = (in_head + 1) & IN_MASK;
    if (next == in_tail)
        return;
    in[in_head] = broken ? 0 : byte;
    in_head = next;
}

ISR(USART_UDRE_vect)
{
    UDR0 = out[out_tail];
    out_tail = (out_tail + 1) & OUT_MASK;
    if (out_tail == out_head)
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
}

void uart_begin(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = UBRR_115200;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
}

int16_t uart_receive(void *ctx)
{
    uint8_t byte;
    (void)ctx;
    if (in_tail == in_head)
        return -1;
    byte = in[in_tail];
    in_tail = (in_tail + 1) & IN_MASK;
    return byte;
}

uint8_t uart_room(void *ctx)
{
    (void)ctx;
    return (out_tail - out_head - 1) & OUT_MASK;
}

void uart_send(void *ctx, const char *bytes, uint8_t len)
{
    (void)ctx;
    while (len--) {
        out[out_head] = (uint8_t)*bytes++;
        out_head = (out_head + 1) & OUT_MASK;
    }
    UCSR0B |= _BV(UDRIE0);
}
