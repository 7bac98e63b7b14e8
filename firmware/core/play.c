#include "die_parts.h"
#include "say.h"

static ROM uint8_t SIDES[] = {4, 6, 8, 10, 12, 20};
#define KINDS ((uint8_t)(sizeof SIDES / sizeof SIDES[0]))

bool play_has_sides(uint32_t sides)
{
    for (uint8_t i = 0; i < KINDS; i++)
        if (SIDES[i] == sides)
            return true;
    return false;
}

uint8_t play_next_sides(uint8_t sides)
{
    uint8_t i = 0;
    while (i < KINDS && SIDES[i] != sides)
        i++;
    i++;
    return SIDES[i < KINDS ? i : 0];
}

static void refuse_full(struct die *die)
{
    die->showing_full = true;
    die->full_ms = die->now_ms;
    say_full(die);
}

static void start(struct die *die)
{
    die->pressing = false;
    if (rolls_full(&die->rolls)) {
        refuse_full(die);
        return;
    }
    die->roll_req = die->req;
    die->value = 0;
    die->state = DIE_ROLLING;
    die->since_ms = die->now_ms;
    die->showing_full = false;
    say_start(die);
}

static void press(struct die *die)
{
    if (die->raw.left > 0)
        return;
    if (die->state == DIE_ARMED) {
        start(die);
        return;
    }
    die->pressing = true;
    die->since_ms = die->now_ms;
}

/* While an unarmed die is held: each long press more gives the next type. */
static void hold(struct die *die)
{
    if (die->now_ms - die->since_ms < DIE_LONG_PRESS_MS || die->state == DIE_ARMED)
        return;
    die->sides = play_next_sides(die->sides);
    die->since_ms = die->now_ms;
    die->value = 0;
    die->state = DIE_IDLE;
    die->long_press = true;
}

static void rest(struct die *die, enum edge edge)
{
    if (edge == EDGE_PRESSED) {
        die->long_press = false;
        press(die);
    }
    if (die->pressing && edge == EDGE_RELEASED) {
        die->pressing = false;
        if (!die->long_press)
            start(die);
    }
    if (die->pressing)
        hold(die);
}

static bool may_end(const struct die *die)
{
    uint32_t rolled_ms = die->now_ms - die->since_ms;
    if (rolled_ms >= DIE_ROLL_MAX_MS)
        return true;
    return rolled_ms >= DIE_ROLL_MIN_MS && !die->button.pressed && !die->motion.moving;
}

static void store(struct die *die, uint8_t value, uint8_t fair)
{
    uint32_t rolled_ms = die->now_ms - die->since_ms;
    die->duration_ms = (uint16_t)(rolled_ms > UINT16_MAX ? UINT16_MAX : rolled_ms);
    struct roll roll = {.req = die->roll_req,
                        .t_ms = die->now_ms,
                        .duration_ms = die->duration_ms,
                        .sides = die->sides | fair,
                        .value = value};
    rolls_add(&die->rolls, &roll);
    die->drawn = value;
    die->state = DIE_STORING;
}

/* The seed's value where the roll is for a request with the host's number, and a commitment stands; else 0. */
static uint8_t value_of_seed(struct die *die)
{
    struct ask ask = {.req = die->roll_req, .nonce = die->nonce, .sides = die->sides};
    return ask.req != 0 && die->has_nonce ? fair_value(&die->rng, die->hal, &ask) : 0;
}

static uint8_t value_of_noise(struct die *die)
{
    uint8_t bytes[RNG_BYTES];
    return rng_draw(&die->rng, bytes) ? rng_value(bytes, die->sides) : 0;
}

/* A roll of the seed waits for healthy noise too, though it takes none. */
static void roll(struct die *die)
{
    uint8_t value, fair = ROLLS_FAIR;
    if (!may_end(die) || rolls_busy(&die->rolls) || !gather_ready(die))
        return;
    value = value_of_seed(die);
    if (value == 0) {
        fair = 0;
        value = value_of_noise(die);
    }
    if (value != 0)
        store(die, value, fair);
}

static void reveal(struct die *die)
{
    die->value = die->drawn;
    if (die->roll_req != 0)
        die->done_req = die->roll_req;
    die->req = 0;
    if (die->state == DIE_STORING) /* else a fault came meanwhile; the roll is good, and is delivered */
        die->state = DIE_ROLLED;
    die->hal->tick(die->hal->ctx);
}

static void save(struct die *die)
{
    switch (rolls_step(&die->rolls, die->hal)) {
    case ROLLS_ADDED:
        reveal(die);
        break;
    case ROLLS_FAILED:
        die_fail(die, FAULT_STORE);
        break;
    default:
        break;
    }
}

static void refuse_fault(struct die *die, enum edge edge)
{
    if (edge == EDGE_PRESSED)
        say_fault(die);
}

void play_step(struct die *die)
{
    uint8_t inputs = die->hal->inputs(die->hal->ctx);
    enum edge edge = debounce_step(&die->button, (inputs & INPUT_BUTTON) != 0, (uint16_t)die->now_ms);
    motion_step(&die->motion, (inputs & INPUT_SHAKE) != 0, die->now_ms);
    if (die->state == DIE_FAULT)
        refuse_fault(die, edge);
    else if (die->state == DIE_ROLLING)
        roll(die);
    else if (die->state == DIE_IDLE || die->state == DIE_ARMED || die->state == DIE_ROLLED)
        rest(die, edge);
    save(die);
}
