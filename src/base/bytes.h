// Little-endian byte reader with a sticky error, and a growing byte writer.
#ifndef RP_BASE_BYTES_H
#define RP_BASE_BYTES_H

#include "base/memory.h"

// Reads from [begin, end). After a read past the end every read gives 0 or NULL, `failed` stays set and `pos` stays
// where the failing field began: parse freely, check once a structure.
typedef struct rp_reader {
    const uint8_t *begin;
    const uint8_t *pos;
    const uint8_t *end;
    bool failed;
} rp_reader;

rp_reader rp_reader_make(const void *bytes, size_t size);
uint8_t rp_read_u8(rp_reader *reader);
uint16_t rp_read_u16(rp_reader *reader);
uint32_t rp_read_u32(rp_reader *reader);
uint64_t rp_read_u64(rp_reader *reader);
// `size` bytes in place, or NULL when fewer are left.
const uint8_t *rp_read_span(rp_reader *reader, size_t size);
size_t rp_reader_offset(const rp_reader *reader);
size_t rp_reader_left(const rp_reader *reader);

uint32_t rp_load_u32(const void *bytes);
void rp_store_u32(void *bytes, uint32_t value);

// Appends to a block of its own. Running out of memory is sticky: check `failed` once, at the end.
typedef struct rp_writer {
    rp_allocator allocator;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    bool failed;
} rp_writer;

rp_writer rp_writer_make(const rp_allocator *allocator);
void rp_writer_free(rp_writer *writer);
void rp_write_u32(rp_writer *writer, uint32_t value);
void rp_write_bytes(rp_writer *writer, const void *bytes, size_t size);

// True when the bytes are well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
bool rp_utf8_valid(const void *bytes, size_t size);

#endif
