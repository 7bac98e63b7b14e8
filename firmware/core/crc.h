/* CRC-16/IBM-3740 (CCITT-FALSE): polynomial 0x1021, initial 0xFFFF, not reflected, no final XOR.
 * Check value over "123456789": 0x29B1. docs/wire.md says why this one.
 */
#ifndef DICETOWER_CRC_H
#define DICETOWER_CRC_H

#include <stdint.h>

#define CRC16_INIT 0xFFFFu

/* The CRC after one more byte. */
uint16_t crc16_step(uint16_t crc, uint8_t byte);

/* The CRC of `len` bytes, from CRC16_INIT. */
uint16_t crc16(const void *data, uint8_t len);

#endif
