#include <stddef.h>

#include "die_parts.h"
#include "say.h"
#include "words.h"

/* Take no more bytes than this in one poll, so that a flood does not stop the die. */
#define BYTES_A_POLL 32

static uint32_t sides_of(const struct line *line)
{
    uint8_t len;
    const char *value = line_value(line, K_DIE, &len);
    uint32_t sides = 0;
    if (value == NULL || len < 2 || len > 3 || value[0] != 'D' || value[1] == '0')
        return 0;
    for (uint8_t i = 1; i < len; i++)
        sides = sides * 10 + (uint8_t)(value[i] - '0');
    return play_has_sides(sides) ? sides : 0;
}

static bool is_done(const struct die *die, uint32_t req)
{
    return req == die->done_req || rolls_holds_req(&die->rolls, die->hal, req);
}

static bool is_busy(const struct die *die)
{
    return die->state == DIE_ROLLING || die->state == DIE_STORING || rolls_busy(&die->rolls) || die->raw.left > 0;
}

static void arm(struct die *die, const struct line *line, uint32_t req, uint8_t sides)
{
    die->has_nonce = line_hex32(line, K_NONCE, &die->nonce);
    if (die->req != req || die->sides != sides)
        die->value = 0;
    die->req = req;
    die->sides = sides;
    die->state = DIE_ARMED;
    say_armed(die);
}

static void hear_arm(struct die *die, const struct line *line)
{
    uint32_t req, sides = sides_of(line);
    if (!line_dec(line, K_REQ, UINT32_MAX, &req) || req == 0)
        return;
    if (sides == 0)
        say_no(die, req, NO_DIE);
    else if (die->state == DIE_FAULT)
        say_no(die, req, NO_FAULT);
    else if (is_busy(die))
        say_no(die, req, NO_BUSY);
    else if (is_done(die, req))
        say_no(die, req, NO_DONE);
    else if (rolls_full(&die->rolls))
        say_no(die, req, NO_FULL);
    else
        arm(die, line, req, (uint8_t)sides);
}

static void disarm(struct die *die)
{
    die->req = 0;
    if (die->state == DIE_ARMED)
        die->state = DIE_IDLE;
}

static void hear_disarm(struct die *die, const struct line *line)
{
    uint32_t req;
    if (line_dec(line, K_REQ, UINT32_MAX, &req) && req == die->req)
        disarm(die);
}

static void hear_ack(struct die *die, const struct line *line)
{
    uint32_t number;
    if (line_dec(line, K_ROLL, UINT32_MAX, &number))
        rolls_ack(&die->rolls, die->hal, number);
}

static void hear_ask_raw(struct die *die, const struct line *line)
{
    uint32_t count;
    bool adc = line_word_is(line, K_SRC, W_ADC), wdt = line_word_is(line, K_SRC, W_WDT);
    if (!line_dec(line, K_N, 65535u, &count) || !(adc || wdt) || die->state == DIE_ROLLING || die->state == DIE_STORING)
        return;
    struct raw raw = {.source = adc ? NOISE_ADC : NOISE_WDT, .left = (uint16_t)count};
    die->raw = raw;
}

/* A commitment that stands is said again; the host asks again where nothing is said. */
static void hear_commit(struct die *die)
{
    uint8_t bytes[RNG_BYTES];
    if (is_busy(die) || die->state == DIE_FAULT)
        return;
    if (rolls_seed(die->hal, bytes) != SEED_STANDS) {
        if (!rng_draw(&die->rng, bytes))
            return;
        rolls_keep_seed(&die->rolls, bytes);
    }
    die->fair_owed = true;
}

/* Spent before it is said: no roll comes of a seed that anybody knows. And not while rolls wait that came of it. */
static void hear_reveal(struct die *die)
{
    uint8_t bytes[RNG_BYTES];
    if (is_busy(die) || die->rolls.unacked > 0)
        return;
    if (rolls_seed(die->hal, bytes) == SEED_STANDS)
        rolls_spend_seed(&die->rolls);
    die->fair_owed = true;
}

/* False for a verb that is no host's: an echo of our own. */
static bool hear_own(struct die *die, const struct line *line)
{
    if (line_is(line, V_ARM))
        hear_arm(die, line);
    else if (line_is(line, V_DISARM))
        hear_disarm(die, line);
    else if (line_is(line, V_ACK))
        hear_ack(die, line);
    else if (line_is(line, V_BYE))
        disarm(die);
    else if (line_is(line, V_ASK_RAW))
        hear_ask_raw(die, line);
    else if (line_is(line, V_COMMIT))
        hear_commit(die);
    else if (line_is(line, V_REVEAL))
        hear_reveal(die);
    else
        return false;
    return true;
}

static void hear(struct die *die, const struct line *line)
{
    uint32_t boot;
    bool own = die->state != DIE_WAKING && line_hex32(line, K_BOOT, &boot) && boot == die->boot;
    if (line_is(line, V_ASK))
        die->hello_owed = own = true;
    else
        own = own && hear_own(die, line);
    if (own)
        link_heard(&die->link);
}

/* While an acknowledgement is being written the next line waits in the board's buffer: an ARM most often follows an
 * ACK, and would find the die busy. */
void hear_step(struct die *die)
{
    struct line line;
    for (uint8_t i = 0; i < BYTES_A_POLL && !rolls_acking(&die->rolls); i++) {
        int16_t byte = die->hal->receive(die->hal->ctx);
        if (byte < 0)
            break;
        if (framer_feed(&die->framer, (uint8_t)byte, &line) == LINE_OK)
            hear(die, &line);
    }
    if (die->hello_owed && die->state != DIE_WAKING && say_hello(die))
        die->hello_owed = false;
}
