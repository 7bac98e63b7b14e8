#include "crc.h"

uint16_t crc16_step(uint16_t crc, uint8_t byte)
{
    crc ^= (uint16_t)((uint16_t)byte << 8);
    for (uint8_t bit = 0; bit < 8; bit++)
        crc = (uint16_t)(crc & 0x8000u ? (uint16_t)(crc << 1) ^ 0x1021u : (uint16_t)(crc << 1));
    return crc;
}

uint16_t crc16(const void *data, uint8_t len)
{
    const uint8_t *bytes = data;
    uint16_t crc = CRC16_INIT;
    while (len--)
        crc = crc16_step(crc, *bytes++);
    return crc;
}
