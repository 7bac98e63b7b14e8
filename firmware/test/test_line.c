/* The codec against the golden vectors that bind it to the Python one, then each reader and writer. */
#include "../core/line.h"

#include <stdlib.h>
#include <string.h>

#include "../core/crc.h"
#include "check.h"

#define ROW_MAX 4096

static const char *const NAMES[] = {"bad-crc", "malformed", "too-long", "bad-byte", "truncated", "noise"}; /* -6 .. -1 */

static const char *name_of(enum line_result result)
{
    return result == LINE_OK ? "ok" : NAMES[6 + (int)result];
}

/* Turn \n \r \\ \xNN into bytes, in place; the length. */
static size_t unescape(char *text)
{
    char *to = text;
    for (char *from = text; *from;) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] == 'x') {
            char digits[3] = {from[2], from[3], 0};
            *to++ = (char)strtol(digits, NULL, 16);
            from += 4;
        } else {
            *to++ = from[1] == 'n' ? '\n' : from[1] == 'r' ? '\r' : from[1];
            from += 2;
        }
    }
    return (size_t)(to - text);
}

static FILE *open_vectors(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "no golden vectors at %s\n", path);
        exit(2);
    }
    return file;
}

/* The first answer to `len` bytes. */
static enum line_result first(struct framer *framer, const char *bytes, size_t len, struct line *line)
{
    enum line_result result = LINE_NONE;
    for (size_t i = 0; i < len && result == LINE_NONE; i++)
        result = framer_feed(framer, (uint8_t)bytes[i], line);
    return result;
}

static bool text_is(const struct line *line, uint8_t at, uint8_t len, const char *expected)
{
    return strlen(expected) == len && memcmp(line->text + at, expected, len) == 0;
}

static void check_good(const struct line *line, char *rest)
{
    char *seq = strtok(rest, "\t"), *verb = strtok(NULL, "\t"), *fields = strtok(NULL, "\t");
    CHECK_EQ(line->seq, atoi(seq));
    CHECK(text_is(line, line->verb_at, line->verb_len, verb));
    uint8_t at = (uint8_t)(line->fields_at + (line->fields_at < line->len));
    CHECK(text_is(line, at, (uint8_t)(line->len - at), fields ? fields : ""));
}

static void check_row(char *row)
{
    struct framer framer = {0};
    struct line line = {0};
    char *said = strchr(row, '\t');
    *said++ = '\0';
    char *rest = strchr(said, '\t');
    if (rest)
        *rest++ = '\0';
    char text[ROW_MAX];
    strcpy(text, row);
    enum line_result result = first(&framer, row, unescape(row), &line);
    CHECK(result != LINE_NONE);
    if (result == LINE_NONE || strcmp(name_of(result), said) != 0) {
        fprintf(stderr, "%s: expected %s, got %s\n", text, said, result == LINE_NONE ? "none" : name_of(result));
        check_failures++;
    } else if (result == LINE_OK) {
        check_good(&line, rest);
    }
}

static void test_golden_lines(const char *folder)
{
    char row[ROW_MAX];
    int rows = 0;
    FILE *file = open_vectors(folder, "lines.txt");
    while (fgets(row, sizeof row, file)) {
        row[strcspn(row, "\n")] = '\0';
        check_row(row);
        rows++;
    }
    fclose(file);
    CHECK(rows > 60);
}

static void answers_to(const char *bytes, size_t len, char *answers)
{
    struct framer framer = {0};
    struct line line;
    *answers = '\0';
    for (size_t i = 0; i < len; i++) {
        enum line_result result = framer_feed(&framer, (uint8_t)bytes[i], &line);
        if (result == LINE_NONE)
            continue;
        if (*answers)
            strcat(answers, " ");
        strcat(answers, name_of(result));
        if (result == LINE_OK)
            sprintf(answers + strlen(answers), ":%u:%.*s", line.seq, line.verb_len, line.text + line.verb_at);
    }
}

static void test_golden_streams(const char *folder)
{
    char row[ROW_MAX], answers[ROW_MAX];
    int rows = 0;
    FILE *file = open_vectors(folder, "streams.txt");
    while (fgets(row, sizeof row, file)) {
        row[strcspn(row, "\n")] = '\0';
        char *expected = strchr(row, '\t');
        *expected++ = '\0';
        answers_to(row, unescape(row), answers);
        CHECK(strcmp(answers, expected) == 0);
        rows++;
    }
    fclose(file);
    CHECK(rows > 15);
}

static struct line line_of(struct framer *framer, const char *body)
{
    char bytes[256];
    struct line line = {0};
    sprintf(bytes, "%s*%04x\n", body, crc16(body, (uint8_t)strlen(body)));
    CHECK_EQ(first(framer, bytes, strlen(bytes), &line), LINE_OK);
    return line;
}

static void check_dec(const char *body, bool expected, uint32_t value)
{
    struct framer framer = {0};
    struct line line = line_of(&framer, body);
    uint32_t got = 7;
    CHECK_EQ(line_dec(&line, "n", UINT32_MAX, &got), expected);
    CHECK_EQ(got, expected ? value : 7);
}

static void test_decimals(void)
{
    check_dec("$1 X n=0", true, 0);
    check_dec("$1 X n=4294967295", true, UINT32_MAX);
    check_dec("$1 X a=1 n=42 b=2", true, 42);
    check_dec("$1 X n=4294967296", false, 0);
    check_dec("$1 X n=9999999999", false, 0);
    check_dec("$1 X n=10000000000", false, 0);
    check_dec("$1 X n=01", false, 0);
    check_dec("$1 X n=-1", false, 0);
    check_dec("$1 X n=1x", false, 0);
    check_dec("$1 X nn=1", false, 0);
    check_dec("$1 X m=1", false, 0);
    check_dec("$1 X", false, 0);
}

static void test_a_maximum_is_kept(void)
{
    struct framer framer = {0};
    struct line line = line_of(&framer, "$1 X n=65536");
    uint32_t got = 7;
    CHECK(!line_dec(&line, "n", 65535, &got));
    CHECK_EQ(got, 7);
    CHECK(line_dec(&line, "n", 65536, &got));
    CHECK_EQ(got, 65536);
}

static void check_hex(const char *body, bool expected, uint32_t value)
{
    struct framer framer = {0};
    struct line line = line_of(&framer, body);
    uint32_t got = 7;
    CHECK_EQ(line_hex32(&line, "boot", &got), expected);
    CHECK_EQ(got, expected ? value : 7);
}

static void test_hexadecimals(void)
{
    check_hex("$1 X boot=5be0cd19", true, 0x5be0cd19);
    check_hex("$1 X boot=ffffffff", true, 0xffffffff);
    check_hex("$1 X boot=5BE0CD19", false, 0);
    check_hex("$1 X boot=5be0cd1", false, 0);
    check_hex("$1 X boot=5be0cd199", false, 0);
    check_hex("$1 X boot=5be0cd1g", false, 0);
    check_hex("$1 X", false, 0);
}

static void test_words_and_verbs(void)
{
    struct framer framer = {0};
    struct line line = line_of(&framer, "$1 RAW? src=adc a=b");
    CHECK(line_is(&line, "RAW?"));
    CHECK(!line_is(&line, "RAW"));
    CHECK(!line_is(&line, "RAW?X"));
    CHECK(line_word_is(&line, "src", "adc"));
    CHECK(!line_word_is(&line, "src", "ad"));
    CHECK(!line_word_is(&line, "src", "adcx"));
    CHECK(!line_word_is(&line, "sr", "adc"));
    CHECK(line_word_is(&line, "a", "b"));
}

static void test_a_written_line_reads_back(void)
{
    static const uint8_t UID[8] = {0x1f, 0x83, 0xd9, 0xab, 0xfb, 0x41, 0xbd, 0x6b};
    struct writer writer;
    writer_begin(&writer, 65535, "HELLO");
    writer_hex(&writer, "uid", UID, 8);
    writer_hex32(&writer, "boot", 0x5be0cd19);
    writer_dec(&writer, "n", 4294967295u);
    writer_dec(&writer, "zero", 0);
    writer_word(&writer, "w", "word");
    writer_die(&writer, "die", 20);
    const char *expected = "$65535 HELLO uid=1f83d9abfb41bd6b boot=5be0cd19 n=4294967295 zero=0 w=word die=D20*";
    uint8_t len = writer_end(&writer);
    CHECK_EQ(len, strlen(expected) + 5);
    CHECK(memcmp(writer.buf, expected, strlen(expected)) == 0);
    struct framer framer = {0};
    struct line line;
    CHECK_EQ(first(&framer, writer.buf, len, &line), LINE_OK);
}

static void test_a_line_fits_exactly_or_not_at_all(void)
{
    for (uint8_t extra = 0; extra < 3; extra++) {
        static const uint8_t BYTES[57] = {0};
        struct writer writer;
        writer_begin(&writer, extra == 1 ? 10 : 1, extra == 2 ? "AB" : "A");
        writer_hex(&writer, "x", BYTES, sizeof BYTES); /* "$1 A x=", 114 digits, 6 bytes more: 127 */
        CHECK_EQ(writer_end(&writer), extra == 0 ? LINE_MAX_BYTES : 0);
    }
}

static void test_crc(void)
{
    CHECK_EQ(crc16("123456789", 9), 0x29B1);
    CHECK_EQ(crc16("", 0), 0xFFFF);
}

/* Every single flipped bit of a line, and every pair: none may give another line. */
static void test_flipped_bits(void)
{
    struct framer framer = {0};
    struct line line;
    struct writer writer;
    writer_begin(&writer, 9, "ROLL");
    writer_hex32(&writer, "boot", 0x5be0cd19);
    writer_dec(&writer, "roll", 17);
    writer_die(&writer, "die", 8);
    writer_dec(&writer, "val", 5);
    uint16_t bits = (uint16_t)(writer_end(&writer) * 8u);
    for (uint16_t a = 0; a < bits; a++)
        for (uint16_t b = a; b < bits; b++) {
            char flipped[LINE_MAX_BYTES];
            memcpy(flipped, writer.buf, sizeof flipped);
            flipped[a / 8] = (char)(flipped[a / 8] ^ 1 << (a & 7));
            if (b != a)
                flipped[b / 8] = (char)(flipped[b / 8] ^ 1 << (b & 7));
            enum line_result worst = LINE_NONE;
            for (uint16_t i = 0; i < bits / 8; i++)
                if (framer_feed(&framer, (uint8_t)flipped[i], &line) == LINE_OK)
                    worst = LINE_OK;
            if (worst == LINE_OK)
                fprintf(stderr, "bits %u and %u\n", a, b);
            CHECK(worst != LINE_OK);
        }
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "../fixtures/wire";
    test_golden_lines(folder);
    test_golden_streams(folder);
    test_decimals();
    test_a_maximum_is_kept();
    test_hexadecimals();
    test_words_and_verbs();
    test_a_written_line_reads_back();
    test_a_line_fits_exactly_or_not_at_all();
    test_crc();
    test_flipped_bits();
    return check_end("line");
}
