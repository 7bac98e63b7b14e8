#include "identity.h"

#include <string.h>

#include "crc.h"

#define COPY_BYTES (IDENTITY_BYTES + 2)
#define COPY_STRIDE 16

static bool read_copy(const struct hal *hal, uint16_t at, uint8_t uid[IDENTITY_BYTES])
{
    uint8_t bytes[COPY_BYTES];
    for (uint8_t i = 0; i < COPY_BYTES; i++)
        bytes[i] = hal->nv_read(hal->ctx, (uint16_t)(at + i));
    uint16_t crc = crc16(bytes, IDENTITY_BYTES);
    if (bytes[IDENTITY_BYTES] != (uint8_t)crc || bytes[IDENTITY_BYTES + 1] != (uint8_t)(crc >> 8))
        return false;
    memcpy(uid, bytes, IDENTITY_BYTES);
    return true;
}

bool identity_read(const struct hal *hal, uint8_t uid[IDENTITY_BYTES])
{
    memset(uid, 0, IDENTITY_BYTES);
    return read_copy(hal, IDENTITY_AT, uid) || read_copy(hal, IDENTITY_AT + COPY_STRIDE, uid);
}

static uint8_t byte_of(const uint8_t uid[IDENTITY_BYTES], uint8_t i)
{
    uint16_t crc;
    if (i < IDENTITY_BYTES)
        return uid[i];
    crc = crc16(uid, IDENTITY_BYTES);
    return (uint8_t)(i == IDENTITY_BYTES ? crc : crc >> 8);
}

enum nv_result identity_write(const struct hal *hal, const uint8_t uid[IDENTITY_BYTES], uint8_t *step, bool *written)
{
    uint8_t copy = (uint8_t)(*step / COPY_BYTES), i = (uint8_t)(*step % COPY_BYTES);
    uint16_t at = (uint16_t)(IDENTITY_AT + copy * COPY_STRIDE + i);
    enum nv_result result;
    if (*step == IDENTITY_STEPS)
        return NV_DONE;
    result = nv_put(hal, at, byte_of(uid, i), written);
    if (result == NV_DONE && ++*step < IDENTITY_STEPS)
        return NV_BUSY;
    return result;
}
