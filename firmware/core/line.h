/* Lines of the e-die protocol: bytes in, checked lines out, and back. The grammar is docs/wire.md.
 *
 *     struct framer framer = {0};
 *     struct line line;
 *     if (framer_feed(&framer, byte, &line) == LINE_OK && line_is(&line, VERB_ACK)) ...
 *
 * The answers depend on the bytes alone; only a line feed ends a line. No allocation; 129 bytes of state.
 */
#ifndef DICETOWER_LINE_H
#define DICETOWER_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "rom.h"

#define LINE_MAX_BYTES 127 /* from '$' to the line feed, both counted */

enum line_result {
    LINE_NONE = 0,       /* nothing complete yet */
    LINE_OK = 1,         /* a checked line */
    LINE_NOISE = -1,     /* bytes outside any line, up to a line feed, a '$' or LINE_MAX_BYTES of them */
    LINE_TRUNCATED = -2, /* a '$' inside a line; the new line has begun */
    LINE_BAD_BYTE = -3,  /* a byte outside 0x20..0x7E inside a line */
    LINE_TOO_LONG = -4,  /* LINE_MAX_BYTES and no line feed */
    LINE_MALFORMED = -5, /* ended, but not in the grammar */
    LINE_BAD_CRC = -6    /* ended, and the CRC is another's */
};

struct framer {
    char buf[LINE_MAX_BYTES]; /* the line so far, when in_line */
    uint8_t len;              /* bytes in buf, or noise bytes counted */
    bool in_line;
};

/* A checked line. Points into the framer's buffer: valid until the next framer_feed. */
struct line {
    const char *text; /* from '$' up to the '*'; not terminated */
    uint8_t len;
    uint8_t verb_at, verb_len;
    uint8_t fields_at; /* the space before the first key, or len */
    uint16_t seq;
};

/* Take one byte. `line` is written only for LINE_OK. After any other answer but LINE_NONE the buffer holds
 * nothing of the rejected bytes. */
enum line_result framer_feed(struct framer *framer, uint8_t byte, struct line *line);

/* Whether the line has this verb. */
bool line_is(const struct line *line, rom_char *verb);

/* The value of `key` and its length; NULL, and `len` untouched, where the line has no such key. */
const char *line_value(const struct line *line, rom_char *key, uint8_t *len);

/* A decimal number without leading zeros, at most `max`. False, and `out` untouched, where it is not that. */
bool line_dec(const struct line *line, rom_char *key, uint32_t max, uint32_t *out);

/* Eight small hexadecimal digits. False, and `out` untouched, where it is not that. */
bool line_hex32(const struct line *line, rom_char *key, uint32_t *out);

/* Whether the value of `key` is exactly `word`. */
bool line_word_is(const struct line *line, rom_char *key, rom_char *word);

/* A line being written. It never runs over: what does not fit sets `broken`, and writer_end gives 0. */
struct writer {
    char buf[LINE_MAX_BYTES];
    uint8_t len;
    bool broken;
};

void writer_begin(struct writer *writer, uint16_t seq, rom_char *verb);
void writer_dec(struct writer *writer, rom_char *key, uint32_t value);
void writer_hex(struct writer *writer, rom_char *key, const uint8_t *bytes, uint8_t len); /* first byte first */
void writer_hex32(struct writer *writer, rom_char *key, uint32_t value);
void writer_word(struct writer *writer, rom_char *key, rom_char *word);
void writer_die(struct writer *writer, rom_char *key, uint8_t sides); /* 'D' and the number of sides */

/* Add CRC and line feed. The number of bytes in buf to send, or 0 where they did not fit. */
uint8_t writer_end(struct writer *writer);

#endif
