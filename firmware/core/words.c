#include "words.h"

rom_char V_ASK[] = "HELLO?", V_ARM[] = "ARM", V_DISARM[] = "DISARM", V_ACK[] = "ACK", V_BYE[] = "BYE";
rom_char V_ASK_RAW[] = "RAW?", V_HELLO[] = "HELLO", V_HB[] = "HB", V_ARMED[] = "ARMED", V_NO[] = "NO";
rom_char V_START[] = "START", V_ROLL[] = "ROLL", V_FULL[] = "FULL", V_MOVE[] = "MOVE", V_FAULT[] = "FAULT";
rom_char V_RAW[] = "RAW", V_COMMIT[] = "COMMIT", V_REVEAL[] = "REVEAL", V_FAIR[] = "FAIR";

rom_char K_BOOT[] = "boot", K_CAP[] = "cap", K_CODE[] = "code", K_DIE[] = "die", K_FAULT[] = "fault", K_FW[] = "fw";
rom_char K_H[] = "h", K_HASH[] = "hash", K_I[] = "i", K_LAST[] = "last", K_LATE[] = "late", K_MS[] = "ms", K_N[] = "n";
rom_char K_REQ[] = "req", K_ROLL[] = "roll", K_RST[] = "rst", K_SRC[] = "src", K_ST[] = "st", K_T[] = "t";
rom_char K_TORN[] = "torn", K_UID[] = "uid", K_UNACKED[] = "unacked", K_V[] = "v", K_VAL[] = "val", K_WHY[] = "why";
rom_char K_X[] = "x", K_NONCE[] = "nonce", K_SEED[] = "seed", K_FAIR[] = "fair";

rom_char W_VERSION[] = "1.1", W_CAPABILITIES[] = "btn,shk,raw,fair", W_OK[] = "ok", W_ADC[] = "adc", W_WDT[] = "wdt";
rom_char W_WHY[5][6] = {"busy", "full", "fault", "die", "done"};
rom_char W_FAULTS[8][10] = {"none", "adc-rct", "adc-apt", "adc-stuck", "wdt-rct", "wdt-apt", "wdt-stuck", "store"};
rom_char W_STATES[7][9] = {"waking", "idle", "armed", "rolling", "rolling", "rolled", "fault"};
rom_char W_HANDLING[] = "handling";
