#include "fake_hal.h"

#include <string.h>

static struct fake *of(void *ctx) { return ctx; }

static uint32_t millis(void *ctx) { return of(ctx)->now_ms; }

static int16_t receive(void *ctx)
{
    struct fake *fake = of(ctx);
    return fake->in_at < fake->in_len ? fake->in[fake->in_at++] : (int16_t)-1;
}

static uint8_t room(void *ctx) { return of(ctx)->room; }

static void send(void *ctx, const char *bytes, uint8_t len)
{
    struct fake *fake = of(ctx);
    if (fake->out_len + len < sizeof fake->out)
        memcpy(fake->out + fake->out_len, bytes, len);
    fake->out_len += len;
    fake->out[fake->out_len] = '\0';
}

static uint8_t inputs(void *ctx) { return of(ctx)->inputs; }

static uint8_t random_byte(struct fake *fake)
{
    fake->noise_state ^= fake->noise_state << 13;
    fake->noise_state ^= fake->noise_state >> 17;
    fake->noise_state ^= fake->noise_state << 5;
    return (uint8_t)(fake->noise_state >> 11);
}

static bool noise(void *ctx, enum noise_source source, uint8_t *sample)
{
    struct fake *fake = of(ctx);
    if (fake->noise_silent[source] || (source == NOISE_ADC && !fake->adc_wanted))
        return false;
    if (source == NOISE_WDT && fake->now_ms - fake->wdt_ms < 16)
        return false;
    if (source == NOISE_WDT)
        fake->wdt_ms = fake->now_ms;
    *sample = fake->noise_stuck[source] ? 0 : random_byte(fake);
    return true;
}

static void noise_wanted(void *ctx, bool wanted) { of(ctx)->adc_wanted = wanted; }

static bool nv_ready(void *ctx)
{
    struct fake *fake = of(ctx);
    if (fake->busy > 0)
        fake->busy--;
    return fake->busy == 0;
}

static uint8_t nv_read(void *ctx, uint16_t at) { return of(ctx)->nv[at]; }

static void write_cut(struct fake *fake, uint16_t at, uint8_t byte)
{
    fake->off = true;
    if (fake->cut == CUT_AFTER)
        fake->nv[at] = byte;
    if (fake->cut == CUT_ERASED)
        fake->nv[at] = 0xFF;
    if (fake->cut == CUT_HALF)
        fake->nv[at] = (uint8_t)(byte ^ 0x42);
}

static void nv_write(void *ctx, uint16_t at, uint8_t byte)
{
    struct fake *fake = of(ctx);
    if (fake->off)
        return;
    fake->busy = fake->busy_polls;
    if (fake->writes_left > 0)
        fake->writes_left--;
    if (fake->writes_left == 0) {
        write_cut(fake, at, byte);
    } else if (at != fake->broken_at) {
        fake->nv[at] = byte;
        fake->nv_writes[at]++;
    }
}

static void show(void *ctx, const struct view *view)
{
    of(ctx)->view = *view;
    of(ctx)->shows++;
}

static void tick(void *ctx) { of(ctx)->ticks++; }

void fake_begin(struct fake *fake, uint32_t seed)
{
    memset(fake, 0, sizeof *fake);
    memset(fake->nv, 0xFF, sizeof fake->nv);
    fake->noise_state = seed;
    fake->writes_left = fake->broken_at = -1;
    fake_power_up(fake);
}

void fake_power_up(struct fake *fake)
{
    struct hal hal = {fake,   millis,       receive,  room,    send,     inputs, noise,
                      noise_wanted, nv_ready, nv_read, nv_write, show,   tick};
    fake->hal = hal;
    fake->room = 255;
    fake->now_ms = fake->wdt_ms = 0;
    fake->in_at = fake->in_len = fake->out_len = 0;
    fake->out[0] = '\0';
    fake->inputs = 0;
    fake->off = fake->adc_wanted = false;
    fake->writes_left = -1;
    fake->busy = 0;
}

void fake_receive(struct fake *fake, const char *bytes)
{
    unsigned len = (unsigned)strlen(bytes);
    if (fake->in_at == fake->in_len)
        fake->in_at = fake->in_len = 0;
    if (fake->in_len + len <= sizeof fake->in)
        memcpy(fake->in + fake->in_len, bytes, len);
    fake->in_len += len;
}
