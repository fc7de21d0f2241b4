// Byte reader and writer. Bounds are written `size > end - pos`: a sum of pointer and untrusted size could wrap.
#include "base/bytes.h"

#include <string.h>

rp_reader rp_reader_make(const void *bytes, size_t size)
{
    const uint8_t *begin = bytes;
    return (rp_reader){.begin = begin, .pos = begin, .end = size ? begin + size : begin};
}

const uint8_t *rp_read_span(rp_reader *reader, size_t size)
{
    if (reader->failed || size > rp_reader_left(reader)) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *span = reader->pos;
    if (size)
        reader->pos += size;
    return span;
}

uint8_t rp_read_u8(rp_reader *reader)
{
    const uint8_t *b = rp_read_span(reader, 1);
    return b ? b[0] : 0;
}

uint16_t rp_read_u16(rp_reader *reader)
{
    const uint8_t *b = rp_read_span(reader, 2);
    return b ? (uint16_t)(b[0] | (uint32_t)b[1] << 8) : 0;
}

uint32_t rp_read_u32(rp_reader *reader)
{
    const uint8_t *b = rp_read_span(reader, 4);
    return b ? rp_load_u32(b) : 0;
}

uint64_t rp_read_u64(rp_reader *reader)
{
    const uint8_t *b = rp_read_span(reader, 8);
    return b ? rp_load_u32(b) | (uint64_t)rp_load_u32(b + 4) << 32 : 0;
}

size_t rp_reader_offset(const rp_reader *reader)
{
    return (size_t)(reader->pos - reader->begin);
}

size_t rp_reader_left(const rp_reader *reader)
{
    return (size_t)(reader->end - reader->pos);
}

uint32_t rp_load_u32(const void *bytes)
{
    const uint8_t *b = bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void rp_store_u32(void *bytes, uint32_t value)
{
    uint8_t *b = bytes;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    b[2] = (uint8_t)(value >> 16);
    b[3] = (uint8_t)(value >> 24);
}

rp_writer rp_writer_make(const rp_allocator *allocator)
{
    return (rp_writer){.allocator = rp_allocator_or_default(allocator)};
}

void rp_writer_free(rp_writer *writer)
{
    rp_free(&writer->allocator, writer->bytes);
    *writer = (rp_writer){.allocator = writer->allocator};
}

static uint8_t *extend(rp_writer *writer, size_t size)
{
    size_t needed;
    if (writer->failed || !rp_add(writer->size, size, &needed))
        goto fail;
    if (needed > writer->capacity) {
        size_t capacity = writer->capacity ? writer->capacity : 4096;
        while (capacity < needed)
            if (!rp_multiply(capacity, 2, &capacity))
                goto fail;
        uint8_t *grown = rp_reallocate(&writer->allocator, writer->bytes, capacity, 1);
        if (!grown)
            goto fail;
        writer->bytes = grown;
        writer->capacity = capacity;
    }
    uint8_t *at = writer->bytes + writer->size;
    writer->size = needed;
    return at;
fail:
    writer->failed = true;
    return NULL;
}

void rp_write_u32(rp_writer *writer, uint32_t value)
{
    uint8_t *at = extend(writer, 4);
    if (at)
        rp_store_u32(at, value);
}

void rp_write_bytes(rp_writer *writer, const void *bytes, size_t size)
{
    uint8_t *at = size ? extend(writer, size) : NULL;
    if (at)
        memcpy(at, bytes, size);
}

bool rp_utf8_valid(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size;) {
        uint8_t lead = b[i];
        size_t more = lead < 0x80 ? 0 : lead < 0xc2 ? 4 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 4;
        if (more == 4 || more >= size - i)
            return false;
        for (size_t k = 1; k <= more; k++)
            if ((b[i + k] & 0xc0) != 0x80)
                return false;
        // The second byte's range rules out overlong forms, surrogates and code points above U+10FFFF.
        if ((lead == 0xe0 && b[i + 1] < 0xa0) || (lead == 0xed && b[i + 1] > 0x9f) ||
            (lead == 0xf0 && b[i + 1] < 0x90) || (lead == 0xf4 && b[i + 1] > 0x8f))
            return false;
        i += more + 1;
    }
    return true;
}
