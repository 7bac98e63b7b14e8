/* The rolls a die has made, kept in non-volatile memory until the host has them.
 *
 * Roll n lives in slot n % ROLLS_SLOTS, so every cell takes its turn (wear levelling) and the newest roll is found
 * by looking at them all. A slot is 20 bytes:
 *
 *     0  roll number   4   little endian
 *     4  req           4
 *     8  t             4   the die's clock when it was drawn
 *    12  ms            2   how long it rolled
 *    14  sides         1   ROLLS_FAIR added where the roll came of the seed (fair.h)
 *    15  value         1
 *    16  CRC-16        2   over bytes 0 to 15
 *    18  state         1   0xFF being written or never written, 0xA5 unacknowledged, 0x00 acknowledged
 *    19  unused        1
 *
 * Writing a roll: state to 0xFF, bytes 0 to 17, state to 0xA5. Acknowledging it: state to 0x00, bits only fall. A
 * power cut at any moment leaves the slot as it was, or torn (its CRC or state wrong), or whole. A torn roll was
 * never shown; its number is left out for good, and counted in `torn`. A state that is neither 0xFF nor 0x00
 * counts as unacknowledged: then the host gets a copy, which it removes.
 *
 * The seed of fair rolls has a slot of its own before them, of the same form: 16 bytes of seed, CRC, and a state that
 * is 0xA5 while its commitment stands and 0x00 once it may be revealed. It is written as a roll is; a state that is
 * neither, after a power cut, counts as spent: a seed that may be known never stands again.
 *
 * Wear: the state cell is written three times for each ROLLS_SLOTS rolls. At the 100,000 cycles that the ATmega328P's data
 * sheet gives (Features, "Write/Erase Cycles"), that is 1.6 million rolls.
 */
#ifndef DICETOWER_ROLLS_H
#define DICETOWER_ROLLS_H

#include <stdbool.h>
#include <stdint.h>

#include "../hal.h"

#define ROLLS_AT 64 /* byte 0 is left alone: a brown-out most often hits it */
#define ROLLS_SEED_AT 44 /* behind the id's second copy */
#define ROLLS_SLOTS 48
#define ROLLS_SLOT_BYTES 20
#define ROLLS_UNACKED_MAX 16
#define ROLLS_SEED_BYTES 16
#define ROLLS_FAIR 0x80 /* no die has so many sides */

enum seed_state { SEED_NONE, SEED_STANDS, SEED_SPENT };

struct roll {
    uint32_t number, req, t_ms;
    uint16_t duration_ms;
    uint8_t sides, value;
};

enum rolls_result {
    ROLLS_IDLE = 0,   /* nothing under way */
    ROLLS_BUSY = 1,   /* a write is under way */
    ROLLS_ADDED = 2,  /* the roll just added is safe: once for each rolls_add */
    ROLLS_FAILED = -1 /* a cell did not take its byte: the memory is worn out or broken; stays */
};

struct rolls {
    uint32_t newest;   /* the newest roll's number, 0 for none */
    uint32_t next;     /* the number the next roll gets */
    uint32_t oldest;   /* the oldest unacknowledged roll's number, 0 for none */
    uint32_t inherited; /* rolls up to this number were made before this start */
    uint8_t unacked;
    uint8_t torn;
    /* The write under way. */
    uint8_t job[ROLLS_SLOT_BYTES + 1]; /* bytes in the order they are written */
    uint8_t job_at, job_len;           /* none when equal */
    bool job_adds;
    bool written; /* the byte at job_at is on its way, or there */
    uint16_t job_slot;
    bool failed;
};

/* Find all rolls in memory. Takes ROLLS_SLOTS * 20 reads. Call once, when nv_ready. */
void rolls_open(struct rolls *rolls, const struct hal *hal);

/* Whether no more rolls may be made until the host acknowledges some. */
bool rolls_full(const struct rolls *rolls);

/* Begin to write a roll; its number is set here. Only when rolls_step said ROLLS_IDLE, and not rolls_full. */
void rolls_add(struct rolls *rolls, struct roll *roll);

/* Acknowledge the oldest unacknowledged roll. Does nothing, and gives false, for any other number, or while a
 * write is under way: the host will say it again. */
bool rolls_ack(struct rolls *rolls, const struct hal *hal, uint32_t number);

/* Read the seed. `seed` is written for any state but SEED_NONE. Not while a write is under way. */
enum seed_state rolls_seed(const struct hal *hal, uint8_t seed[ROLLS_SEED_BYTES]);

/* Begin to write a new seed, which then stands; or to mark the one there as spent. Not while a write is under way. */
void rolls_keep_seed(struct rolls *rolls, const uint8_t seed[ROLLS_SEED_BYTES]);
void rolls_spend_seed(struct rolls *rolls);

/* Write at most one byte. */
enum rolls_result rolls_step(struct rolls *rolls, const struct hal *hal);

/* Whether a write is under way; memory must not be read meanwhile. */
bool rolls_busy(const struct rolls *rolls);

/* Whether an acknowledgement or a seed is being written: done within 80 ms. */
bool rolls_acking(const struct rolls *rolls);

/* Read the roll of that number. False where its slot does not hold it whole. */
bool rolls_read(const struct hal *hal, uint32_t number, struct roll *roll);

/* Whether an unacknowledged roll was made for `req`. */
bool rolls_holds_req(const struct rolls *rolls, const struct hal *hal, uint32_t req);

#endif
