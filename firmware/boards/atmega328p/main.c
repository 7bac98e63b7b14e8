/* The e-die on an ATmega328P. All that it does is in core; here the board is put together. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "../../core/die.h"
#include "board.h"

static ROM char VERSION_TEXT[] = FIRMWARE_VERSION, HASH_TEXT[] = FIRMWARE_HASH;

static struct die die;
static const struct hal HAL = {
    .ctx = 0,
    .millis = clock_millis,
    .receive = uart_receive,
    .room = uart_room,
    .send = uart_send,
    .inputs = contacts_read,
    .noise = noise_sample,
    .noise_wanted = noise_wanted,
    .nv_ready = eeprom_ready,
    .nv_read = eeprom_read,
    .nv_write = eeprom_write,
    .show = display_show,
    .tick = piezo_tick,
};

static void begin(void)
{
    static struct build build;
    clock_begin();
    uart_begin();
    contacts_begin();
    display_begin();
    piezo_begin();
    noise_begin();
    sei();
    build.version = VERSION_TEXT;
    build.hash = HASH_TEXT;
    build.reset = reset_word();
    die_begin(&die, &HAL, &build);
}

int main(void)
{
    begin();
    set_sleep_mode(SLEEP_MODE_IDLE);
    for (;;) {
        die_poll(&die);
        noise_alive();
        if (die_may_sleep(&die))
            sleep_mode(); /* the clock's interrupt ends it within a millisecond */
    }
}
