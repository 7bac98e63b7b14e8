#include "die_parts.h"
#include "say.h"

static const uint8_t STUCK[NOISE_SOURCES] = {FAULT_ADC_STUCK, FAULT_WDT_STUCK};

static enum die_fault fault_of(uint8_t source, enum health_result result)
{
    if (source == NOISE_ADC)
        return result == HEALTH_RCT ? FAULT_ADC_RCT : FAULT_ADC_APT;
    return result == HEALTH_RCT ? FAULT_WDT_RCT : FAULT_WDT_APT;
}

static bool is_raw(const struct die *die, uint8_t source)
{
    return die->raw.left > 0 && die->raw.source == source;
}

static void keep_raw(struct raw *raw, uint8_t sample)
{
    if (raw->held < DIE_RAW_SAMPLES && raw->held < raw->left)
        raw->samples[raw->held++] = sample;
}

static void take(struct die *die, uint8_t source, uint8_t sample)
{
    enum health_result result = health_take(&die->health[source], sample);
    die->noise_ms[source] = die->now_ms;
    if (result != HEALTH_OK)
        die_fail(die, fault_of(source, result));
    if (is_raw(die, source))
        keep_raw(&die->raw, sample);
    else if (die->fault == FAULT_NONE)
        rng_add(&die->rng, (enum noise_source)source, sample);
}

static bool is_wanted(const struct die *die, uint8_t source)
{
    return source == NOISE_WDT || is_raw(die, source) || (die->fault == FAULT_NONE && !gather_ready(die));
}

static void watch(struct die *die, uint8_t source)
{
    if (!is_wanted(die, source))
        die->noise_ms[source] = die->now_ms;
    if (die->now_ms - die->noise_ms[source] >= DIE_NOISE_SILENT_MS)
        die_fail(die, (enum die_fault)STUCK[source]);
}

static void want_adc(struct die *die)
{
    bool wanted = is_wanted(die, NOISE_ADC);
    if (wanted != die->wants_adc)
        die->hal->noise_wanted(die->hal->ctx, wanted);
    die->wants_adc = wanted;
}

static void send_raw(struct die *die)
{
    struct raw *raw = &die->raw;
    if (raw->held == 0 || (raw->held < DIE_RAW_SAMPLES && raw->held < raw->left) || !say_raw(die))
        return;
    raw->sent = (uint16_t)(raw->sent + raw->held);
    raw->left = (uint16_t)(raw->left - raw->held);
    raw->held = 0;
}

void gather_begin(struct die *die)
{
    rng_begin(&die->rng);
    sha256_bytes(&die->rng.pool, die->uid, IDENTITY_BYTES);
    health_begin(&die->health[NOISE_ADC], NOISE_ADC);
    health_begin(&die->health[NOISE_WDT], NOISE_WDT);
}

void gather_step(struct die *die)
{
    uint8_t sample;
    want_adc(die);
    for (uint8_t source = 0; source < NOISE_SOURCES; source++) {
        if (die->hal->noise(die->hal->ctx, (enum noise_source)source, &sample))
            take(die, source, sample);
        watch(die, source);
    }
    send_raw(die);
}

bool gather_ready(const struct die *die)
{
    return health_ready(&die->health[NOISE_ADC]) && health_ready(&die->health[NOISE_WDT]) && rng_ready(&die->rng);
}
