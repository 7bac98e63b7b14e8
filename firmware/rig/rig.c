/* The rig round a die on a PC: its cable, its finger, its power and its clock.
 *
 * Commands, one a line; each is answered by `ok`, perhaps with words, or `error` and a sentence:
 *
 *     press | release               the button
 *     shake N                       N contacts of the shake switch, ten a second, while time goes on
 *     reset | brownout              as the reset pin and a dip of the supply do it; opening a real port resets too
 *     unplug | plug                 power and cable; `plug` answers with the pty's name
 *     cut N old|erased|half|new     unplug in the middle of the Nth byte written to the EEPROM from now
 *     noise adc|wdt good|stuck|silent
 *     garbage HEX                   bytes to the host that the die never sent
 *     framing                       a byte to the die with a broken stop bit
 *     link out|in [lose=P] [flip=P] [repeat=P] [cut=P] [delay=MS]    faults a line, from the die or to it; none: a good line
 *     display                       what it shows
 *     eeprom                        the memory, in hexadecimal
 *     poke AT HEX                   change the memory
 *     figures                       what the device counts
 *     time                          microseconds since start
 *     quit
 *
 * Stepped (--stepped) there is no pty and time moves only when told:
 *
 *     uart HEX                      bytes to the die, at the line's speed
 *     step MS                       time goes on; answers first `rx US HEX` for each run of bytes that came, and
 *                                   `show US TEXT` for each picture, then `ok US`
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "badlink.h"
#include "control.h"
#include "device.h"
#include "terminal.h"

#define EEPROM_BYTES 1024
#define RX_MAX 65536
#define QUIET_SLICE_US 1000

struct rig {
    struct rig_options options;
    struct device *device;
    struct control control;
    struct terminal terminal;
    struct badlink out, in; /* from the die, to the die */
    char shown[6];          /* "20:17" */
    /* Stepped: what came since the last answer. */
    uint8_t rx[RX_MAX];
    size_t rx_len;
    uint64_t rx_us, last_rx_us;
    unsigned shakes_left;
    uint64_t shake_us;
    bool broken_byte; /* the next byte to the die has a framing error */
    bool done;
};

static struct rig rig;
static volatile sig_atomic_t stopped;

uint64_t rig_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717ull;
}

static uint64_t now_us(void) { return rig.device->time_us(rig.device->ctx); }

/* The die's side. */

void rig_from_die(uint8_t byte) { badlink_put(&rig.out, byte, now_us()); }

static void say_rx(void)
{
    static char hex[2 * RX_MAX + 1];
    if (rig.rx_len == 0)
        return;
    for (size_t i = 0; i < rig.rx_len; i++)
        sprintf(hex + 2 * i, "%02x", rig.rx[i]);
    control_say(&rig.control, "rx %llu %s", (unsigned long long)rig.rx_us, hex);
    rig.rx_len = 0;
}

void rig_show(const char text[4], bool colon)
{
    snprintf(rig.shown, sizeof rig.shown, "%.2s%s%.2s", text, colon ? ":" : "", text + 2);
    if (!rig.options.stepped)
        return;
    say_rx();
    control_say(&rig.control, "show %llu %s", (unsigned long long)now_us(), rig.shown);
}

static uint64_t wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000;
}

static void keep_log(uint8_t byte)
{
    static char line[256];
    static size_t len;
    static FILE *file;
    if (len < sizeof line - 1)
        line[len++] = (char)byte;
    if (byte != '\n')
        return;
    line[len] = '\0';
    len = 0;
    if (file == NULL)
        file = fopen(rig.options.log, "a");
    if (file != NULL && fprintf(file, "%llu %s", (unsigned long long)wall_us(), line) > 0)
        fflush(file);
}

/* Bytes that have got through the link: to the pty, or kept for the answer to `step`. */
static void to_host(uint8_t byte)
{
    if (!rig.options.stepped) {
        if (rig.terminal.master >= 0 && write(rig.terminal.master, &byte, 1) < 0 && errno != EAGAIN)
            perror("pty");
        if (rig.options.log)
            keep_log(byte);
        return; /* nobody reads: the byte is gone, as on a real adapter */
    }
    if (rig.rx_len > 0 && (now_us() - rig.last_rx_us > 1000 || rig.rx_len == RX_MAX))
        say_rx();
    if (rig.rx_len == 0)
        rig.rx_us = now_us();
    rig.last_rx_us = now_us();
    rig.rx[rig.rx_len++] = byte;
}

static void from_host(void)
{
    uint8_t bytes[4096];
    ssize_t got = rig.terminal.master < 0 ? 0 : read(rig.terminal.master, bytes, sizeof bytes);
    for (ssize_t i = 0; i < got; i++)
        badlink_put(&rig.in, bytes[i], now_us());
}

static void shake(void)
{
    if (rig.shakes_left == 0 || now_us() < rig.shake_us)
        return;
    rig.shakes_left--;
    rig.shake_us = now_us() + 50000;
    rig.device->contact(rig.device->ctx, CONTACT_SHAKE, rig.shakes_left % 2 == 1);
}

/* A power cut inside the device pulls the cable too. */
static void notice_cut(void)
{
    if (!rig.device->powered(rig.device->ctx) && rig.terminal.master >= 0 && !rig.options.stepped)
        terminal_close(&rig.terminal, rig.options.link);
}

/* How long the device may run by itself: a byte's time while bytes go in, else a millisecond. */
static uint32_t slice_us(uint64_t left_us)
{
    uint32_t slice = rig.in.head == rig.in.tail ? QUIET_SLICE_US : DEVICE_BYTE_US;
    return left_us < slice && left_us > DEVICE_BYTE_US ? (uint32_t)left_us : slice;
}

/* Let `us` go by. */
static void run(uint64_t us)
{
    uint64_t end = now_us() + us;
    while (now_us() < end && !rig.done) {
        int byte = badlink_take(&rig.in, now_us());
        if (byte >= 0) {
            rig.device->to_die(rig.device->ctx, (uint8_t)byte, rig.broken_byte);
            rig.broken_byte = false;
        }
        rig.device->run(rig.device->ctx, slice_us(end - now_us()));
        shake();
        while ((byte = badlink_take(&rig.out, now_us())) >= 0)
            to_host((uint8_t)byte);
        notice_cut();
    }
}

/* Commands. */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Turn hexadecimal into bytes, in place. How many, or -1. */
static int from_hex(char *text)
{
    int count = 0;
    for (; text[2 * count]; count++) {
        int high = hex_digit(text[2 * count]), low = high < 0 ? -1 : hex_digit(text[2 * count + 1]);
        if (low < 0)
            return -1;
        text[count] = (char)(high << 4 | low);
    }
    return count;
}

static const char *word(void)
{
    const char *next = strtok(NULL, " ");
    return next ? next : "";
}

static char *hex_word(int *count)
{
    char *text = strtok(NULL, " ");
    *count = text ? from_hex(text) : -1;
    return text;
}

static bool ok(void)
{
    control_say(&rig.control, "ok");
    return true;
}

static bool do_press(void) { return rig.device->contact(rig.device->ctx, CONTACT_BUTTON, true), ok(); }
static bool do_release(void) { return rig.device->contact(rig.device->ctx, CONTACT_BUTTON, false), ok(); }
static bool do_reset(void) { return rig.device->reset(rig.device->ctx, "ext"), ok(); }
static bool do_brownout(void) { return rig.device->reset(rig.device->ctx, "bod"), ok(); }
static bool do_quit(void) { return rig.done = true, ok(); }

static bool do_shake(void)
{
    rig.shakes_left = (unsigned)atoi(word()) * 2;
    rig.shake_us = now_us();
    return ok();
}

static bool do_unplug(void)
{
    rig.device->power(rig.device->ctx, false);
    rig.out.head = rig.out.tail = rig.in.head = rig.in.tail = 0;
    rig.out.line_len = rig.in.line_len = 0;
    notice_cut();
    return ok();
}

static bool do_plug(void)
{
    rig.device->power(rig.device->ctx, true);
    if (rig.options.stepped)
        return ok();
    if (rig.terminal.master < 0 && terminal_open(&rig.terminal, rig.options.link) != 0)
        return false;
    control_say(&rig.control, "ok %s", rig.terminal.name);
    return true;
}

static int choice(const char *said, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(said, names[i]) == 0)
            return i;
    return -1;
}

static bool do_cut(void)
{
    static const char *const MODES[] = {"old", "erased", "half", "new", NULL};
    uint32_t writes = (uint32_t)atol(word());
    int mode = choice(word(), MODES);
    if (mode < 0)
        return false;
    rig.device->cut(rig.device->ctx, writes, (enum cut_mode)mode);
    return ok();
}

static bool do_noise(void)
{
    static const char *const SOURCES[] = {"adc", "wdt", NULL}, *const MODES[] = {"good", "stuck", "silent", NULL};
    int source = choice(word(), SOURCES), mode = choice(word(), MODES);
    if (source < 0 || mode < 0)
        return false;
    rig.device->noise(rig.device->ctx, source, (enum noise_mode)mode);
    return ok();
}

static bool do_garbage(void)
{
    int count;
    const char *bytes = hex_word(&count);
    for (int i = 0; i < count; i++)
        to_host((uint8_t)bytes[i]);
    return count >= 0 && ok();
}

static bool do_uart(void)
{
    int count;
    const char *bytes = hex_word(&count);
    for (int i = 0; i < count; i++)
        badlink_put(&rig.in, (uint8_t)bytes[i], now_us());
    return count >= 0 && ok();
}

static bool do_framing(void)
{
    rig.broken_byte = true;
    badlink_put(&rig.in, 0xFF, now_us());
    return ok();
}

static bool set_fault(struct badlink *link, const char *setting)
{
    double value = strchr(setting, '=') ? atof(strchr(setting, '=') + 1) : -1;
    if (value < 0)
        return false;
    if (strncmp(setting, "lose=", 5) == 0)
        link->lose = value;
    else if (strncmp(setting, "flip=", 5) == 0)
        link->flip = value;
    else if (strncmp(setting, "repeat=", 7) == 0)
        link->repeat = value;
    else if (strncmp(setting, "cut=", 4) == 0)
        link->cut = value;
    else if (strncmp(setting, "delay=", 6) == 0)
        link->delay_ms = (uint32_t)value;
    else
        return false;
    return true;
}

static bool do_link(void)
{
    static const char *const ENDS[] = {"out", "in", NULL};
    int end = choice(word(), ENDS);
    struct badlink *link = end == 0 ? &rig.out : &rig.in;
    if (end < 0)
        return false;
    link->lose = link->flip = link->repeat = link->cut = 0;
    link->delay_ms = 0;
    for (const char *setting = word(); *setting; setting = word())
        if (!set_fault(link, setting))
            return false;
    return ok();
}

static bool do_step(void)
{
    double ms = atof(word());
    if (!rig.options.stepped || ms <= 0)
        return false;
    run((uint64_t)(ms * 1000));
    say_rx();
    control_say(&rig.control, "ok %llu", (unsigned long long)now_us());
    return true;
}

static bool do_display(void)
{
    control_say(&rig.control, "ok %s", rig.shown);
    return true;
}

static bool do_time(void)
{
    control_say(&rig.control, "ok %llu", (unsigned long long)now_us());
    return true;
}

static bool do_eeprom(void)
{
    char hex[2 * EEPROM_BYTES + 1];
    const uint8_t *memory = rig.device->eeprom(rig.device->ctx);
    for (int i = 0; i < EEPROM_BYTES; i++)
        sprintf(hex + 2 * i, "%02x", memory[i]);
    control_say(&rig.control, "ok %s", hex);
    return true;
}

static bool do_poke(void)
{
    int count;
    long at = atol(word());
    const char *bytes = hex_word(&count);
    if (count < 0 || at < 0 || at + count > EEPROM_BYTES)
        return false;
    memcpy(rig.device->eeprom(rig.device->ctx) + at, bytes, (size_t)count);
    rig.device->eeprom_changed(rig.device->ctx);
    return ok();
}

static bool do_figures(void)
{
    char text[256];
    rig.device->figures(rig.device->ctx, text);
    control_say(&rig.control, "ok %s", text);
    return true;
}

static const struct {
    const char *name;
    bool (*act)(void);
} COMMANDS[] = {
    {"press", do_press},     {"release", do_release}, {"shake", do_shake},     {"reset", do_reset},
    {"brownout", do_brownout}, {"unplug", do_unplug}, {"plug", do_plug},       {"cut", do_cut},
    {"noise", do_noise},     {"garbage", do_garbage}, {"framing", do_framing}, {"link", do_link},
    {"display", do_display}, {"eeprom", do_eeprom},   {"poke", do_poke},       {"figures", do_figures},
    {"time", do_time},       {"quit", do_quit},       {"uart", do_uart},       {"step", do_step},
};

static void obey(char *line)
{
    const char *name = strtok(line, " ");
    for (size_t i = 0; name && i < sizeof COMMANDS / sizeof COMMANDS[0]; i++)
        if (strcmp(name, COMMANDS[i].name) == 0) {
            if (!COMMANDS[i].act())
                control_say(&rig.control, "error %s: its words are not understood, or it is not for this mode", name);
            return;
        }
    control_say(&rig.control, "error no such command: %s", name ? name : "");
}

static void obey_all(void)
{
    for (char *line = control_line(&rig.control); line; line = control_line(&rig.control))
        obey(line);
}

/* The loops. */

static void wait_and_read(int timeout_ms)
{
    struct pollfd fds[2] = {{control_wait_on(&rig.control), POLLIN, 0}, {rig.terminal.master, POLLIN, 0}};
    if (poll(fds, 2, timeout_ms) <= 0)
        return;
    if (fds[1].revents & POLLIN)
        from_host();
    if (fds[0].revents)
        control_read(&rig.control);
    obey_all();
}

static void real_time(void)
{
    uint64_t offset = wall_us() - now_us();
    while (!rig.done && !stopped) {
        wait_and_read(1);
        uint64_t behind = wall_us() - offset - now_us();
        if (behind > 1u << 31 || behind < DEVICE_BYTE_US)
            continue;
        if (behind > 200000) { /* the machine was busy: slow down rather than rush */
            offset += behind - 200000;
            behind = 200000;
        }
        run(behind);
    }
}

static void stepped(void)
{
    while (!rig.done && !stopped && !rig.control.ended)
        wait_and_read(1000);
}

/* Start and end. */

static bool read_options(int argc, char **argv, struct rig_options *options)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--stepped") == 0)
            options->stepped = true;
        else if (more && strcmp(argv[i], "--control") == 0)
            options->control = argv[++i];
        else if (more && strcmp(argv[i], "--link") == 0)
            options->link = argv[++i];
        else if (more && strcmp(argv[i], "--nv") == 0)
            options->nv = argv[++i];
        else if (more && strcmp(argv[i], "--elf") == 0)
            options->elf = argv[++i];
        else if (more && strcmp(argv[i], "--log") == 0)
            options->log = argv[++i];
        else if (more && strcmp(argv[i], "--seed") == 0)
            options->seed_given = (options->seed = strtoull(argv[++i], NULL, 10)) != 0;
        else
            return false;
    }
    return true;
}

static uint64_t system_seed(void)
{
    uint64_t seed = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    if (file && fread(&seed, sizeof seed, 1, file) == 1)
        fclose(file);
    return seed | 1;
}

static void load_memory(void)
{
    FILE *file = rig.options.nv ? fopen(rig.options.nv, "rb") : NULL;
    if (file == NULL)
        return;
    if (fread(rig.device->eeprom(rig.device->ctx), 1, EEPROM_BYTES, file) == EEPROM_BYTES)
        rig.device->eeprom_changed(rig.device->ctx);
    fclose(file);
}

static void save_memory(void)
{
    FILE *file = rig.options.nv ? fopen(rig.options.nv, "wb") : NULL;
    if (file == NULL)
        return;
    fwrite(rig.device->eeprom(rig.device->ctx), 1, EEPROM_BYTES, file);
    fclose(file);
}

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static int begin(struct device *(*begin_device)(const struct rig_options *options))
{
    rig.terminal.master = rig.terminal.slave = -1;
    rig.out.random = rig.options.seed ^ 0x6f75742d6f757421u;
    rig.in.random = rig.options.seed ^ 0x696e2d696e2d696eu;
    rig.device = begin_device(&rig.options);
    if (rig.device == NULL)
        return 1;
    load_memory();
    rig.device->power(rig.device->ctx, true);
    if (control_open(&rig.control, rig.options.control) != 0) {
        perror(rig.options.control);
        return 1;
    }
    if (!rig.options.stepped && terminal_open(&rig.terminal, rig.options.link) != 0) {
        perror(rig.options.link ? rig.options.link : "pty");
        return 1;
    }
    return 0;
}

int rig_main(int argc, char **argv, struct device *(*begin_device)(const struct rig_options *options))
{
    if (!read_options(argc, argv, &rig.options)) {
        fprintf(stderr, "usage: %s [--stepped] [--control -|PATH] [--link PATH] [--nv FILE] [--elf FILE] [--log FILE] [--seed N]\n",
                argv[0]);
        return 2;
    }
    if (rig.options.seed == 0)
        rig.options.seed = system_seed();
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    signal(SIGPIPE, SIG_IGN);
    if (begin(begin_device) != 0)
        return 1;
    control_say(&rig.control, "ok %s", rig.options.stepped ? "stepped" : rig.terminal.name);
    if (!rig.options.stepped && rig.options.control == NULL) {
        printf("%s\n", rig.terminal.name);
        fflush(stdout);
    }
    if (rig.options.stepped)
        stepped();
    else
        real_time();
    save_memory();
    terminal_close(&rig.terminal, rig.options.link);
    control_close(&rig.control, rig.options.control);
    return 0;
}
