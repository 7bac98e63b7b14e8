/* The real ELF in libsimavr: an emulated ATmega328P between the rig's cable, finger, power and clock (rig/rig.c).
 *
 * What an emulator cannot give is put in from a seed: noise on ADC0, and jitter when the watchdog fires. So it shows that
 * the firmware treats noise rightly, and nothing about a real board's noise.
 *
 * What simavr 1.6 needs to be told: it would sleep in real time, so `sleep` is replaced; a reset forgets pins and
 * timers, so contacts are raised again; MCUSR says nothing unless we write it; a cell of the EEPROM is written the
 * moment EEPE is set.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_interrupts.h>

#include "../rig/device.h"

#define MHZ 16
#define EEPROM_BYTES 1024
#define WATCHDOG_VECTOR 6
#define JITTER_CYCLES 1024 /* 64 us in 16 ms, 0.4 %; boards show more */

/* Data addresses, DS40002061B, "Register Summary". */
enum { EECR = 0x3F, EEARL = 0x41, EEARH = 0x42, MCUSR = 0x54, SPL = 0x5D, SPH = 0x5E, RAM_FIRST = 0x100, EEPE = 0x02 };
enum { PORF = 1, EXTRF = 2, BORF = 4, WDRF = 8 };
enum { PIN_BUTTON = 2, PIN_SHAKE = 3, PIN_CLK = 5, PIN_DIO = 6 };

#define UNTOUCHED 0xC5

/* What a TM1637 makes of its two wires. */
struct display {
    bool clk, dio, in_message;
    uint8_t byte, bits, address, segments[4];
    int bytes; /* of this message */
};

struct sim {
    struct device device;
    avr_t *avr;
    elf_firmware_t firmware;
    void (*core_reset)(avr_t *avr);
    struct display display;
    uint64_t base_us; /* the clock when avr->cycle was 0 */
    uint64_t random;
    bool on, was_reset;
    bool closed[2];
    enum noise_mode noise[2];
    uint8_t memory[EEPROM_BYTES];
    uint32_t writes, cut_after;
    enum cut_mode cut_mode;
    uint32_t starts;
    uint16_t static_end, lowest_sp;
};

static struct sim sim;

static uint64_t time_us(void *ctx)
{
    (void)ctx;
    return sim.base_us + sim.avr->cycle / MHZ;
}

/* The display. */

static char letter_of(uint8_t segments)
{
    static const uint8_t SEGMENTS[] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F,
                                       0x40, 0x08, 0x5E, 0x77, 0x71, 0x38, 0x3E, 0x00};
    static const char LETTERS[] = "0123456789-_dAFLU ";
    for (unsigned i = 0; i < sizeof SEGMENTS; i++)
        if (SEGMENTS[i] == (segments & 0x7F))
            return LETTERS[i];
    return '?';
}

static void display_shown(void)
{
    char text[4];
    for (int i = 0; i < 4; i++)
        text[i] = letter_of(sim.display.segments[i]);
    if (memcmp(text, "FA1L", 4) == 0)
        text[2] = 'I'; /* the same two segments */
    rig_show(text, (sim.display.segments[1] & 0x80) != 0);
}

static void display_byte(struct display *display, uint8_t byte)
{
    if (display->bytes++ == 0) {
        if ((byte & 0xC0) == 0xC0)
            display->address = byte & 3;
        return;
    }
    display->segments[display->address] = byte;
    display->address = (display->address + 1) & 3;
}

/* The eighth bit makes a byte; the ninth clock is the acknowledgement. */
static void display_clock(struct display *display)
{
    if (display->bits < 8)
        display->byte = (uint8_t)(display->byte >> 1 | (display->dio ? 0x80 : 0));
    if (++display->bits == 8)
        display_byte(display, display->byte);
    if (display->bits == 9)
        display->bits = 0;
}

static void display_wire(bool clk, bool dio)
{
    struct display *display = &sim.display;
    bool rising = clk && !display->clk, steady = clk && display->clk;
    bool began = steady && display->dio && !dio, ended = steady && !display->dio && dio;
    bool was_data = display->bytes > 1;
    display->clk = clk;
    display->dio = dio;
    if (rising && display->in_message)
        display_clock(display);
    if (ended && display->in_message && was_data)
        display_shown();
    if (began || ended) {
        display->in_message = began;
        display->bits = 0;
        display->bytes = 0;
    }
}

static void pin_changed(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    if (param == &sim.display.clk)
        display_wire(value != 0, sim.display.dio);
    else
        display_wire(sim.display.clk, value != 0);
}

/* Noise. */

static void adc_triggered(avr_irq_t *irq, uint32_t value, void *param)
{
    uint32_t millivolts = sim.noise[0] == NOISE_GOOD ? (uint32_t)(rig_random(&sim.random) >> 40) % 1100 : 500;
    (void)irq;
    (void)value;
    (void)param;
    avr_raise_irq(avr_io_getirq(sim.avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0), millivolts);
}

static void watchdog_fired(avr_irq_t *irq, uint32_t pending, void *param)
{
    (void)irq;
    (void)param;
    if (pending && sim.noise[1] == NOISE_GOOD)
        sim.avr->cycle += (rig_random(&sim.random) >> 40) % JITTER_CYCLES;
}

/* Serial line. */

static void byte_sent(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    (void)param;
    if (sim.on)
        rig_from_die((uint8_t)value);
}

static void to_die(void *ctx, uint8_t byte, bool framing_error)
{
    (void)ctx;
    if (sim.on)
        avr_raise_irq(avr_io_getirq(sim.avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT),
                      byte | (framing_error ? UART_INPUT_FE : 0u));
}

/* Memory. */

static void put_memory(void)
{
    avr_eeprom_desc_t all = {.ee = sim.memory, .offset = 0, .size = EEPROM_BYTES};
    avr_ioctl(sim.avr, AVR_IOCTL_EEPROM_SET, &all);
}

static void get_memory(void)
{
    avr_eeprom_desc_t all = {.ee = sim.memory, .offset = 0, .size = EEPROM_BYTES};
    avr_ioctl(sim.avr, AVR_IOCTL_EEPROM_GET, &all);
}

/* EECR was written: where that began a write, simavr has done it already; sim.memory still holds what was there. */
static void eecr_written(avr_irq_t *irq, uint32_t value, void *param)
{
    uint16_t at = (uint16_t)(sim.avr->data[EEARL] | sim.avr->data[EEARH] << 8) % EEPROM_BYTES;
    uint8_t before = sim.memory[at];
    (void)irq;
    (void)param;
    if (!(value & EEPE) || !sim.on)
        return;
    sim.writes++;
    get_memory();
    if (sim.cut_after == 0 || sim.writes < sim.cut_after)
        return;
    const uint8_t left[] = {before, 0xFF, (uint8_t)(sim.memory[at] ^ 0x42), sim.memory[at]};
    sim.memory[at] = left[sim.cut_mode];
    sim.cut_after = 0;
    sim.on = false;
}

static uint8_t *eeprom(void *ctx)
{
    (void)ctx;
    return sim.memory;
}

static void eeprom_changed(void *ctx)
{
    (void)ctx;
    put_memory();
}

static void cut_at(void *ctx, uint32_t writes, enum cut_mode mode)
{
    (void)ctx;
    sim.writes = 0;
    sim.cut_after = writes;
    sim.cut_mode = mode;
}

/* Pins, reset, power. */

/* An irq that has its value already does nothing, and a reset has cleared the pin's register meanwhile: so both ways. */
static void raise_pin(int pin, bool high)
{
    avr_irq_t *irq = avr_io_getirq(sim.avr, AVR_IOCTL_IOPORT_GETIRQ('D'), pin);
    avr_raise_irq(irq, !high);
    avr_raise_irq(irq, high);
}

/* Whenever the program writes PORTD, simavr gives the pull-ups their way again; an external level is stronger. */
static void hold_contacts(void)
{
    bool button = !sim.closed[CONTACT_BUTTON], shake = !sim.closed[CONTACT_SHAKE];
    avr_ioport_external_t level = {.name = 'D', .mask = 1 << PIN_BUTTON | 1 << PIN_SHAKE};
    level.value = (unsigned)button << PIN_BUTTON | (unsigned)shake << PIN_SHAKE;
    avr_ioctl(sim.avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('D'), &level);
    raise_pin(PIN_BUTTON, button);
    raise_pin(PIN_SHAKE, shake);
}

static void contact(void *ctx, enum contact which, bool closed)
{
    (void)ctx;
    sim.closed[which] = closed;
    hold_contacts();
}

/* Also when the watchdog bites: simavr calls avr_reset itself. */
static void core_was_reset(avr_t *avr)
{
    if (sim.core_reset)
        sim.core_reset(avr);
    sim.was_reset = true;
    sim.starts++;
}

static void restart(uint8_t cause)
{
    avr_reset(sim.avr);
    sim.avr->data[MCUSR] = cause;
}

static void reset(void *ctx, const char *cause)
{
    (void)ctx;
    if (sim.on)
        restart(strcmp(cause, "bod") == 0 ? BORF : EXTRF);
}

static void power(void *ctx, bool on)
{
    (void)ctx;
    if (on && !sim.on) {
        memset(sim.avr->data + RAM_FIRST, UNTOUCHED, sim.avr->ramend + 1u - RAM_FIRST);
        put_memory();
        sim.lowest_sp = sim.avr->ramend;
        restart(PORF);
    }
    sim.on = on;
}

static bool powered(void *ctx)
{
    (void)ctx;
    return sim.on;
}

static void noise(void *ctx, int source, enum noise_mode mode)
{
    (void)ctx;
    sim.noise[source] = mode;
}

/* Time. */

static void no_sleep(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr;
    (void)cycles;
}

static avr_cycle_count_t slice_ends(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)avr;
    (void)when;
    (void)param;
    return 0;
}

/* The deepest the stack has been since power came on. */
static void watch_stack(void)
{
    uint16_t sp = (uint16_t)(sim.avr->data[SPL] | sim.avr->data[SPH] << 8);
    if (sp > sim.static_end && sp < sim.lowest_sp)
        sim.lowest_sp = sp;
}

static void run(void *ctx, uint32_t us)
{
    avr_cycle_count_t end = sim.avr->cycle + (avr_cycle_count_t)us * MHZ;
    (void)ctx;
    if (!sim.on) {
        sim.base_us += us;
        return;
    }
    avr_cycle_timer_register(sim.avr, end - sim.avr->cycle, slice_ends, NULL); /* so that no sleep goes on beyond it */
    while (sim.on && sim.avr->cycle < end) {
        int state = avr_run(sim.avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "edie-sim: the program crashed at %#x\n", (unsigned)sim.avr->pc);
            exit(1);
        }
        watch_stack();
        if (sim.was_reset) {
            sim.was_reset = false;
            avr_extint_set_strict_lvl_trig(sim.avr, 0, 0); /* D2 and D3 are INT0 and INT1 too: else simavr asks for a */
            avr_extint_set_strict_lvl_trig(sim.avr, 1, 0); /* low level each cycle, though both are off */
            hold_contacts();
        }
    }
    avr_cycle_timer_cancel(sim.avr, slice_ends, NULL);
}

static void figures(void *ctx, char *text)
{
    unsigned variables = sim.static_end - RAM_FIRST;
    (void)ctx;
    sprintf(text, "starts=%u writes=%u variables=%u stack=%u", sim.starts, sim.writes, variables,
            sim.avr->ramend - sim.lowest_sp);
}

/* Start. */

static void quiet(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr;
    if (level == LOG_ERROR)
        vfprintf(stderr, format, arguments);
}

static uint16_t end_of_variables(const elf_firmware_t *firmware)
{
    for (uint32_t i = 0; i < firmware->symbolcount; i++)
        if (strcmp(firmware->symbol[i]->symbol, "_end") == 0)
            return (uint16_t)firmware->symbol[i]->addr;
    return RAM_FIRST;
}

static void hook(avr_irq_t *irq, avr_irq_notify_t callback, void *param)
{
    if (irq == NULL) {
        fprintf(stderr, "edie-sim: this libsimavr lacks a part of the ATmega328P\n");
        exit(1);
    }
    avr_irq_register_notify(irq, callback, param);
}

static void wire_up(avr_t *avr)
{
    uint32_t uart_flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &uart_flags);
    hook(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), byte_sent, NULL);
    hook(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER), adc_triggered, NULL);
    hook(avr_get_interrupt_irq(avr, WATCHDOG_VECTOR), watchdog_fired, NULL);
    hook(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), PIN_CLK), pin_changed, &sim.display.clk);
    hook(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), PIN_DIO), pin_changed, &sim.display.dio);
    hook(avr_iomem_getirq(avr, EECR, NULL, AVR_IOMEM_IRQ_ALL), eecr_written, NULL);
    avr->sleep = no_sleep;
    sim.core_reset = avr->reset;
    avr->reset = core_was_reset;
}

static bool load(const char *elf)
{
    if (elf == NULL || elf_read_firmware(elf, &sim.firmware) != 0) {
        fprintf(stderr, "edie-sim: --elf FILE: not an AVR program: %s\n", elf ? elf : "(none given)");
        return false;
    }
    sim.avr = avr_make_mcu_by_name("atmega328p");
    if (sim.avr == NULL || avr_init(sim.avr) != 0)
        return false;
    sim.firmware.frequency = MHZ * 1000000u;
    sim.firmware.avcc = sim.firmware.vcc = sim.firmware.aref = 5000;
    avr_load_firmware(sim.avr, &sim.firmware);
    sim.static_end = end_of_variables(&sim.firmware);
    return true;
}

static struct device *begin(const struct rig_options *options)
{
    struct device device = {&sim,    run,   time_us, to_die, contact,        reset,  power,
                            powered, noise, cut_at,  eeprom, eeprom_changed, figures};
    avr_global_logger_set(quiet);
    if (!load(options->elf))
        return NULL;
    sim.device = device;
    sim.random = options->seed;
    memset(sim.memory, 0xFF, sizeof sim.memory);
    wire_up(sim.avr);
    return &sim.device;
}

int main(int argc, char **argv) { return rig_main(argc, argv, begin); }
