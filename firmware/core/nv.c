#include "nv.h"

enum nv_result nv_put(const struct hal *hal, uint16_t at, uint8_t byte, bool *written)
{
    if (!hal->nv_ready(hal->ctx))
        return NV_BUSY;
    if (hal->nv_read(hal->ctx, at) == byte) {
        *written = false;
        return NV_DONE;
    }
    if (*written)
        return NV_FAILED;
    hal->nv_write(hal->ctx, at, byte);
    *written = true;
    return NV_BUSY;
}
