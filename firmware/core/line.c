#include "line.h"

#include <stddef.h>
#include <string.h>

#include "crc.h"

#define CRC_TAIL 5 /* '*' and four digits */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_small(char c) { return c >= 'a' && c <= 'z'; }
static bool is_value(char c) { return c > ' ' && c <= '~' && c != '$' && c != '*' && c != '='; }

/* A small hexadecimal digit's value, or -1. */
static int8_t hex_value(char c)
{
    if (is_digit(c))
        return (int8_t)(c - '0');
    return c >= 'a' && c <= 'f' ? (int8_t)(c - 'a' + 10) : (int8_t)-1;
}

static bool read_hex(const char *text, uint8_t digits, uint32_t *out)
{
    uint32_t value = 0;
    for (uint8_t i = 0; i < digits; i++) {
        int8_t digit = hex_value(text[i]);
        if (digit < 0)
            return false;
        value = (value << 4) + (uint8_t)digit;
    }
    *out = value;
    return true;
}

static bool read_dec(const char *text, uint8_t len, uint32_t max, uint32_t *out)
{
    uint32_t value = 0;
    if (len == 0 || len > 10 || (len > 1 && text[0] == '0'))
        return false;
    for (uint8_t i = 0; i < len; i++) {
        uint32_t digit = (uint32_t)(text[i] - '0');
        if (!is_digit(text[i]) || value > (UINT32_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (value > max)
        return false;
    *out = value;
    return true;
}

/* Whether `len` bytes of text are the ROM string `word`. */
static bool same(const char *text, uint8_t len, rom_char *word)
{
    uint8_t i = 0;
    while (i < len && word[i] != '\0' && text[i] == word[i])
        i++;
    return i == len && word[i] == '\0';
}

/* The end of the run up to the next `stop` or the line's end. */
static uint8_t run_to(const struct line *line, uint8_t at, char stop)
{
    while (at < line->len && line->text[at] != stop)
        at++;
    return at;
}

/* Each check below takes its part of the line from `at` and gives where it ends, or 0 where it is not in the grammar. */

static uint8_t check_seq(struct line *line)
{
    uint8_t end = run_to(line, 1, ' ');
    uint32_t seq;
    if (end == line->len || !read_dec(line->text + 1, (uint8_t)(end - 1), 65535u, &seq))
        return 0;
    line->seq = (uint16_t)seq;
    return end;
}

static uint8_t check_verb(struct line *line, uint8_t at)
{
    uint8_t end = run_to(line, at, ' ');
    uint8_t len = (uint8_t)(end - at);
    if (len < 1 || len > 8 || !is_capital(line->text[at]))
        return 0;
    for (uint8_t i = 1; i < len; i++) {
        char c = line->text[at + i];
        if (!is_capital(c) && !is_digit(c) && !(c == '?' && i == len - 1))
            return 0;
    }
    line->verb_at = at;
    line->verb_len = len;
    return end;
}

static bool check_key(const char *key, uint8_t len)
{
    if (len < 1 || len > 8 || !is_small(key[0]))
        return false;
    for (uint8_t i = 1; i < len; i++)
        if (!is_small(key[i]) && !is_digit(key[i]))
            return false;
    return true;
}

static bool check_value(const char *value, uint8_t len)
{
    for (uint8_t i = 0; i < len; i++)
        if (!is_value(value[i]))
            return false;
    return len > 0;
}

/* Whether a key equal to the one at `key` stands between fields_at and `key`. */
static bool came_before(const struct line *line, uint8_t key, uint8_t len)
{
    for (uint8_t at = line->fields_at; at + 1 < key; at = run_to(line, (uint8_t)(at + 1), ' '))
        if (memcmp(line->text + at + 1, line->text + key, len) == 0 && line->text[at + 1 + len] == '=')
            return true;
    return false;
}

static uint8_t check_field(const struct line *line, uint8_t at)
{
    uint8_t end = run_to(line, at, ' ');
    uint8_t equals = run_to(line, at, '=');
    uint8_t key_len = (uint8_t)(equals - at);
    if (equals >= end || !check_key(line->text + at, key_len))
        return 0;
    if (!check_value(line->text + equals + 1, (uint8_t)(end - equals - 1)) || came_before(line, at, key_len))
        return 0;
    return end;
}

static bool check_body(struct line *line)
{
    uint8_t at = check_seq(line);
    if (at == 0)
        return false;
    at = check_verb(line, (uint8_t)(at + 1));
    line->fields_at = at;
    while (at != 0 && at < line->len)
        at = check_field(line, (uint8_t)(at + 1));
    return at != 0;
}

static enum line_result check(struct framer *framer, struct line *line)
{
    uint8_t len = framer->len;
    uint32_t said;
    if (framer->buf[len - 1] == '\r')
        len--;
    if (len <= CRC_TAIL || framer->buf[len - CRC_TAIL] != '*')
        return LINE_MALFORMED;
    if (!read_hex(framer->buf + len - CRC_TAIL + 1, 4, &said))
        return LINE_MALFORMED;
    len = (uint8_t)(len - CRC_TAIL);
    if (crc16(framer->buf, len) != said)
        return LINE_BAD_CRC;
    struct line found = {.text = framer->buf, .len = len};
    if (!check_body(&found))
        return LINE_MALFORMED;
    *line = found;
    return LINE_OK;
}

static enum line_result end(struct framer *framer, enum line_result result)
{
    framer->len = 0;
    framer->in_line = false;
    return result;
}

static enum line_result begin(struct framer *framer)
{
    enum line_result result = LINE_NONE;
    if (framer->len > 0)
        result = framer->in_line ? LINE_TRUNCATED : LINE_NOISE;
    framer->buf[0] = '$';
    framer->len = 1;
    framer->in_line = true;
    return result;
}

static enum line_result noise(struct framer *framer, uint8_t byte)
{
    framer->len++;
    return byte == '\n' || framer->len == LINE_MAX_BYTES ? end(framer, LINE_NOISE) : LINE_NONE;
}

static enum line_result keep(struct framer *framer, uint8_t byte)
{
    framer->buf[framer->len++] = (char)byte;
    if ((byte < 0x20 || byte > 0x7E) && byte != '\r')
        return end(framer, LINE_BAD_BYTE);
    return framer->len == LINE_MAX_BYTES ? end(framer, LINE_TOO_LONG) : LINE_NONE;
}

enum line_result framer_feed(struct framer *framer, uint8_t byte, struct line *line)
{
    if (byte == '$')
        return begin(framer);
    if (!framer->in_line)
        return noise(framer, byte);
    if (byte == '\n')
        return end(framer, check(framer, line));
    return keep(framer, byte);
}

bool line_is(const struct line *line, rom_char *verb)
{
    return same(line->text + line->verb_at, line->verb_len, verb);
}

const char *line_value(const struct line *line, rom_char *key, uint8_t *len)
{
    uint8_t at = line->fields_at;
    while (at < line->len) {
        uint8_t start = (uint8_t)(at + 1), equals = run_to(line, start, '=');
        at = run_to(line, start, ' ');
        if (same(line->text + start, (uint8_t)(equals - start), key)) {
            *len = (uint8_t)(at - equals - 1);
            return line->text + equals + 1;
        }
    }
    return NULL;
}

bool line_dec(const struct line *line, rom_char *key, uint32_t max, uint32_t *out)
{
    uint8_t len;
    const char *value = line_value(line, key, &len);
    return value != NULL && read_dec(value, len, max, out);
}

bool line_hex32(const struct line *line, rom_char *key, uint32_t *out)
{
    uint8_t len;
    const char *value = line_value(line, key, &len);
    return value != NULL && len == 8 && read_hex(value, 8, out);
}

bool line_word_is(const struct line *line, rom_char *key, rom_char *word)
{
    uint8_t len;
    const char *value = line_value(line, key, &len);
    return value != NULL && same(value, len, word);
}

static void put(struct writer *writer, char c)
{
    if (writer->len < LINE_MAX_BYTES)
        writer->buf[writer->len++] = c;
    else
        writer->broken = true;
}

static void put_rom(struct writer *writer, rom_char *text)
{
    while (*text != '\0')
        put(writer, *text++);
}

static void put_dec(struct writer *writer, uint32_t value)
{
    char digits[10];
    uint8_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0)
        put(writer, digits[--count]);
}

static void put_hex(struct writer *writer, uint8_t byte)
{
    uint8_t high = byte >> 4, low = byte & 15;
    put(writer, (char)(high + (high < 10 ? '0' : 'a' - 10)));
    put(writer, (char)(low + (low < 10 ? '0' : 'a' - 10)));
}

static void put_key(struct writer *writer, rom_char *key)
{
    put(writer, ' ');
    put_rom(writer, key);
    put(writer, '=');
}

void writer_begin(struct writer *writer, uint16_t seq, rom_char *verb)
{
    writer->len = 0;
    writer->broken = false;
    put(writer, '$');
    put_dec(writer, seq);
    put(writer, ' ');
    put_rom(writer, verb);
}

void writer_dec(struct writer *writer, rom_char *key, uint32_t value)
{
    put_key(writer, key);
    put_dec(writer, value);
}

void writer_hex(struct writer *writer, rom_char *key, const uint8_t *bytes, uint8_t len)
{
    put_key(writer, key);
    while (len--)
        put_hex(writer, *bytes++);
}

void writer_hex32(struct writer *writer, rom_char *key, uint32_t value)
{
    put_key(writer, key);
    for (uint8_t shift = 32; shift > 0; shift = (uint8_t)(shift - 8))
        put_hex(writer, (uint8_t)(value >> (shift - 8)));
}

void writer_word(struct writer *writer, rom_char *key, rom_char *word)
{
    put_key(writer, key);
    put_rom(writer, word);
}

void writer_die(struct writer *writer, rom_char *key, uint8_t sides)
{
    put_key(writer, key);
    put(writer, 'D');
    put_dec(writer, sides);
}

uint8_t writer_end(struct writer *writer)
{
    uint16_t crc = crc16(writer->buf, writer->len);
    put(writer, '*');
    put_hex(writer, (uint8_t)(crc >> 8));
    put_hex(writer, (uint8_t)crc);
    put(writer, '\n');
    return writer->broken ? 0 : writer->len;
}
