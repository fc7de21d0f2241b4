// Reading a version 2 program (docs/format.md): first its structure, then the rules. Counts are held against the bytes
// that are left before anything is allocated for them; nothing of a file that is refused is kept.
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "program/format.h"
#include "program/names.h"
#include "program/owner.h"
#include "program/rules.h"

#include <string.h>

typedef struct parser {
    rp_reader reader;
    rp_program_owner *owner;
    rp_arena scratch; // the offsets, which only messages need
    rp_program_offsets offsets;
    uint32_t max_objects;
    uint64_t max_buffer_bytes;
    uint32_t entry_count, command_count; // in all
    rp_status status;                    // of the first failure
    rp_error *error;
} parser;

// ---- Fields ------------------------------------------------------------------------------------------------------

// Ends a structure: false when the bytes ran out within it.
static bool complete(parser *p, const char *noun, uint32_t index)
{
    if (!p->reader.failed)
        return true;
    uint64_t offset = rp_reader_offset(&p->reader);
    if (index == RP_NO_ID)
        p->status = rp_fail_at(p->error, RP_STATUS_TRUNCATED, offset, "the bytes end within the %s", noun);
    else
        p->status = rp_fail_at(p->error, RP_STATUS_TRUNCATED, offset, "the bytes end within %s %u", noun, index);
    return false;
}

static bool read_count(parser *p, const char *what, uint32_t element_bytes, uint32_t *count)
{
    uint64_t offset = rp_reader_offset(&p->reader);
    *count = rp_read_u32(&p->reader);
    if (!complete(p, what, RP_NO_ID))
        return false;
    size_t left = rp_reader_left(&p->reader);
    if (*count > left / element_bytes) {
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_COUNT, offset,
                               "%s %u, of %u bytes or more each, does not fit the %zu bytes left", what, *count,
                               element_bytes, left);
        return false;
    }
    if (*count > p->max_objects) {
        p->status = rp_fail_at(p->error, RP_STATUS_TOO_LARGE, offset, "%s %u is above the limit of %u", what, *count,
                               p->max_objects);
        return false;
    }
    return true;
}

// A count of things that the limit bounds over the whole file.
static bool read_count_of_all(parser *p, const char *what, uint32_t element_bytes, uint32_t *count, uint32_t *total)
{
    uint64_t offset = rp_reader_offset(&p->reader);
    if (!read_count(p, what, element_bytes, count))
        return false;
    if (*count > p->max_objects - *total) {
        p->status = rp_fail_at(p->error, RP_STATUS_TOO_LARGE, offset, "%s %u after %u before is above the limit of %u",
                               what, *count, *total, p->max_objects);
        return false;
    }
    *total += *count;
    return true;
}

static bool read_blob(parser *p, const char *noun, uint32_t index, const char *field, const uint8_t **data,
                      uint32_t *size)
{
    uint64_t offset = rp_reader_offset(&p->reader);
    *size = rp_read_u32(&p->reader);
    if (!complete(p, noun, index))
        return false;
    size_t left = rp_reader_left(&p->reader);
    uint32_t padding = rp_blob_padding(*size);
    if (*size > left || padding > left - *size) {
        p->status =
            rp_fail_at(p->error, RP_STATUS_BAD_COUNT, offset, "%s %u: %s of %u bytes does not fit the %zu bytes left",
                       noun, index, field, *size, left);
        return false;
    }
    *data = rp_read_span(&p->reader, *size);
    offset = rp_reader_offset(&p->reader);
    const uint8_t *zeros = rp_read_span(&p->reader, padding);
    for (uint32_t i = 0; i < padding; i++)
        if (zeros[i]) {
            p->status = rp_fail_at(p->error, RP_STATUS_BAD_VALUE, offset + i,
                                   "%s %u: a byte of padding behind its %s is %u, not 0", noun, index, field, zeros[i]);
            return false;
        }
    return true;
}

static bool no_memory(parser *p, size_t size)
{
    p->status = rp_fail_memory(p->error, size, "a program");
    return false;
}

static bool read_text(parser *p, const char *noun, uint32_t index, const char *field, rp_text *text)
{
    const uint8_t *data;
    if (!read_blob(p, noun, index, field, &data, &text->size))
        return false;
    // The padding serves as the zero byte behind the text; where there is none the text is copied.
    text->data = (const char *)data;
    if (rp_blob_padding(text->size) == 0)
        text->data = rp_arena_copy(&p->owner->arena, data, text->size);
    return text->data || no_memory(p, text->size);
}

// A table, and where offsets is given, the offsets of its elements.
static void *create_table(parser *p, uint32_t count, size_t element_size, uint64_t **offsets)
{
    void *table = rp_arena_allocate(&p->owner->arena, count, element_size);
    if (offsets)
        *offsets = rp_arena_allocate(&p->scratch, count, sizeof **offsets);
    if (table && (!offsets || *offsets))
        return table;
    no_memory(p, count * element_size);
    return NULL;
}

static bool read_ids(parser *p, const char *noun, uint32_t count, const uint32_t **ids)
{
    uint32_t *table = create_table(p, count, sizeof *table, NULL);
    if (!table)
        return false;
    for (uint32_t i = 0; i < count; i++)
        table[i] = rp_read_u32(&p->reader);
    *ids = table;
    return complete(p, noun, RP_NO_ID);
}

// ---- Structures, in the file's order -----------------------------------------------------------------------------

// An ERRO packet stands where a program could not be recorded; its message is what the user needs to see.
static void pass_error_on(parser *p)
{
    char message[220];
    uint32_t size = rp_read_u32(&p->reader);
    const uint8_t *text = rp_read_span(&p->reader, size);
    if (text && rp_utf8_valid(text, size))
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_MAGIC, 0, "an error packet, not a program: %s",
                               rp_name_text((const char *)text, size, message, sizeof message));
    else
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_MAGIC, 0, "an error packet without a readable message");
}

static bool read_header(parser *p)
{
    rp_program *program = &p->owner->program;
    uint32_t magic = rp_read_u32(&p->reader);
    if (!complete(p, "magic", RP_NO_ID))
        return false;
    if (magic == RP_MAGIC_ERROR) {
        pass_error_on(p);
        return false;
    }
    if (magic != RP_MAGIC_PROGRAM) {
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_MAGIC, 0, "the magic 0x%08x is not a program's 0x%08x", magic,
                               RP_MAGIC_PROGRAM);
        return false;
    }
    uint32_t version = rp_read_u32(&p->reader);
    if (!complete(p, "version", RP_NO_ID))
        return false;
    if (version != RP_PROGRAM_VERSION) {
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_VERSION, 4, "version %u is not %d", version, RP_PROGRAM_VERSION);
        return false;
    }
    if (!read_count(p, "input count", RP_ID_BYTES, &program->input_count))
        return false;
    p->offsets.inputs = rp_reader_offset(&p->reader);
    if (!read_ids(p, "inputs", program->input_count, &program->inputs))
        return false;

    p->offsets.output = rp_reader_offset(&p->reader);
    program->output = rp_read_u32(&p->reader);
    uint32_t external = rp_read_u32(&p->reader);
    program->output_external = external != 0;
    program->output_width = rp_read_u32(&p->reader);
    program->output_height = rp_read_u32(&p->reader);
    program->output_channels = rp_read_u32(&p->reader);
    if (!complete(p, "output", RP_NO_ID))
        return false;
    if (external > 1) {
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_VALUE, p->offsets.output + 4,
                               "output: external is %u, neither 0 nor 1", external);
        return false;
    }
    return true;
}

static bool read_buffers(parser *p)
{
    rp_program *program = &p->owner->program;
    uint32_t count;
    if (!read_count(p, "buffer count", RP_BUFFER_BYTES, &count))
        return false;
    rp_program_buffer *buffers = create_table(p, count, sizeof *buffers, &p->offsets.buffers);
    if (!buffers)
        return false;
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = p->offsets.buffers[i] = rp_reader_offset(&p->reader);
        buffers[i].size_bytes = rp_read_u32(&p->reader);
        buffers[i].usage = rp_read_u32(&p->reader);
        if (!read_blob(p, "buffer", i, "data", &buffers[i].data, &buffers[i].data_size_bytes) ||
            !read_text(p, "buffer", i, "label", &buffers[i].label))
            return false;
        if (buffers[i].size_bytes > p->max_buffer_bytes - total) {
            p->status =
                rp_fail_at(p->error, RP_STATUS_TOO_LARGE, offset,
                           "buffer %u: %u bytes after %llu before are above the limit of %llu", i,
                           buffers[i].size_bytes, (unsigned long long)total, (unsigned long long)p->max_buffer_bytes);
            return false;
        }
        total += buffers[i].size_bytes;
    }
    program->buffers = buffers;
    program->buffer_count = count;
    return true;
}

static bool read_shaders(parser *p)
{
    rp_program *program = &p->owner->program;
    uint32_t count;
    if (!read_count(p, "shader count", RP_SHADER_BYTES, &count))
        return false;
    rp_program_shader *shaders = create_table(p, count, sizeof *shaders, &p->offsets.shaders);
    if (!shaders)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        p->offsets.shaders[i] = rp_reader_offset(&p->reader);
        if (!read_text(p, "shader", i, "WGSL", &shaders[i].wgsl))
            return false;
    }
    program->shaders = shaders;
    program->shader_count = count;
    return true;
}

static bool read_pipelines(parser *p)
{
    rp_program *program = &p->owner->program;
    uint32_t count;
    if (!read_count(p, "pipeline count", RP_PIPELINE_BYTES, &count))
        return false;
    rp_program_pipeline *pipelines = create_table(p, count, sizeof *pipelines, &p->offsets.pipelines);
    if (!pipelines)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        p->offsets.pipelines[i] = rp_reader_offset(&p->reader);
        pipelines[i].shader = rp_read_u32(&p->reader);
        if (!read_text(p, "pipeline", i, "entry point", &pipelines[i].entry_point))
            return false;
    }
    program->pipelines = pipelines;
    program->pipeline_count = count;
    return true;
}

static bool read_bind_group(parser *p, uint32_t index, rp_program_bind_group *bind_group)
{
    bind_group->pipeline = rp_read_u32(&p->reader);
    bind_group->group = rp_read_u32(&p->reader);
    if (!complete(p, "bind group", index) ||
        !read_count_of_all(p, "entry count", RP_ENTRY_BYTES, &bind_group->entry_count, &p->entry_count))
        return false;
    rp_program_entry *entries = create_table(p, bind_group->entry_count, sizeof *entries, NULL);
    if (!entries)
        return false;
    for (uint32_t i = 0; i < bind_group->entry_count; i++) {
        entries[i].binding = rp_read_u32(&p->reader);
        entries[i].buffer = rp_read_u32(&p->reader);
        entries[i].offset = rp_read_u32(&p->reader);
        entries[i].size_bytes = rp_read_u32(&p->reader);
    }
    bind_group->entries = entries;
    return complete(p, "bind group", index);
}

static bool read_bind_groups(parser *p)
{
    rp_program *program = &p->owner->program;
    uint32_t count;
    if (!read_count(p, "bind group count", RP_BIND_GROUP_BYTES, &count))
        return false;
    rp_program_bind_group *bind_groups = create_table(p, count, sizeof *bind_groups, &p->offsets.bind_groups);
    if (!bind_groups)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        p->offsets.bind_groups[i] = rp_reader_offset(&p->reader);
        if (!read_bind_group(p, i, &bind_groups[i]))
            return false;
    }
    program->bind_groups = bind_groups;
    program->bind_group_count = count;
    return true;
}

static bool read_command(parser *p, uint32_t operation, uint32_t index, rp_program_command *command)
{
    uint64_t offset = rp_reader_offset(&p->reader);
    uint32_t kind = rp_read_u32(&p->reader), words[5];
    for (uint32_t i = 0; i < 5; i++)
        words[i] = rp_read_u32(&p->reader);
    if (!complete(p, "commands of operation", operation))
        return false;
    command->kind = (rp_command_kind)kind;
    switch (kind) {
    case RP_COMMAND_DISPATCH:
        command->dispatch.pipeline = words[0];
        command->dispatch.bind_group = words[1];
        command->dispatch.x = words[2];
        command->dispatch.y = words[3];
        command->dispatch.z = words[4];
        return true;
    case RP_COMMAND_COPY:
        command->copy.source = words[0];
        command->copy.source_offset = words[1];
        command->copy.destination = words[2];
        command->copy.destination_offset = words[3];
        command->copy.size_bytes = words[4];
        return true;
    default:
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_VALUE, offset,
                               "operation %u, command %u: kind %u is neither 0 (dispatch) nor 1 (copy)", operation,
                               index, kind);
        return false;
    }
}

static bool read_submit(parser *p, uint32_t index, rp_program_operation *operation)
{
    uint32_t count;
    if (!read_count_of_all(p, "command count", RP_COMMAND_BYTES, &count, &p->command_count))
        return false;
    rp_program_command *commands = create_table(p, count, sizeof *commands, NULL);
    if (!commands)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_command(p, index, i, &commands[i]))
            return false;
    operation->submit.commands = commands;
    operation->submit.command_count = count;
    return true;
}

static bool read_operation(parser *p, uint32_t index, rp_program_operation *operation)
{
    uint64_t offset = rp_reader_offset(&p->reader);
    uint32_t kind = rp_read_u32(&p->reader);
    if (!complete(p, "operation", index))
        return false;
    operation->kind = (rp_operation_kind)kind;
    switch (kind) {
    case RP_OPERATION_SUBMIT:
        return read_submit(p, index, operation);
    case RP_OPERATION_WRITE:
        operation->write.buffer = rp_read_u32(&p->reader);
        operation->write.offset = rp_read_u32(&p->reader);
        return read_blob(p, "operation", index, "data", &operation->write.data, &operation->write.size_bytes);
    default:
        p->status = rp_fail_at(p->error, RP_STATUS_BAD_VALUE, offset,
                               "operation %u: kind %u is neither 0 (submit) nor 1 (write)", index, kind);
        return false;
    }
}

static bool read_operations(parser *p)
{
    rp_program *program = &p->owner->program;
    uint32_t count;
    if (!read_count(p, "operation count", RP_OPERATION_BYTES, &count))
        return false;
    rp_program_operation *operations = create_table(p, count, sizeof *operations, &p->offsets.operations);
    if (!operations)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        p->offsets.operations[i] = rp_reader_offset(&p->reader);
        if (!read_operation(p, i, &operations[i]))
            return false;
    }
    program->operations = operations;
    program->operation_count = count;
    return true;
}

// META where it is there in the version that is known. What else follows the operations is nobody's fault.
static bool read_meta(parser *p)
{
    static const uint8_t magic[4] = {'M', 'E', 'T', 'A'};
    rp_program_meta *meta = &p->owner->program.meta;
    size_t left = rp_reader_left(&p->reader);
    meta->frame_buffer = RP_NO_ID;
    if (left == 0 || memcmp(p->reader.pos, magic, left < 4 ? left : 4) != 0)
        return true;
    if (left >= 8 && rp_load_u32(p->reader.pos + 4) != RP_META_VERSION)
        return true;
    p->offsets.meta = rp_reader_offset(&p->reader);
    rp_read_u32(&p->reader);
    rp_read_u32(&p->reader);
    meta->precision = (rp_precision)rp_read_u32(&p->reader);
    meta->tile_count = rp_read_u32(&p->reader);
    meta->kernel_bits = rp_read_u32(&p->reader);
    meta->frame_buffer = rp_read_u32(&p->reader);
    meta->present = true;
    return complete(p, "META chunk", RP_NO_ID) &&
           read_count(p, "META's weight buffer count", RP_ID_BYTES, &meta->weight_buffer_count) &&
           read_ids(p, "META chunk", meta->weight_buffer_count, &meta->weight_buffers);
}

static bool read_structure(parser *p)
{
    if (!read_header(p) || !read_buffers(p) || !read_shaders(p) || !read_pipelines(p) || !read_bind_groups(p) ||
        !read_operations(p) || !read_meta(p))
        return false;
    rp_program *program = &p->owner->program;
    program->trailing = p->reader.pos;
    program->trailing_size_bytes = rp_reader_left(&p->reader);
    return true;
}

// ---- Entry points ------------------------------------------------------------------------------------------------

static size_t byte_limit(const rp_program_parse_desc *desc)
{
    uint64_t four_gigabytes = (uint64_t)1 << 32;
    if (desc->limits.max_bytes)
        return desc->limits.max_bytes;
    return four_gigabytes < SIZE_MAX ? (size_t)four_gigabytes : SIZE_MAX;
}

// Takes the bytes over, whatever comes of it.
static rp_status parse(uint8_t *bytes, size_t size, const rp_program_parse_desc *desc, rp_program **program,
                       rp_error *error)
{
    rp_program_owner *owner = rp_program_owner_create(desc->allocator);
    if (!owner) {
        rp_free(desc->allocator, bytes);
        return rp_fail_memory(error, sizeof *owner, "a program");
    }
    owner->bytes = bytes;
    parser p = {.reader = rp_reader_make(bytes, size),
                .owner = owner,
                .max_objects = desc->limits.max_objects ? desc->limits.max_objects : 1u << 20,
                .max_buffer_bytes = desc->limits.max_buffer_bytes ? desc->limits.max_buffer_bytes : UINT64_MAX,
                .error = error};
    rp_arena_init(&p.scratch, desc->allocator);
    if (read_structure(&p))
        p.status = rp_rule_program(&owner->program, &p.offsets, desc->allocator, error);
    rp_arena_free(&p.scratch);
    *program = &owner->program;
    if (p.status != RP_STATUS_OK)
        rp_program_destroy(program);
    return rp_error_prefix(error, p.status, desc->name);
}

static rp_program_parse_desc resolve(const rp_program_parse_desc *desc, const char *name)
{
    rp_program_parse_desc resolved = desc ? *desc : (rp_program_parse_desc){0};
    if (!resolved.name)
        resolved.name = name;
    return resolved;
}

rp_status rp_program_parse(const void *bytes, size_t size, const rp_program_parse_desc *desc, rp_program **program,
                           rp_error *error)
{
    rp_program_parse_desc resolved = resolve(desc, "program");
    *program = NULL;
    if (size > byte_limit(&resolved))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "%.200s: %zu bytes, above the limit of %zu", resolved.name, size,
                       byte_limit(&resolved));
    uint8_t *copy = rp_reallocate(resolved.allocator, NULL, size, 1);
    if (!copy)
        return rp_fail_memory(error, size, resolved.name);
    if (size)
        memcpy(copy, bytes, size);
    return parse(copy, size, &resolved, program, error);
}

rp_status rp_program_load(const char *path, const rp_program_parse_desc *desc, rp_program **program, rp_error *error)
{
    rp_program_parse_desc resolved = resolve(desc, path);
    uint8_t *bytes;
    size_t size;
    *program = NULL;
    rp_status status = rp_file_read(path, byte_limit(&resolved), resolved.allocator, &bytes, &size, error);
    if (status != RP_STATUS_OK)
        return status;
    return parse(bytes, size, &resolved, program, error);
}
