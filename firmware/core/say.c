#include "say.h"

#include "words.h"

/* Every line but HELLO begins with `boot`. */
static void begin(struct die *die, struct writer *writer, rom_char *verb)
{
    writer_begin(writer, die->seq, verb);
    writer_hex32(writer, K_BOOT, die->boot);
}

static bool send(struct die *die, struct writer *writer)
{
    uint8_t len = writer_end(writer);
    if (len == 0 || die->hal->room(die->hal->ctx) < len)
        return false;
    die->hal->send(die->hal->ctx, writer->buf, len);
    die->seq++;
    return true;
}

bool say_hello(struct die *die)
{
    struct writer writer;
    writer_begin(&writer, die->seq, V_HELLO);
    writer_word(&writer, K_V, W_VERSION);
    writer_hex(&writer, K_UID, die->uid, IDENTITY_BYTES);
    writer_hex32(&writer, K_BOOT, die->boot);
    writer_word(&writer, K_FW, die->build->version);
    writer_word(&writer, K_HASH, die->build->hash);
    writer_word(&writer, K_RST, die->build->reset);
    writer_word(&writer, K_CAP, W_CAPABILITIES);
    writer_dec(&writer, K_TORN, die->rolls.torn);
    return send(die, &writer);
}

static rom_char *state_word(const struct die *die)
{
    bool may_be_handled = die->state == DIE_IDLE || die->state == DIE_ARMED || die->state == DIE_ROLLED;
    return may_be_handled && die->motion.moving ? W_HANDLING : W_STATES[die->state];
}

bool say_heartbeat(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_HB);
    writer_dec(&writer, K_T, die->now_ms);
    writer_word(&writer, K_ST, state_word(die));
    writer_die(&writer, K_DIE, die->sides);
    writer_dec(&writer, K_LAST, die->rolls.newest);
    writer_dec(&writer, K_UNACKED, die->rolls.unacked);
    writer_dec(&writer, K_REQ, die->state == DIE_ROLLING || die->state == DIE_STORING ? die->roll_req : die->req);
    if (die->fault != FAULT_NONE)
        writer_word(&writer, K_FAULT, W_FAULTS[die->fault]);
    return send(die, &writer);
}

bool say_armed(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_ARMED);
    writer_dec(&writer, K_REQ, die->req);
    writer_die(&writer, K_DIE, die->sides);
    return send(die, &writer);
}

bool say_no(struct die *die, uint32_t req, enum no_why why)
{
    struct writer writer;
    begin(die, &writer, V_NO);
    writer_dec(&writer, K_REQ, req);
    writer_word(&writer, K_WHY, W_WHY[why]);
    return send(die, &writer);
}

bool say_start(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_START);
    writer_dec(&writer, K_REQ, die->roll_req);
    writer_die(&writer, K_DIE, die->sides);
    writer_dec(&writer, K_T, die->now_ms);
    return send(die, &writer);
}

bool say_roll(struct die *die, const struct roll *roll)
{
    struct writer writer;
    bool late = roll->number <= die->rolls.inherited;
    begin(die, &writer, V_ROLL);
    writer_dec(&writer, K_ROLL, roll->number);
    writer_die(&writer, K_DIE, roll->sides & (uint8_t)~ROLLS_FAIR);
    writer_dec(&writer, K_VAL, roll->value);
    writer_dec(&writer, K_REQ, roll->req);
    writer_dec(&writer, K_MS, roll->duration_ms);
    writer_word(&writer, K_H, W_OK); /* with any other health there is no roll */
    writer_dec(&writer, K_LATE, late);
    if (!late)
        writer_dec(&writer, K_T, roll->t_ms);
    if (roll->sides & ROLLS_FAIR)
        writer_dec(&writer, K_FAIR, 1);
    return send(die, &writer);
}

bool say_full(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_FULL);
    writer_dec(&writer, K_UNACKED, die->rolls.unacked);
    return send(die, &writer);
}

bool say_move(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_MOVE);
    writer_dec(&writer, K_T, die->now_ms);
    writer_dec(&writer, K_N, die->motion.contacts);
    return send(die, &writer);
}

bool say_fault(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_FAULT);
    writer_word(&writer, K_CODE, W_FAULTS[die->fault]);
    return send(die, &writer);
}

bool say_raw(struct die *die)
{
    struct writer writer;
    begin(die, &writer, V_RAW);
    writer_word(&writer, K_SRC, die->raw.source == NOISE_ADC ? W_ADC : W_WDT);
    writer_dec(&writer, K_I, die->raw.sent);
    writer_hex(&writer, K_X, die->raw.samples, die->raw.held);
    return send(die, &writer);
}

bool say_fair(struct die *die, enum seed_state state, const uint8_t bytes[RNG_BYTES])
{
    struct writer writer;
    begin(die, &writer, V_FAIR);
    if (state == SEED_STANDS)
        writer_hex(&writer, K_HASH, bytes, RNG_BYTES);
    else if (state == SEED_SPENT)
        writer_hex(&writer, K_SEED, bytes + FAIR_SEED_AT, ROLLS_SEED_BYTES);
    return send(die, &writer);
}
