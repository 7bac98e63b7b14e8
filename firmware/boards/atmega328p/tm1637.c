#include <avr/io.h>
#include <util/delay.h>

#include "board.h"

#define CLK _BV(PD5)
#define DIO _BV(PD6)
#define HALF_BIT_US 3 /* data sheet of the TM1637: at most 250 kHz */

/* Commands of the TM1637's data sheet: write data with the address going up; first address; display on, brightness. */
enum { WRITE_DATA = 0x40, FIRST_ADDRESS = 0xC0, DISPLAY_ON = 0x88, BRIGHTNESS = 4, COLON = 0x80 };

/* Segments a to g are bits 0 to 6. */
static ROM uint8_t DIGITS[10] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};
static ROM struct {
    char character;
    uint8_t segments;
} LETTERS[] = {{'-', 0x40}, {'_', 0x08}, {'d', 0x5E}, {'A', 0x77}, {'F', 0x71}, {'I', 0x06}, {'L', 0x38}, {'U', 0x3E}};

static void clk(uint8_t high)
{
    if (high)
        PORTD |= CLK;
    else
        PORTD &= (uint8_t)~CLK;
    _delay_us(HALF_BIT_US);
}

static void dio(uint8_t high)
{
    if (high)
        PORTD |= DIO;
    else
        PORTD &= (uint8_t)~DIO;
    _delay_us(HALF_BIT_US);
}

static void start(void)
{
    dio(0);
    clk(0);
}

static void stop(void)
{
    dio(0);
    clk(1);
    dio(1);
}

/* The ninth clock is the chip's own: it pulls DIO down, so the pin is an input then. Nobody waits for it: a die
 * whose display has come off rolls on. */
static void acknowledge(void)
{
    PORTD |= DIO;
    DDRD &= (uint8_t)~DIO;
    clk(1);
    clk(0);
    DDRD |= DIO;
}

static void put(uint8_t byte)
{
    for (uint8_t bit = 0; bit < 8; bit++, byte >>= 1) {
        dio(byte & 1);
        clk(1);
        clk(0);
    }
    acknowledge();
}

static void command(uint8_t byte)
{
    start();
    put(byte);
    stop();
}

static uint8_t segments_of(char c)
{
    if (c >= '0' && c <= '9')
        return DIGITS[c - '0'];
    for (uint8_t i = 0; i < sizeof LETTERS / sizeof LETTERS[0]; i++)
        if (LETTERS[i].character == c)
            return LETTERS[i].segments;
    return 0;
}

void display_begin(void)
{
    PORTD |= CLK | DIO;
    DDRD |= CLK | DIO;
}

void display_show(void *ctx, const struct view *view)
{
    (void)ctx;
    command(WRITE_DATA);
    start();
    put(FIRST_ADDRESS);
    for (uint8_t i = 0; i < 4; i++)
        put(segments_of(view->text[i]) | (i == 1 && view->colon ? COLON : 0));
    stop();
    command(DISPLAY_ON | BRIGHTNESS);
}
