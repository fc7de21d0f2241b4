// The steps between convolutions: only copies and maxima, so no layout changes a bit of any result.
#include "cpu/activation.h"

#include <string.h>

rp_activation rp_activation_describe(uint32_t width, uint32_t height, uint32_t channels, uint32_t block)
{
    rp_activation activation = {.width = width, .height = height, .channels = channels, .block = channels};
    if (block) {
        activation.channels = rp_ceil_divide(channels, block) * block;
        activation.block = block;
    }
    return activation;
}

bool rp_activation_bytes(const rp_activation *activation, size_t *bytes)
{
    return rp_multiply(activation->width, activation->height, bytes) &&
           rp_multiply(*bytes, activation->channels, bytes) && rp_multiply(*bytes, sizeof(float), bytes);
}

static float *row_of(const rp_activation *activation, uint32_t index, uint32_t y)
{
    return activation->data + ((size_t)index * activation->height + y) * activation->width * activation->block;
}

static uint32_t block_count(const rp_activation *activation)
{
    return activation->channels / activation->block;
}

// Pixels of `count` channels, `stride` floats apart in the target.
static void copy_row(float *target, size_t stride, const float *source, size_t count, size_t width, unsigned shift)
{
    if (stride == count && shift == 0) {
        memcpy(target, source, width * count * sizeof(float));
        return;
    }
    for (size_t x = 0; x < width; x++)
        memcpy(target + x * stride, source + (x >> shift) * count, count * sizeof(float));
}

void rp_join_row(const rp_activation *target, uint32_t target_y, const rp_join *join, int64_t y, uint32_t height)
{
    size_t width = target->width;
    if (y < 0 || y >= (int64_t)height) {
        for (uint32_t i = 0; i < block_count(target); i++)
            memset(row_of(target, i, target_y), 0, width * target->block * sizeof(float));
        return;
    }
    unsigned shift = join->upsample ? 1 : 0;
    uint32_t source_y = (uint32_t)y >> shift, source_blocks = block_count(&join->source);
    if (target->block == target->channels) { // channels-last: both side by side in every pixel
        float *row = row_of(target, 0, target_y);
        copy_row(row, target->block, row_of(&join->source, 0, source_y), join->source.block, width, shift);
        if (join->skip.data)
            copy_row(row + join->source.block, target->block, row_of(&join->skip, 0, (uint32_t)y), join->skip.block,
                     width, 0);
        return;
    }
    for (uint32_t i = 0; i < source_blocks; i++)
        copy_row(row_of(target, i, target_y), target->block, row_of(&join->source, i, source_y), target->block, width,
                 shift);
    for (uint32_t i = source_blocks; i < block_count(target); i++)
        copy_row(row_of(target, i, target_y), target->block, row_of(&join->skip, i - source_blocks, (uint32_t)y),
                 target->block, width, 0);
}

void rp_pool_row(const rp_activation *target, uint32_t y, const rp_activation *source)
{
    size_t block = source->block, row = (size_t)source->width * block;
    for (uint32_t i = 0; i < block_count(source); i++) {
        const float *restrict top = row_of(source, i, 2 * y);
        float *restrict result = row_of(target, i, y);
        for (size_t x = 0; x < target->width; x++, top += 2 * block, result += block)
            for (size_t c = 0; c < block; c++) {
                float a = top[c] > top[block + c] ? top[c] : top[block + c];
                float b = top[row + c] > top[row + block + c] ? top[row + c] : top[row + block + c];
                result[c] = a > b ? a : b;
            }
    }
}

void rp_pack_row(const rp_activation *target, uint32_t y, const float *packed, uint32_t channels)
{
    const float *source = packed + (size_t)y * target->width * channels;
    for (uint32_t i = 0; i < block_count(target); i++) {
        float *row = row_of(target, i, y);
        uint32_t first = i * target->block;
        for (size_t x = 0; x < target->width; x++)
            for (uint32_t c = 0; c < target->block; c++)
                row[x * target->block + c] = first + c < channels ? source[x * channels + first + c] : 0.0f;
    }
}

void rp_unpack_row(float *packed, uint32_t channels, uint32_t y, const rp_activation *source)
{
    float *target = packed + (size_t)y * source->width * channels;
    for (uint32_t c = 0; c < channels; c++) {
        const float *row = row_of(source, c / source->block, y) + c % source->block;
        for (size_t x = 0; x < source->width; x++)
            target[x * channels + c] = row[x * source->block];
    }
}
