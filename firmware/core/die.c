#include "die.h"

#include <string.h>

#include "die_parts.h"
#include "say.h"

#define FIRST_SIDES 6

void die_begin(struct die *die, const struct hal *hal, const struct build *build)
{
    memset(die, 0, sizeof *die);
    die->hal = hal;
    die->build = build;
    die->sides = FIRST_SIDES;
    die->now_ms = hal->millis(hal->ctx);
    die->noise_ms[NOISE_ADC] = die->noise_ms[NOISE_WDT] = die->now_ms;
    die->id_known = identity_read(hal, die->uid);
    rolls_open(&die->rolls, hal);
    gather_begin(die);
}

static uint32_t first_word(const uint8_t bytes[RNG_BYTES])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void die_awake(struct die *die, const uint8_t random[RNG_BYTES])
{
    die->boot = first_word(random);
    die->awake = true;
    die->beat_ms = die->now_ms;
}

void die_fail(struct die *die, enum die_fault fault)
{
    uint8_t random[RNG_BYTES];
    if (die->fault != FAULT_NONE)
        return;
    if (!die->awake) {
        rng_abandon(&die->rng, random);
        die_awake(die, random);
    }
    die->fault = (uint8_t)fault;
    die->state = DIE_FAULT;
    die->req = 0;
    die->said_ms = die->now_ms - DIE_FAULT_AGAIN_MS;
}

/* Waking, first part: draw what names this run, and the id if there is none. */
static void wake(struct die *die)
{
    uint8_t random[RNG_BYTES];
    if (!gather_ready(die) || !rng_draw(&die->rng, random))
        return;
    die_awake(die, random);
    if (!die->id_known)
        memcpy(die->uid, random + 8, IDENTITY_BYTES);
}

/* Waking, second part: nothing is said before the id is safe. */
static void keep_id(struct die *die)
{
    switch (identity_write(die->hal, die->uid, &die->id_step, &die->id_written)) {
    case NV_DONE:
        die->id_known = true;
        die->state = DIE_IDLE;
        break;
    case NV_FAILED:
        memset(die->uid, 0, IDENTITY_BYTES);
        die_fail(die, FAULT_STORE);
        break;
    default:
        break;
    }
}

static void send_roll(struct die *die)
{
    struct roll roll;
    if (rolls_busy(&die->rolls) || !die->hal->nv_ready(die->hal->ctx))
        return;
    if (!link_due(&die->link, die->rolls.oldest, die->now_ms))
        return;
    if (rolls_read(die->hal, die->rolls.oldest, &roll) && say_roll(die, &roll))
        link_sent(&die->link, die->now_ms);
}

/* The commitment is hashed anew each time: so only when its line fits. */
static void send_fair(struct die *die)
{
    uint8_t bytes[RNG_BYTES];
    if (!die->fair_owed || rolls_busy(&die->rolls) || die->hal->room(die->hal->ctx) < SAY_FAIR_ROOM)
        return;
    enum seed_state state = rolls_seed(die->hal, bytes + FAIR_SEED_AT);
    if (state == SEED_STANDS)
        fair_commitment(&die->rng, bytes);
    die->fair_owed = false;
    say_fair(die, state, bytes);
}

static bool every(struct die *die, uint32_t *last_ms, uint16_t period_ms)
{
    if (die->now_ms - *last_ms < period_ms)
        return false;
    *last_ms = die->now_ms;
    return true;
}

static void speak(struct die *die)
{
    send_roll(die);
    send_fair(die);
    if (every(die, &die->beat_ms, DIE_HEARTBEAT_MS))
        say_heartbeat(die);
    if (die->state == DIE_FAULT) {
        if (every(die, &die->said_ms, DIE_FAULT_AGAIN_MS))
            say_fault(die);
    } else if (die->motion.moving && die->state != DIE_ROLLING && every(die, &die->said_ms, DIE_MOVE_AGAIN_MS)) {
        say_move(die);
    }
}

static void show(struct die *die)
{
    struct view view = face_of(die);
    if (die->showing_full && die->now_ms - die->full_ms >= DIE_FULL_SHOWN_MS)
        die->showing_full = false;
    if (memcmp(view.text, die->shown.text, sizeof view.text) == 0 && view.colon == die->shown.colon)
        return;
    die->shown = view;
    die->hal->show(die->hal->ctx, &view);
    if (die->state == DIE_ROLLING)
        die->hal->tick(die->hal->ctx);
}

void die_poll(struct die *die)
{
    die->now_ms = die->hal->millis(die->hal->ctx);
    gather_step(die);
    if (die->state == DIE_WAKING && !die->awake)
        wake(die);
    else if (die->state == DIE_WAKING)
        keep_id(die);
    hear_step(die);
    play_step(die);
    if (die->state != DIE_WAKING)
        speak(die);
    show(die);
}

bool die_may_sleep(const struct die *die)
{
    return !die->wants_adc && die->state != DIE_WAKING;
}
