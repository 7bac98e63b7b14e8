#include "rolls.h"

#include <string.h>

#include "crc.h"
#include "nv.h"

enum { AT_REQ = 4, AT_T = 8, AT_MS = 12, AT_SIDES = 14, AT_VALUE = 15, AT_CRC = 16, AT_STATE = 18 };
enum { STATE_WRITING = 0xFF, STATE_UNACKED = 0xA5, STATE_ACKED = 0x00 };

enum slot_kind { SLOT_BLANK, SLOT_TORN, SLOT_UNACKED, SLOT_ACKED };

static uint16_t slot_of(uint32_t number)
{
    return (uint16_t)(ROLLS_AT + (uint16_t)(number % ROLLS_SLOTS) * ROLLS_SLOT_BYTES);
}

static void put32(uint8_t *to, uint32_t value)
{
    for (uint8_t i = 0; i < 4; i++, value >>= 8)
        to[i] = (uint8_t)value;
}

static uint32_t get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint16_t get16(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

static void pack(const struct roll *roll, uint8_t bytes[AT_STATE])
{
    put32(bytes, roll->number);
    put32(bytes + AT_REQ, roll->req);
    put32(bytes + AT_T, roll->t_ms);
    bytes[AT_MS] = (uint8_t)roll->duration_ms;
    bytes[AT_MS + 1] = (uint8_t)(roll->duration_ms >> 8);
    bytes[AT_SIDES] = roll->sides;
    bytes[AT_VALUE] = roll->value;
}

static void unpack(const uint8_t bytes[AT_STATE], struct roll *roll)
{
    roll->number = get32(bytes);
    roll->req = get32(bytes + AT_REQ);
    roll->t_ms = get32(bytes + AT_T);
    roll->duration_ms = get16(bytes + AT_MS);
    roll->sides = bytes[AT_SIDES];
    roll->value = bytes[AT_VALUE];
}

static void read_slot(const struct hal *hal, uint16_t at, uint8_t bytes[ROLLS_SLOT_BYTES])
{
    for (uint8_t i = 0; i < ROLLS_SLOT_BYTES; i++)
        bytes[i] = hal->nv_read(hal->ctx, (uint16_t)(at + i));
}

static bool is_blank(const uint8_t bytes[ROLLS_SLOT_BYTES])
{
    uint8_t all = 0xFF;
    for (uint8_t i = 0; i < ROLLS_SLOT_BYTES; i++)
        all &= bytes[i];
    return all == 0xFF;
}

static bool is_written(const uint8_t bytes[ROLLS_SLOT_BYTES])
{
    return get16(bytes + AT_CRC) == crc16(bytes, AT_CRC) && bytes[AT_STATE] != STATE_WRITING;
}

static bool is_whole(const uint8_t bytes[ROLLS_SLOT_BYTES], uint16_t at)
{
    return is_written(bytes) && get32(bytes) != 0 && slot_of(get32(bytes)) == at;
}

static enum slot_kind look(const struct hal *hal, uint16_t at, struct roll *roll)
{
    uint8_t bytes[ROLLS_SLOT_BYTES];
    read_slot(hal, at, bytes);
    if (is_blank(bytes))
        return SLOT_BLANK;
    if (!is_whole(bytes, at))
        return SLOT_TORN;
    unpack(bytes, roll);
    return bytes[AT_STATE] == STATE_ACKED ? SLOT_ACKED : SLOT_UNACKED;
}

static void count_slot(struct rolls *rolls, enum slot_kind kind, const struct roll *roll)
{
    if (kind == SLOT_TORN)
        rolls->torn++;
    if (kind != SLOT_UNACKED && kind != SLOT_ACKED)
        return;
    if (roll->number > rolls->newest)
        rolls->newest = roll->number;
    if (kind == SLOT_UNACKED) {
        rolls->unacked++;
        if (rolls->oldest == 0 || roll->number < rolls->oldest)
            rolls->oldest = roll->number;
    }
}

/* The first number after the newest whose slot holds no torn roll: a torn one had that number already. */
static uint32_t first_free(const struct rolls *rolls, const struct hal *hal)
{
    struct roll roll;
    uint32_t number = rolls->newest + 1;
    for (uint8_t i = 0; i < ROLLS_SLOTS && look(hal, slot_of(number), &roll) == SLOT_TORN; i++)
        number++;
    return number;
}

void rolls_open(struct rolls *rolls, const struct hal *hal)
{
    struct rolls fresh = {0};
    struct roll roll = {0};
    *rolls = fresh;
    for (uint32_t slot = 0; slot < ROLLS_SLOTS; slot++)
        count_slot(rolls, look(hal, slot_of(slot), &roll), &roll);
    rolls->next = first_free(rolls, hal);
    rolls->inherited = rolls->next - 1;
}

bool rolls_full(const struct rolls *rolls)
{
    return rolls->oldest != 0 && rolls->next - rolls->oldest >= ROLLS_UNACKED_MAX;
}

bool rolls_busy(const struct rolls *rolls)
{
    return rolls->job_at < rolls->job_len;
}

bool rolls_acking(const struct rolls *rolls)
{
    return rolls_busy(rolls) && !rolls->job_adds;
}

static void begin_job(struct rolls *rolls, uint16_t slot, uint8_t len, bool adds)
{
    rolls->job_slot = slot;
    rolls->job_at = 0;
    rolls->job_len = len;
    rolls->job_adds = adds;
    rolls->written = false;
}

/* The 16 bytes that stand in the job from its second on, with their CRC and between two states. */
static void begin_record(struct rolls *rolls, uint16_t slot, bool adds)
{
    uint16_t crc = crc16(rolls->job + 1, AT_CRC);
    rolls->job[0] = STATE_WRITING;
    rolls->job[1 + AT_CRC] = (uint8_t)crc;
    rolls->job[2 + AT_CRC] = (uint8_t)(crc >> 8);
    rolls->job[1 + AT_STATE] = STATE_UNACKED;
    begin_job(rolls, slot, 2 + AT_STATE, adds);
}

static void begin_mark(struct rolls *rolls, uint16_t slot)
{
    rolls->job[0] = STATE_ACKED;
    begin_job(rolls, slot, 1, false);
}

void rolls_add(struct rolls *rolls, struct roll *roll)
{
    roll->number = rolls->next++;
    pack(roll, rolls->job + 1);
    begin_record(rolls, slot_of(roll->number), true);
}

void rolls_keep_seed(struct rolls *rolls, const uint8_t seed[ROLLS_SEED_BYTES])
{
    memcpy(rolls->job + 1, seed, ROLLS_SEED_BYTES);
    begin_record(rolls, ROLLS_SEED_AT, false);
}

void rolls_spend_seed(struct rolls *rolls)
{
    begin_mark(rolls, ROLLS_SEED_AT);
}

enum seed_state rolls_seed(const struct hal *hal, uint8_t seed[ROLLS_SEED_BYTES])
{
    uint8_t bytes[ROLLS_SLOT_BYTES];
    read_slot(hal, ROLLS_SEED_AT, bytes);
    if (!is_written(bytes))
        return SEED_NONE;
    memcpy(seed, bytes, ROLLS_SEED_BYTES);
    return bytes[AT_STATE] == STATE_UNACKED ? SEED_STANDS : SEED_SPENT;
}

/* The next unacknowledged roll after the oldest; 0 for none. */
static uint32_t next_unacked(const struct rolls *rolls, const struct hal *hal)
{
    struct roll roll;
    for (uint32_t number = rolls->oldest + 1; number <= rolls->newest; number++)
        if (look(hal, slot_of(number), &roll) == SLOT_UNACKED && roll.number == number)
            return number;
    return 0;
}

bool rolls_ack(struct rolls *rolls, const struct hal *hal, uint32_t number)
{
    if (number == 0 || number != rolls->oldest || rolls_busy(rolls))
        return false;
    rolls->oldest = next_unacked(rolls, hal);
    rolls->unacked--;
    begin_mark(rolls, slot_of(number));
    return true;
}

/* Where the job's byte goes: first and last the state, between them the slot from its start. */
static uint16_t job_address(const struct rolls *rolls)
{
    uint8_t last = (uint8_t)(rolls->job_len - 1);
    uint8_t offset = rolls->job_at == 0 || rolls->job_at == last ? AT_STATE : (uint8_t)(rolls->job_at - 1);
    return (uint16_t)(rolls->job_slot + offset);
}

static enum rolls_result finish(struct rolls *rolls)
{
    if (!rolls->job_adds)
        return ROLLS_IDLE;
    rolls->newest = rolls->next - 1;
    rolls->unacked++;
    if (rolls->oldest == 0)
        rolls->oldest = rolls->newest;
    return ROLLS_ADDED;
}

enum rolls_result rolls_step(struct rolls *rolls, const struct hal *hal)
{
    if (rolls->failed)
        return ROLLS_FAILED;
    if (!rolls_busy(rolls))
        return ROLLS_IDLE;
    switch (nv_put(hal, job_address(rolls), rolls->job[rolls->job_at], &rolls->written)) {
    case NV_DONE:
        rolls->job_at++;
        return rolls_busy(rolls) ? ROLLS_BUSY : finish(rolls);
    case NV_FAILED:
        rolls->failed = true;
        return ROLLS_FAILED;
    default:
        return ROLLS_BUSY;
    }
}

bool rolls_read(const struct hal *hal, uint32_t number, struct roll *roll)
{
    enum slot_kind kind = look(hal, slot_of(number), roll);
    return (kind == SLOT_UNACKED || kind == SLOT_ACKED) && roll->number == number;
}

bool rolls_holds_req(const struct rolls *rolls, const struct hal *hal, uint32_t req)
{
    struct roll roll;
    if (rolls->oldest == 0)
        return false;
    for (uint32_t number = rolls->oldest; number <= rolls->newest; number++)
        if (rolls_read(hal, number, &roll) && roll.req == req)
            return true;
    return false;
}
