/* The words of docs/wire.md, once each, in ROM. */
#ifndef DICETOWER_WORDS_H
#define DICETOWER_WORDS_H

#include "rom.h"

extern rom_char V_ASK[], V_ARM[], V_DISARM[], V_ACK[], V_BYE[], V_ASK_RAW[];
extern rom_char V_HELLO[], V_HB[], V_ARMED[], V_NO[], V_START[], V_ROLL[], V_FULL[], V_MOVE[], V_FAULT[], V_RAW[];
extern rom_char V_COMMIT[], V_REVEAL[], V_FAIR[];

extern rom_char K_BOOT[], K_CAP[], K_CODE[], K_DIE[], K_FAULT[], K_FW[], K_H[], K_HASH[], K_I[], K_LAST[], K_LATE[];
extern rom_char K_MS[], K_N[], K_REQ[], K_ROLL[], K_RST[], K_SRC[], K_ST[], K_T[], K_TORN[], K_UID[], K_UNACKED[];
extern rom_char K_V[], K_VAL[], K_WHY[], K_X[], K_NONCE[], K_SEED[], K_FAIR[];

extern rom_char W_VERSION[], W_CAPABILITIES[], W_OK[], W_ADC[], W_WDT[];
extern rom_char W_WHY[5][6];      /* by enum no_why */
extern rom_char W_FAULTS[8][10];  /* by enum die_fault */
extern rom_char W_STATES[7][9];   /* by enum die_state */
extern rom_char W_HANDLING[];

#endif
