/* The core as a PC program: the e-die without an AVR. The rig (rig/rig.c) gives it cable, finger, power and clock.
 *
 * Its noise is the system's own (/dev/urandom) unless --seed is given; then it is for tests, and any roll of it can be
 * foretold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/die.h"
#include "../../rig/device.h"

#define OUT_BYTES 127   /* as the ATmega328P's buffer */
#define WRITE_US 3400   /* as its EEPROM takes a byte */
#define ADC_US 104      /* as its converter takes a sample */
#define WDT_US 16000    /* as its watchdog fires */
#define BYTE_US 87      /* as its UART sends one */
#define POLL_US 96

struct host {
    struct hal hal;
    struct device device;
    struct die die;
    struct build build;
    uint64_t now_us, started_us;
    bool on;
    uint8_t in[256], in_head, in_tail;
    uint8_t out[256], out_head, out_tail;
    uint64_t sent_us;
    uint8_t inputs;
    uint8_t nv[NV_BYTES];
    uint64_t nv_busy_until_us;
    uint32_t writes, cut_after;
    enum cut_mode cut_mode;
    enum noise_mode noise[NOISE_SOURCES];
    uint64_t noise_us[NOISE_SOURCES];
    bool adc_wanted, seeded;
    uint64_t random;
    FILE *urandom;
    uint32_t ticks;
};

static struct host *of(void *ctx) { return ctx; }

/* The board's side. */

static uint32_t hal_millis(void *ctx) { return (uint32_t)((of(ctx)->now_us - of(ctx)->started_us) / 1000); }

static int16_t hal_receive(void *ctx)
{
    struct host *host = of(ctx);
    return host->in_tail == host->in_head ? (int16_t)-1 : host->in[host->in_tail++];
}

static uint8_t hal_room(void *ctx)
{
    struct host *host = of(ctx);
    return (uint8_t)(OUT_BYTES - (uint8_t)(host->out_head - host->out_tail));
}

static void hal_send(void *ctx, const char *bytes, uint8_t len)
{
    struct host *host = of(ctx);
    while (len--)
        host->out[host->out_head++] = (uint8_t)*bytes++;
}

static uint8_t hal_inputs(void *ctx) { return of(ctx)->inputs; }

static uint8_t random_byte(struct host *host)
{
    uint8_t byte = 0;
    if (host->seeded)
        return (uint8_t)(rig_random(&host->random) >> 32);
    if (fread(&byte, 1, 1, host->urandom) != 1) {
        fprintf(stderr, "edie-host: /dev/urandom gave nothing\n");
        exit(1);
    }
    return byte;
}

static bool hal_noise(void *ctx, enum noise_source source, uint8_t *sample)
{
    static const uint64_t PERIOD_US[NOISE_SOURCES] = {ADC_US, WDT_US};
    struct host *host = of(ctx);
    if (host->noise[source] == NOISE_SILENT || (source == NOISE_ADC && !host->adc_wanted))
        return false;
    if (host->now_us - host->noise_us[source] < PERIOD_US[source])
        return false;
    host->noise_us[source] = host->now_us;
    *sample = host->noise[source] == NOISE_STUCK ? 0 : random_byte(host);
    return true;
}

static void hal_noise_wanted(void *ctx, bool wanted) { of(ctx)->adc_wanted = wanted; }

static bool hal_nv_ready(void *ctx) { return of(ctx)->now_us >= of(ctx)->nv_busy_until_us; }
static uint8_t hal_nv_read(void *ctx, uint16_t at) { return of(ctx)->nv[at]; }

static void cut(struct host *host, uint16_t at, uint8_t byte)
{
    const uint8_t left[] = {host->nv[at], 0xFF, (uint8_t)(byte ^ 0x42), byte};
    host->nv[at] = left[host->cut_mode];
    host->cut_after = 0;
    host->on = false;
}

static void hal_nv_write(void *ctx, uint16_t at, uint8_t byte)
{
    struct host *host = of(ctx);
    if (!host->on)
        return;
    host->writes++;
    host->nv_busy_until_us = host->now_us + WRITE_US;
    if (host->cut_after > 0 && host->writes >= host->cut_after)
        cut(host, at, byte);
    else
        host->nv[at] = byte;
}

static void hal_show(void *ctx, const struct view *view)
{
    (void)ctx;
    rig_show(view->text, view->colon);
}

static void hal_tick(void *ctx) { of(ctx)->ticks++; }

/* The rig's side. */

static void send_byte(struct host *host)
{
    if (host->out_tail == host->out_head || host->now_us - host->sent_us < BYTE_US)
        return;
    host->sent_us = host->now_us;
    rig_from_die(host->out[host->out_tail++]);
}

/* The main loop of a board, once each POLL_US. */
static void run(void *ctx, uint32_t us)
{
    struct host *host = of(ctx);
    for (uint32_t left = us; left > 0; left -= left < POLL_US ? left : POLL_US) {
        host->now_us += left < POLL_US ? left : POLL_US;
        if (!host->on)
            continue;
        die_poll(&host->die);
        send_byte(host);
    }
}

static uint64_t time_us(void *ctx) { return of(ctx)->now_us; }

static void to_die(void *ctx, uint8_t byte, bool framing_error)
{
    struct host *host = of(ctx);
    if (host->on && (uint8_t)(host->in_head + 1) != host->in_tail)
        host->in[host->in_head++] = framing_error ? 0 : byte;
}

static void contact(void *ctx, enum contact which, bool closed)
{
    struct host *host = of(ctx);
    uint8_t bit = which == CONTACT_BUTTON ? INPUT_BUTTON : INPUT_SHAKE;
    host->inputs = (uint8_t)(closed ? host->inputs | bit : host->inputs & ~bit);
}

static void start(struct host *host, const char *cause)
{
    static const char *const CAUSES[] = {"por", "ext", "bod", "wdt"};
    host->build.reset = "sw";
    for (int i = 0; i < 4; i++)
        if (strcmp(cause, CAUSES[i]) == 0)
            host->build.reset = CAUSES[i];
    host->on = true;
    host->started_us = host->now_us;
    host->in_head = host->in_tail = host->out_head = host->out_tail = 0;
    host->adc_wanted = false;
    host->nv_busy_until_us = 0;
    die_begin(&host->die, &host->hal, &host->build);
}

static void reset(void *ctx, const char *cause)
{
    if (of(ctx)->on)
        start(of(ctx), cause);
}

static void power(void *ctx, bool on)
{
    struct host *host = of(ctx);
    if (on && !host->on)
        start(host, "por");
    host->on = on;
}

static bool powered(void *ctx) { return of(ctx)->on; }
static void noise(void *ctx, int source, enum noise_mode mode) { of(ctx)->noise[source] = mode; }

static void cut_at(void *ctx, uint32_t writes, enum cut_mode mode)
{
    struct host *host = of(ctx);
    host->writes = 0;
    host->cut_after = writes;
    host->cut_mode = mode;
}

static uint8_t *eeprom(void *ctx) { return of(ctx)->nv; }
static void eeprom_changed(void *ctx) { (void)ctx; }

static void figures(void *ctx, char *text)
{
    struct host *host = of(ctx);
    sprintf(text, "ticks=%u writes=%u unacked=%u", host->ticks, host->writes, host->die.rolls.unacked);
}

static struct device *begin(const struct rig_options *options)
{
    static struct host host;
    struct hal hal = {&host,     hal_millis,       hal_receive,  hal_room,    hal_send,     hal_inputs, hal_noise,
                      hal_noise_wanted, hal_nv_ready, hal_nv_read, hal_nv_write, hal_show,   hal_tick};
    struct device device = {&host,  run,     time_us, to_die, contact, reset,          power,
                            powered, noise, cut_at,  eeprom, eeprom_changed, figures};
    host.hal = hal;
    host.device = device;
    host.build.version = FIRMWARE_VERSION;
    host.build.hash = FIRMWARE_HASH;
    memset(host.nv, 0xFF, sizeof host.nv);
    host.random = options->seed;
    host.seeded = true;
    if (!options->seed_given) {
        host.seeded = false;
        host.urandom = fopen("/dev/urandom", "rb");
    }
    if (!host.seeded && host.urandom == NULL) {
        perror("/dev/urandom");
        return NULL;
    }
    return &host.device;
}

int main(int argc, char **argv) { return rig_main(argc, argv, begin); }
