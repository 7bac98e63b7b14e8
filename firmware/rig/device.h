/* What the rig needs of a die that runs on a PC, be it the core itself or the real ELF in an emulator.
 *
 * Time is the device's own and moves only in `run`. Bytes go in at the line's speed: the rig calls `to_die` for one
 * byte each DEVICE_BYTE_US. What the die sends comes back through `rig_from_die`, what it shows through `rig_show`.
 */
#ifndef DICETOWER_DEVICE_H
#define DICETOWER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* 8N1 at 115200: 86.8 us a byte; simavr 1.6 counts eleven bits, 95.5 us. */
#define DEVICE_BYTE_US 96

enum contact { CONTACT_BUTTON, CONTACT_SHAKE };
enum noise_mode { NOISE_GOOD, NOISE_STUCK, NOISE_SILENT };
enum cut_mode { CUT_OLD, CUT_ERASED, CUT_HALF, CUT_NEW }; /* what the cell holds when the power is gone */

struct device {
    void *ctx;
    void (*run)(void *ctx, uint32_t us);
    uint64_t (*time_us)(void *ctx);
    void (*to_die)(void *ctx, uint8_t byte, bool framing_error);
    void (*contact)(void *ctx, enum contact contact, bool closed);
    void (*reset)(void *ctx, const char *cause); /* ext, bod or wdt: memory and power stay */
    void (*power)(void *ctx, bool on);           /* off: all but the EEPROM is lost */
    bool (*powered)(void *ctx);
    /* source 0 is the ADC, 1 the watchdog. */
    void (*noise)(void *ctx, int source, enum noise_mode mode);
    /* Cut the power at the `writes`th byte written to the EEPROM from now; 0: never mind. */
    void (*cut)(void *ctx, uint32_t writes, enum cut_mode mode);
    uint8_t *(*eeprom)(void *ctx);         /* 1024 bytes; after changing them, `eeprom_changed` */
    void (*eeprom_changed)(void *ctx);
    /* Figures for a person, as words; at most 200 characters. */
    void (*figures)(void *ctx, char *text);
};

/* The rig's side. */
void rig_from_die(uint8_t byte);
void rig_show(const char text[4], bool colon);

/* Run the rig round a device: the program's main. `begin` makes the device once the options are known. */
struct rig_options {
    const char *control; /* "-" for stdin and stdout, or a path for a socket; NULL for none */
    const char *link;    /* a path that always leads to the present pty */
    const char *nv;      /* a file that keeps the EEPROM */
    const char *elf;
    const char *log;     /* a file that gets `<CLOCK_MONOTONIC, us> <line>` when a line's last byte has gone out */
    uint64_t seed;       /* not 0 */
    bool seed_given;
    bool stepped;
};
int rig_main(int argc, char **argv, struct device *(*begin)(const struct rig_options *options));

/* A seedable generator for noise and faults (xorshift64*): never the die's own randomness. */
uint64_t rig_random(uint64_t *state);

#endif
