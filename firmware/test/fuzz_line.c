/* Any bytes into the codec and into a whole die: nothing may read or write out of bounds, overflow or stop.
 *
 * LLVMFuzzerTestOneInput is libFuzzer's entry, so that clang can drive it (-fsanitize=fuzzer); with gcc, FUZZ_MAIN
 * adds a driver of our own that mutates the golden vectors from a seed for a bounded number of runs:
 *
 *     fuzz_line ../fixtures/wire/lines.txt 200000 1
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../core/crc.h"
#include "../core/die.h"
#include "fake_hal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool so)
{
    if (!so)
        abort();
}

static void check_line(const struct line *line)
{
    uint8_t len = 0;
    uint32_t number;
    must(line->text[0] == '$' && line->len < LINE_MAX_BYTES);
    must(line->verb_at + line->verb_len <= line->fields_at && line->fields_at <= line->len);
    const char *value = line_value(line, "die", &len);
    must(value == NULL || value + len <= line->text + line->len);
    line_dec(line, "req", UINT32_MAX, &number);
    line_hex32(line, "boot", &number);
    line_word_is(line, "src", "adc");
}

static void fuzz_codec(const uint8_t *data, size_t size)
{
    struct framer framer = {0};
    struct line line;
    for (size_t i = 0; i < size; i++) {
        enum line_result result = framer_feed(&framer, data[i], &line);
        must(framer.len < LINE_MAX_BYTES);
        if (result == LINE_OK)
            check_line(&line);
    }
}

static const struct build BUILD = {"0.1.0", "6a09e667", "por"};

/* A die that is awake, kept from run to run: what it is told may pile up. */
static void fuzz_die(const uint8_t *data, size_t size)
{
    static struct fake fake;
    static struct die die;
    static bool begun;
    if (!begun) {
        fake_begin(&fake, 1);
        die_begin(&die, &fake.hal, &BUILD);
        for (int i = 0; i < 16000; i++, fake.now_ms += i % 20 == 0)
            die_poll(&die);
        die.boot = 0x5be0cd19; /* the golden vectors' own, so that they are obeyed */
        begun = true;
    }
    fake.in_at = 0;
    fake.in_len = (unsigned)(size < sizeof fake.in ? size : sizeof fake.in);
    memcpy(fake.in, data, fake.in_len);
    fake.out_len = 0;
    fake.inputs = (uint8_t)((fake.now_ms >> 9) & 3);
    for (int i = 0; i < 40; i++, fake.now_ms += 3)
        die_poll(&die);
    must(die.rolls.unacked <= ROLLS_UNACKED_MAX && die.state <= DIE_FAULT && die.sides >= 4 && die.sides <= 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_codec(data, size);
    fuzz_die(data, size);
    return 0;
}

#ifdef FUZZ_MAIN
#include <stdio.h>

#define SEEDS_MAX 256
#define INPUT_MAX 600

static char seeds[SEEDS_MAX][INPUT_MAX];
static unsigned seed_count;
static uint32_t state;

static uint32_t rnd(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void load_seeds(const char *path)
{
    char row[4096];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "no seeds at %s\n", path);
        exit(2);
    }
    while (seed_count < SEEDS_MAX && fgets(row, sizeof row, file)) {
        row[strcspn(row, "\t")] = '\0';
        row[INPUT_MAX - 1] = '\0';
        strcpy(seeds[seed_count++], row);
    }
    fclose(file);
}

/* One or two lines, cut, copied over and changed; half the time with the CRC made right again. */
static size_t mutate(uint8_t *input)
{
    char text[2 * INPUT_MAX];
    sprintf(text, "%.290s%.290s", seeds[rnd(seed_count)], rnd(3) ? "" : seeds[rnd(seed_count)]);
    size_t len = strlen(text);
    for (uint32_t changes = rnd(4); changes > 0 && len > 0; changes--)
        text[rnd((uint32_t)len)] = (char)(rnd(4) ? "$*= \n\r0915azAZ?\x80\xff"[rnd(17)] : (char)rnd(256));
    char *star = memchr(text, '*', len);
    if (star && rnd(2) && star - text < 120)
        len = (size_t)(star - text) +
              (size_t)sprintf(star, "*%04x\n", crc16(text, (uint8_t)(star - text)));
    memcpy(input, text, len);
    return len;
}

int main(int argc, char **argv)
{
    uint8_t input[3 * INPUT_MAX];
    long runs = argc > 2 ? atol(argv[2]) : 100000;
    state = argc > 3 ? (uint32_t)atol(argv[3]) : 1;
    load_seeds(argc > 1 ? argv[1] : "../fixtures/wire/lines.txt");
    for (long run = 0; run < runs; run++)
        LLVMFuzzerTestOneInput(input, mutate(input));
    printf("fuzz_line: %ld runs from seed %s, nothing found\n", runs, argc > 3 ? argv[3] : "1");
    return 0;
}
#endif
