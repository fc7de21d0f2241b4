// Reading Intel's tensor archive (TZA, version 2). Format: docs/weights.md. Everything in the file is hostile until it
// was checked here: offsets are held against the bytes there are before anything is added to or taken from them.
#include "oidn/tza.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/half.h"

#include <string.h>

enum {
    TZA_MAGIC = 0x41d7,
    TZA_VERSION_MAJOR = 2,
    TZA_HEADER_BYTES = 12,
    // A one-letter name, one dimension: name length 2, name 1, count 1, dimension 4, layout 1, type 1, offset 8.
    TZA_SMALLEST_ENTRY = 18,
    TZA_MAX_TENSORS = 4096, // networks have 32 or 38; finding names is linear
    MAX_DIMENSIONS = 4
};

// Where each field of an entry begins, for the messages.
typedef struct entry_offsets {
    size_t name, dimension_count, dimensions, layout, type, data_offset;
} entry_offsets;

typedef struct parser {
    rp_reader reader;
    const char *source;
    rp_arena *arena;
    rp_error *error;
} parser;

static rp_status fail_truncated(parser *p, const char *what)
{
    return rp_fail_at(p->error, RP_STATUS_TRUNCATED, rp_reader_offset(&p->reader),
                      "%s: the file ends within %s: %zu bytes left", p->source, what, rp_reader_left(&p->reader));
}

static rp_status parse_header(parser *p, rp_tza *archive)
{
    rp_reader *reader = &p->reader;
    size_t size = rp_reader_left(reader);
    uint16_t magic = rp_read_u16(reader);
    if (!reader->failed && magic != TZA_MAGIC)
        return rp_fail_at(p->error, RP_STATUS_BAD_MAGIC, 0, "%s: not a TZA file: it begins with 0x%04x, not 0x%04x",
                          p->source, magic, TZA_MAGIC);
    archive->version_major = rp_read_u8(reader);
    archive->version_minor = rp_read_u8(reader);
    if (!reader->failed && archive->version_major != TZA_VERSION_MAJOR)
        return rp_fail_at(p->error, RP_STATUS_BAD_VERSION, 2, "%s: TZA version %u.%u, expected 2.x", p->source,
                          archive->version_major, archive->version_minor);
    uint64_t table = rp_read_u64(reader);
    if (reader->failed)
        return fail_truncated(p, "the header");
    if (table < TZA_HEADER_BYTES || table > size)
        return rp_fail_at(p->error, RP_STATUS_BAD_RANGE, 4,
                          "%s: the tensor table is at %llu, outside the %zu bytes of the file", p->source,
                          (unsigned long long)table, size);
    reader->pos = reader->begin + table;
    return RP_STATUS_OK;
}

static rp_status parse_count(parser *p, rp_tza *archive)
{
    size_t offset = rp_reader_offset(&p->reader);
    archive->tensor_count = rp_read_u32(&p->reader);
    if (p->reader.failed)
        return fail_truncated(p, "the tensor count");
    size_t left = rp_reader_left(&p->reader);
    if (archive->tensor_count > left / TZA_SMALLEST_ENTRY)
        return rp_fail_at(p->error, RP_STATUS_BAD_COUNT, offset,
                          "%s: %u tensors cannot be described in the %zu bytes left", p->source, archive->tensor_count,
                          left);
    if (archive->tensor_count > TZA_MAX_TENSORS)
        return rp_fail_at(p->error, RP_STATUS_TOO_LARGE, offset, "%s: %u tensors, above the limit of %d", p->source,
                          archive->tensor_count, TZA_MAX_TENSORS);
    archive->tensors = rp_arena_allocate(p->arena, archive->tensor_count, sizeof *archive->tensors);
    if (!archive->tensors)
        return rp_fail_memory(p->error, archive->tensor_count * sizeof *archive->tensors, "a tensor table");
    return RP_STATUS_OK;
}

static bool printable(const uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return size > 0;
}

static rp_status parse_name(parser *p, const rp_tza *archive, uint32_t index, rp_tza_tensor *tensor, entry_offsets *at)
{
    at->name = rp_reader_offset(&p->reader);
    size_t length = rp_read_u16(&p->reader);
    const uint8_t *name = rp_read_span(&p->reader, length);
    if (!name)
        return fail_truncated(p, "a tensor's name");
    if (!printable(name, length))
        return rp_fail_at(p->error, RP_STATUS_BAD_TEXT, at->name,
                          "%s: the name of tensor %u is empty or not printable ASCII (%zu bytes)", p->source, index,
                          length);
    tensor->name = rp_arena_copy(p->arena, name, length);
    if (!tensor->name)
        return rp_fail_memory(p->error, length, "a tensor's name");
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(archive->tensors[i].name, tensor->name) == 0)
            return rp_fail_at(p->error, RP_STATUS_DUPLICATE, at->name, "%s: tensors %u and %u are both named '%.80s'",
                              p->source, i, index, tensor->name);
    return RP_STATUS_OK;
}

static rp_status parse_shape(parser *p, rp_tza_tensor *tensor, entry_offsets *at)
{
    rp_reader *reader = &p->reader;
    at->dimension_count = rp_reader_offset(reader);
    tensor->dimension_count = rp_read_u8(reader);
    if (!reader->failed && tensor->dimension_count != 1 && tensor->dimension_count != MAX_DIMENSIONS)
        return rp_fail_at(p->error, RP_STATUS_BAD_VALUE, at->dimension_count,
                          "%s: tensor '%.80s' has %u dimensions, expected 1 (x) or 4 (oihw)", p->source, tensor->name,
                          tensor->dimension_count);
    at->dimensions = rp_reader_offset(reader);
    for (uint32_t i = 0; i < tensor->dimension_count; i++)
        tensor->dimensions[i] = rp_read_u32(reader);
    at->layout = rp_reader_offset(reader);
    const uint8_t *layout = rp_read_span(reader, tensor->dimension_count);
    at->type = rp_reader_offset(reader);
    uint8_t type = rp_read_u8(reader);
    if (reader->failed)
        return fail_truncated(p, "a tensor's shape");

    for (uint32_t i = 0; i < tensor->dimension_count; i++)
        if (tensor->dimensions[i] == 0)
            return rp_fail_at(p->error, RP_STATUS_BAD_VALUE, at->dimensions + 4 * (size_t)i,
                              "%s: tensor '%.80s': dimension %u is 0", p->source, tensor->name, i);
    tensor->layout = tensor->dimension_count == 1 ? RP_LAYOUT_X : RP_LAYOUT_OIHW;
    const char *expected = tensor->layout == RP_LAYOUT_X ? "x" : "oihw";
    if (memcmp(layout, expected, tensor->dimension_count) != 0)
        return rp_fail_at(p->error, RP_STATUS_BAD_VALUE, at->layout,
                          "%s: tensor '%.80s' of %u dimensions has a layout other than %s", p->source, tensor->name,
                          tensor->dimension_count, expected);
    if (type != 'f' && type != 'h')
        return rp_fail_at(p->error, RP_STATUS_BAD_VALUE, at->type,
                          "%s: tensor '%.80s' has data type 0x%02x, expected 'f' or 'h'", p->source, tensor->name,
                          type);
    tensor->type = type == 'f' ? RP_TENSOR_FLOAT : RP_TENSOR_HALF;
    return RP_STATUS_OK;
}

static rp_status parse_data(parser *p, rp_tza_tensor *tensor, entry_offsets *at)
{
    at->data_offset = rp_reader_offset(&p->reader);
    uint64_t offset = rp_read_u64(&p->reader);
    if (p->reader.failed)
        return fail_truncated(p, "a tensor's data offset");
    size_t count = 1, bytes;
    for (uint32_t i = 0; i < tensor->dimension_count; i++)
        if (!rp_multiply(count, tensor->dimensions[i], &count))
            goto overflow;
    if (!rp_multiply(count, tensor->type == RP_TENSOR_FLOAT ? 4 : 2, &bytes))
        goto overflow;
    size_t file = (size_t)(p->reader.end - p->reader.begin);
    if (offset < TZA_HEADER_BYTES || offset > file || bytes > file - offset)
        return rp_fail_at(p->error, RP_STATUS_BAD_RANGE, at->data_offset,
                          "%s: tensor '%.80s': %zu bytes of data at %llu, outside the %zu bytes of the file", p->source,
                          tensor->name, bytes, (unsigned long long)offset, file);
    tensor->element_count = count;
    tensor->data = p->reader.begin + offset;
    return RP_STATUS_OK;
overflow:
    return rp_fail_at(p->error, RP_STATUS_TOO_LARGE, at->dimensions,
                      "%s: tensor '%.80s' has more elements than memory can hold: %u × %u × %u × %u", p->source,
                      tensor->name, tensor->dimensions[0], tensor->dimensions[1], tensor->dimensions[2],
                      tensor->dimensions[3]);
}

rp_status rp_tza_parse(const void *bytes, size_t size, const char *name, rp_arena *arena, rp_tza *archive,
                       rp_error *error)
{
    parser p = {.reader = rp_reader_make(bytes, size), .source = name, .arena = arena, .error = error};
    *archive = (rp_tza){0};
    rp_status status = parse_header(&p, archive);
    if (status == RP_STATUS_OK)
        status = parse_count(&p, archive);
    for (uint32_t i = 0; i < archive->tensor_count && status == RP_STATUS_OK; i++) {
        rp_tza_tensor *tensor = &archive->tensors[i];
        entry_offsets at = {0};
        status = parse_name(&p, archive, i, tensor, &at);
        if (status == RP_STATUS_OK)
            status = parse_shape(&p, tensor, &at);
        if (status == RP_STATUS_OK)
            status = parse_data(&p, tensor, &at);
    }
    return status;
}

const rp_tza_tensor *rp_tza_find(const rp_tza *archive, const char *name)
{
    for (uint32_t i = 0; i < archive->tensor_count; i++)
        if (strcmp(archive->tensors[i].name, name) == 0)
            return &archive->tensors[i];
    return NULL;
}

float rp_tza_value(const rp_tza_tensor *tensor, size_t index)
{
    if (tensor->type == RP_TENSOR_HALF) {
        const uint8_t *half = tensor->data + 2 * index;
        return rp_half_to_float((uint16_t)(half[0] | (uint32_t)half[1] << 8));
    }
    uint32_t bits = rp_load_u32(tensor->data + 4 * index);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
