#include "die_parts.h"

static ROM char TEXTS[][5] = {"----", "FAIL", "FULL"};
enum { TEXT_WAKING, TEXT_FAULT, TEXT_FULL };

static struct view text_view(uint8_t which)
{
    struct view view = {{TEXTS[which][0], TEXTS[which][1], TEXTS[which][2], TEXTS[which][3]}, false};
    return view;
}

static void put_number(char *two, uint8_t number)
{
    two[0] = (char)(number >= 10 ? '0' + number / 10 : ' ');
    two[1] = (char)('0' + number % 10);
}

/* A bar that wanders while the die rolls. */
static void put_spin(char *two, uint32_t now_ms)
{
    static ROM char STEPS[4][2] = {{'-', ' '}, {' ', '-'}, {' ', '_'}, {'_', ' '}};
    uint8_t step = (uint8_t)(now_ms / DIE_SPIN_MS) & 3;
    two[0] = STEPS[step][0];
    two[1] = STEPS[step][1];
}

/* "20:17": the type on the left of the colon, the value on the right. Armed, 'd' stands before it: "d20". */
static struct view die_view(const struct die *die)
{
    struct view view = {{' ', ' ', '-', '-'}, true};
    put_number(view.text, die->sides);
    if (die->state == DIE_ROLLING || die->state == DIE_STORING)
        put_spin(view.text + 2, die->now_ms);
    else if (die->motion.moving)
        view.text[2] = view.text[3] = '_';
    else if (die->value != 0)
        put_number(view.text + 2, die->value);
    return view;
}

static struct view armed_view(const struct die *die)
{
    struct view view = {{' ', 'd', ' ', ' '}, false};
    put_number(view.text + 2, die->sides);
    return view;
}

struct view face_of(const struct die *die)
{
    if (die->state == DIE_FAULT)
        return text_view(TEXT_FAULT);
    if (die->state == DIE_WAKING)
        return text_view(TEXT_WAKING);
    if (die->showing_full)
        return text_view(TEXT_FULL);
    if (die->state == DIE_ARMED && !die->motion.moving)
        return armed_view(die);
    return die_view(die);
}
