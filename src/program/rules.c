// Every semantic rule of docs/format.md. WebGPU's own rules come from its specification: buffer creation, bind group
// creation, copyBufferToBuffer, writeBuffer.
#include "program/rules.h"
#include "base/bytes.h"
#include "base/error.h"
#include "program/format.h"
#include "program/names.h"

#include <stdarg.h>
#include <stdio.h>

// ---- Messages ----------------------------------------------------------------------------------------------------

static void name_place(const rp_place *place, char *name, size_t size)
{
    if (place->operation != RP_NO_ID && place->index != RP_NO_ID)
        snprintf(name, size, "operation %u, command %u (%s)", place->operation, place->index, place->noun);
    else if (place->operation != RP_NO_ID)
        snprintf(name, size, "operation %u (%s)", place->operation, place->noun);
    else if (place->index != RP_NO_ID)
        snprintf(name, size, "%s %u", place->noun, place->index);
    else
        snprintf(name, size, "%s", place->noun);
}

// "place: detail", and the offset of the field where there is a file.
static rp_status fault(const rp_place *place, uint64_t field, rp_status status, rp_error *error, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));

static rp_status fault(const rp_place *place, uint64_t field, rp_status status, rp_error *error, const char *format,
                       ...)
{
    if (!error)
        return status;
    char name[RP_BUFFER_NAME_SIZE], detail[360];
    name_place(place, name, sizeof name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    if (place->offset == RP_NO_OFFSET)
        return rp_fail(error, status, "%s: %s", name, detail);
    return rp_fail_at(error, status, place->offset + field, "%s: %s", name, detail);
}

// ---- Parts that several objects share ----------------------------------------------------------------------------

static rp_status check_id(uint32_t id, uint32_t count, const char *what, const char *table, const rp_place *place,
                          uint64_t field, rp_error *error)
{
    if (id < count)
        return RP_STATUS_OK;
    return fault(place, field, RP_STATUS_BAD_ID, error, "%s %u is not one of the %u %s", what, id, count, table);
}

// A buffer that must exist and have all of these usage bits. `what` begins the message: "source", "input".
static rp_status check_buffer(const rp_program *program, uint32_t id, uint32_t usage, const char *what,
                              const rp_place *place, uint64_t field, rp_error *error)
{
    if (id >= program->buffer_count)
        return fault(place, field, RP_STATUS_BAD_ID, error, "%s buffer %u is not one of the %u buffers", what, id,
                     program->buffer_count);
    const rp_program_buffer *buffer = &program->buffers[id];
    uint32_t lacking = usage & ~buffer->usage;
    if (!lacking)
        return RP_STATUS_OK;
    char name[RP_BUFFER_NAME_SIZE], has[RP_USAGE_NAME_SIZE], lacks[RP_USAGE_NAME_SIZE];
    return fault(place, field, RP_STATUS_BAD_USAGE, error, "%s %s has usage %s, which lacks %s", what,
                 rp_name_buffer(buffer, id, name), rp_name_usage(buffer->usage, has), rp_name_usage(lacking, lacks));
}

static rp_status check_multiple(uint64_t value, uint32_t alignment, const char *what, const rp_place *place,
                                uint64_t field, rp_error *error)
{
    if (value % alignment == 0)
        return RP_STATUS_OK;
    return fault(place, field, RP_STATUS_BAD_ALIGNMENT, error, "%s %llu is not a multiple of %u", what,
                 (unsigned long long)value, alignment);
}

// The fault lies with the offset where that alone is outside, else with the size.
static rp_status check_range(const rp_program *program, uint32_t id, uint32_t offset, uint64_t size_bytes,
                             const char *what, const rp_place *place, uint64_t offset_field, uint64_t size_field,
                             rp_error *error)
{
    const rp_program_buffer *buffer = &program->buffers[id];
    char name[RP_BUFFER_NAME_SIZE];
    if (offset > buffer->size_bytes)
        return fault(place, offset_field, RP_STATUS_BAD_RANGE, error, "%s offset %u is outside %s of %u bytes", what,
                     offset, rp_name_buffer(buffer, id, name), buffer->size_bytes);
    if (size_bytes > buffer->size_bytes - offset)
        return fault(place, size_field, RP_STATUS_BAD_RANGE, error,
                     "%s range of %llu bytes at %u is outside %s of %u bytes", what, (unsigned long long)size_bytes,
                     offset, rp_name_buffer(buffer, id, name), buffer->size_bytes);
    return RP_STATUS_OK;
}

// One bit a buffer, to find an id that comes twice.
static uint8_t *create_seen(const rp_program *program, const rp_allocator *allocator, rp_error *error)
{
    size_t size = program->buffer_count / 8 + 1;
    uint8_t *seen = rp_allocate(allocator, size, 1);
    if (!seen)
        rp_fail_memory(error, size, "a table of buffers");
    return seen;
}

static rp_status check_first(uint8_t *seen, uint32_t id, const char *what, const rp_place *place, uint64_t field,
                             rp_error *error)
{
    uint8_t bit = (uint8_t)(1u << id % 8);
    if (seen[id / 8] & bit)
        return fault(place, field, RP_STATUS_DUPLICATE, error, "%s %u is listed twice", what, id);
    seen[id / 8] |= bit;
    return RP_STATUS_OK;
}

// ---- Objects -----------------------------------------------------------------------------------------------------

rp_status rp_rule_text(rp_text text, const char *what, const rp_place *place, uint64_t field, rp_error *error)
{
    if (rp_utf8_valid(text.data, text.size))
        return RP_STATUS_OK;
    return fault(place, field, RP_STATUS_BAD_TEXT, error, "%s of %u bytes is not UTF-8", what, text.size);
}

// Mapping goes with one kind of copy and nothing else.
static rp_status check_usage(uint32_t usage, const rp_place *place, rp_error *error)
{
    static const struct {
        uint32_t map, copy;
    } pairs[] = {{RP_USAGE_MAP_READ, RP_USAGE_COPY_DST}, {RP_USAGE_MAP_WRITE, RP_USAGE_COPY_SRC}};
    char name[RP_USAGE_NAME_SIZE], map[RP_USAGE_NAME_SIZE], copy[RP_USAGE_NAME_SIZE];
    if (usage & ~RP_USAGE_ALL)
        return fault(place, 4, RP_STATUS_BAD_VALUE, error, "usage %s has bits that WebGPU does not define",
                     rp_name_usage(usage, name));
    if (usage == 0)
        return fault(place, 4, RP_STATUS_BAD_USAGE, error, "usage is 0: at least one bit must be set");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((usage & pairs[i].map) && (usage & ~(pairs[i].map | pairs[i].copy)))
            return fault(place, 4, RP_STATUS_BAD_USAGE, error, "usage %s: %s goes with %s alone",
                         rp_name_usage(usage, name), rp_name_usage(pairs[i].map, map),
                         rp_name_usage(pairs[i].copy, copy));
    return RP_STATUS_OK;
}

rp_status rp_rule_buffer(const rp_program_buffer *buffer, uint32_t id, uint64_t offset, rp_error *error)
{
    rp_place place = {.noun = "buffer", .index = id, .operation = RP_NO_ID, .offset = offset};
    uint64_t label = 12 + (uint64_t)buffer->data_size_bytes + rp_blob_padding(buffer->data_size_bytes);
    rp_status status = rp_rule_text(buffer->label, "label", &place, label, error);
    if (status != RP_STATUS_OK)
        return status;
    // From here on the label may be shown.
    char name[RP_BUFFER_NAME_SIZE];
    place.noun = rp_name_buffer(buffer, id, name);
    place.index = RP_NO_ID;
    if (buffer->size_bytes == 0)
        return fault(&place, 0, RP_STATUS_BAD_SIZE, error, "size is 0: a buffer has at least 1 byte");
    status = check_usage(buffer->usage, &place, error);
    if (status != RP_STATUS_OK)
        return status;
    if (buffer->data_size_bytes > buffer->size_bytes)
        return fault(&place, 8, RP_STATUS_BAD_SIZE, error, "%u bytes of initial data exceed its size of %u",
                     buffer->data_size_bytes, buffer->size_bytes);
    // Neither mappedAtCreation nor a queue write could fill any other.
    if (buffer->data_size_bytes)
        return check_multiple(buffer->size_bytes, RP_COPY_ALIGNMENT, "with initial data, size", &place, 0, error);
    return RP_STATUS_OK;
}

rp_status rp_rule_shader(const rp_program_shader *shader, uint32_t id, uint64_t offset, rp_error *error)
{
    rp_place place = {.noun = "shader", .index = id, .operation = RP_NO_ID, .offset = offset};
    return rp_rule_text(shader->wgsl, "WGSL", &place, 0, error);
}

rp_status rp_rule_pipeline(const rp_program *program, const rp_program_pipeline *pipeline, uint32_t id, uint64_t offset,
                           rp_error *error)
{
    rp_place place = {.noun = "pipeline", .index = id, .operation = RP_NO_ID, .offset = offset};
    rp_status status = check_id(pipeline->shader, program->shader_count, "shader", "shaders", &place, 0, error);
    if (status == RP_STATUS_OK)
        status = rp_rule_text(pipeline->entry_point, "entry point", &place, 4, error);
    return status;
}

// Its fields: binding, buffer, offset, size. Whether a buffer with both usages is bound as uniform or as storage stands
// in the shader alone, so what only storage demands is asked of buffers that cannot be uniforms.
static rp_status check_entry(const rp_program *program, const rp_program_entry *entry, const rp_place *place,
                             uint64_t field, rp_error *error)
{
    char what[32];
    snprintf(what, sizeof what, "binding %u,", entry->binding);
    if (entry->binding >= RP_BINDING_LIMIT)
        return fault(place, field, RP_STATUS_BAD_VALUE, error, "binding %u is not below %u", entry->binding,
                     RP_BINDING_LIMIT);
    rp_status status = check_buffer(program, entry->buffer, 0, what, place, field + 4, error);
    if (status != RP_STATUS_OK)
        return status;
    const rp_program_buffer *buffer = &program->buffers[entry->buffer];
    char name[RP_BUFFER_NAME_SIZE], usage[RP_USAGE_NAME_SIZE];
    if (!(buffer->usage & (RP_USAGE_UNIFORM | RP_USAGE_STORAGE)))
        return fault(place, field + 4, RP_STATUS_BAD_USAGE, error,
                     "%s %s has usage %s, which lacks both UNIFORM and STORAGE", what,
                     rp_name_buffer(buffer, entry->buffer, name), rp_name_usage(buffer->usage, usage));
    if (entry->offset % RP_BINDING_ALIGNMENT)
        return fault(place, field + 8, RP_STATUS_BAD_ALIGNMENT, error, "%s offset %u is not a multiple of %u", what,
                     entry->offset, RP_BINDING_ALIGNMENT);
    status = check_range(program, entry->buffer, entry->offset, entry->size_bytes, what, place, field + 8, field + 12,
                         error);
    if (status != RP_STATUS_OK)
        return status;
    uint32_t size_bytes = rp_entry_bytes(entry, buffer);
    if (size_bytes == 0)
        return fault(place, field + 8, RP_STATUS_BAD_RANGE, error, "%s offset %u leaves nothing of %s of %u bytes",
                     what, entry->offset, rp_name_buffer(buffer, entry->buffer, name), buffer->size_bytes);
    if (!(buffer->usage & RP_USAGE_UNIFORM) && size_bytes % 4)
        return fault(place, field + 12, RP_STATUS_BAD_ALIGNMENT, error,
                     "%s %u bytes of %s: a storage binding takes a multiple of 4", what, size_bytes,
                     rp_name_buffer(buffer, entry->buffer, name));
    return RP_STATUS_OK;
}

rp_status rp_rule_bind_group(const rp_program *program, const rp_program_bind_group *bind_group, uint32_t id,
                             uint64_t offset, rp_error *error)
{
    rp_place place = {.noun = "bind group", .index = id, .operation = RP_NO_ID, .offset = offset};
    rp_status status =
        check_id(bind_group->pipeline, program->pipeline_count, "pipeline", "pipelines", &place, 0, error);
    if (status != RP_STATUS_OK)
        return status;
    if (bind_group->group >= RP_GROUP_LIMIT)
        return fault(&place, 4, RP_STATUS_BAD_VALUE, error, "group index %u is not below %u", bind_group->group,
                     RP_GROUP_LIMIT);
    uint8_t seen[RP_BINDING_LIMIT / 8] = {0};
    for (uint32_t i = 0; i < bind_group->entry_count; i++) {
        uint64_t field = 12 + (uint64_t)RP_ENTRY_BYTES * i;
        const rp_program_entry *entry = &bind_group->entries[i];
        status = check_entry(program, entry, &place, field, error);
        if (status == RP_STATUS_OK)
            status = check_first(seen, entry->binding, "binding", &place, field, error);
        if (status != RP_STATUS_OK)
            return status;
    }
    return RP_STATUS_OK;
}

// ---- Operations --------------------------------------------------------------------------------------------------

// Fields after the kind: pipeline, bind group, x, y, z.
static rp_status check_dispatch(const rp_program *program, const rp_program_command *command, const rp_place *place,
                                rp_error *error)
{
    uint32_t pipeline = command->dispatch.pipeline, bind_group = command->dispatch.bind_group;
    rp_status status = check_id(pipeline, program->pipeline_count, "pipeline", "pipelines", place, 4, error);
    if (status == RP_STATUS_OK)
        status = check_id(bind_group, program->bind_group_count, "bind group", "bind groups", place, 8, error);
    if (status != RP_STATUS_OK)
        return status;
    uint32_t made_for = program->bind_groups[bind_group].pipeline;
    if (made_for != pipeline)
        return fault(place, 8, RP_STATUS_BAD_BIND_GROUP, error, "bind group %u was made for pipeline %u, not %u",
                     bind_group, made_for, pipeline);
    return RP_STATUS_OK;
}

// Fields after the kind: source, source offset, destination, destination offset, size.
static rp_status check_copy(const rp_program *program, const rp_program_command *command, const rp_place *place,
                            rp_error *error)
{
    uint32_t source = command->copy.source, destination = command->copy.destination;
    uint32_t source_offset = command->copy.source_offset, destination_offset = command->copy.destination_offset;
    uint32_t size_bytes = command->copy.size_bytes;
    rp_status status = check_buffer(program, source, RP_USAGE_COPY_SRC, "source", place, 4, error);
    if (status == RP_STATUS_OK)
        status = check_buffer(program, destination, RP_USAGE_COPY_DST, "destination", place, 12, error);
    if (status == RP_STATUS_OK && source == destination)
        status = fault(place, 12, RP_STATUS_BAD_VALUE, error, "source and destination are the same buffer %u", source);
    if (status == RP_STATUS_OK)
        status = check_multiple(source_offset, RP_COPY_ALIGNMENT, "source offset", place, 8, error);
    if (status == RP_STATUS_OK)
        status = check_multiple(destination_offset, RP_COPY_ALIGNMENT, "destination offset", place, 16, error);
    if (status == RP_STATUS_OK)
        status = check_multiple(size_bytes, RP_COPY_ALIGNMENT, "size", place, 20, error);
    if (status == RP_STATUS_OK)
        status = check_range(program, source, source_offset, size_bytes, "source", place, 8, 20, error);
    if (status == RP_STATUS_OK)
        status = check_range(program, destination, destination_offset, size_bytes, "destination", place, 16, 20, error);
    return status;
}

rp_status rp_rule_command(const rp_program *program, const rp_program_command *command, const rp_place *place,
                          rp_error *error)
{
    switch (command->kind) {
    case RP_COMMAND_DISPATCH:
        return check_dispatch(program, command, place, error);
    case RP_COMMAND_COPY:
        return check_copy(program, command, place, error);
    }
    return fault(place, 0, RP_STATUS_BAD_VALUE, error, "kind %u is not known", (unsigned)command->kind);
}

rp_status rp_rule_write(const rp_program *program, uint32_t buffer, uint32_t offset, uint64_t size_bytes,
                        const rp_place *place, rp_error *error)
{
    rp_status status = check_buffer(program, buffer, RP_USAGE_COPY_DST, "destination", place, 4, error);
    if (status == RP_STATUS_OK)
        status = check_multiple(offset, RP_COPY_ALIGNMENT, "offset", place, 8, error);
    if (status == RP_STATUS_OK)
        status = check_multiple(size_bytes, RP_COPY_ALIGNMENT, "size", place, 12, error);
    if (status == RP_STATUS_OK)
        status = check_range(program, buffer, offset, size_bytes, "destination", place, 8, 12, error);
    return status;
}

// ---- The whole ---------------------------------------------------------------------------------------------------

// Hosts copy into inputs and out of the output, whole buffers at a time.
static rp_status check_inputs(const rp_program *program, uint64_t offset, uint8_t *seen, rp_error *error)
{
    for (uint32_t i = 0; i < program->input_count; i++) {
        rp_place place = {.noun = "input",
                          .index = i,
                          .operation = RP_NO_ID,
                          .offset = offset == RP_NO_OFFSET ? offset : offset + 4 * (uint64_t)i};
        uint32_t id = program->inputs[i];
        rp_status status = check_buffer(program, id, RP_USAGE_COPY_DST, "its", &place, 0, error);
        if (status == RP_STATUS_OK)
            status = check_first(seen, id, "buffer", &place, 0, error);
        if (status == RP_STATUS_OK)
            status = check_multiple(program->buffers[id].size_bytes, RP_COPY_ALIGNMENT, "its buffer's size", &place, 0,
                                    error);
        if (status != RP_STATUS_OK)
            return status;
    }
    return RP_STATUS_OK;
}

static rp_status check_output(const rp_program *program, uint64_t offset, rp_error *error)
{
    rp_place place = {.noun = "output", .index = RP_NO_ID, .operation = RP_NO_ID, .offset = offset};
    uint32_t id = program->output;
    // A host that brings its own buffer reads that one, with whatever usage it gave it.
    rp_status status =
        check_buffer(program, id, program->output_external ? 0 : RP_USAGE_COPY_SRC, "its", &place, 0, error);
    if (status == RP_STATUS_OK)
        status =
            check_multiple(program->buffers[id].size_bytes, RP_COPY_ALIGNMENT, "its buffer's size", &place, 0, error);
    if (status != RP_STATUS_OK || program->output_channels == 0)
        return status;
    // width × height × channels <= floats, without the product that could overflow.
    const rp_program_buffer *buffer = &program->buffers[id];
    uint64_t pixels = (uint64_t)program->output_width * program->output_height;
    char name[RP_BUFFER_NAME_SIZE];
    if (pixels > buffer->size_bytes / 4 / program->output_channels)
        return fault(&place, 8, RP_STATUS_BAD_SIZE, error, "%u x %u pixels of %u floats do not fit %s of %u bytes",
                     program->output_width, program->output_height, program->output_channels,
                     rp_name_buffer(buffer, id, name), buffer->size_bytes);
    return RP_STATUS_OK;
}

rp_status rp_rule_interface(const rp_program *program, const rp_program_offsets *offsets, const rp_allocator *allocator,
                            rp_error *error)
{
    uint8_t *seen = create_seen(program, allocator, error);
    if (!seen)
        return RP_STATUS_OUT_OF_MEMORY;
    rp_status status = check_inputs(program, offsets ? offsets->inputs : RP_NO_OFFSET, seen, error);
    rp_free(allocator, seen);
    if (status == RP_STATUS_OK)
        status = check_output(program, offsets ? offsets->output : RP_NO_OFFSET, error);
    return status;
}

static rp_status check_frame(const rp_program *program, const rp_place *place, rp_error *error)
{
    uint32_t id = program->meta.frame_buffer;
    if (id == RP_NO_ID)
        return RP_STATUS_OK;
    rp_status status = check_buffer(program, id, RP_USAGE_UNIFORM | RP_USAGE_COPY_DST, "frame", place, 20, error);
    if (status != RP_STATUS_OK)
        return status;
    char name[RP_BUFFER_NAME_SIZE];
    if (program->buffers[id].size_bytes < RP_FRAME_BYTES)
        return fault(place, 20, RP_STATUS_BAD_SIZE, error, "frame %s of %u bytes has fewer than %u",
                     rp_name_buffer(&program->buffers[id], id, name), program->buffers[id].size_bytes, RP_FRAME_BYTES);
    return RP_STATUS_OK;
}

// Fields: magic, version, precision, tiles, kernel bits, frame buffer, weight buffer count, weight buffers.
rp_status rp_rule_meta(const rp_program *program, const rp_program_offsets *offsets, const rp_allocator *allocator,
                       rp_error *error)
{
    const rp_program_meta *meta = &program->meta;
    if (!meta->present)
        return RP_STATUS_OK;
    rp_place place = {
        .noun = "META", .index = RP_NO_ID, .operation = RP_NO_ID, .offset = offsets ? offsets->meta : RP_NO_OFFSET};
    if (meta->precision != RP_PRECISION_FP32 && meta->precision != RP_PRECISION_FP16)
        return fault(&place, 8, RP_STATUS_BAD_VALUE, error, "precision %u is neither 1 (fp32) nor 2 (fp16)",
                     (unsigned)meta->precision);
    rp_status status = check_frame(program, &place, error);
    if (status != RP_STATUS_OK)
        return status;
    uint8_t *seen = create_seen(program, allocator, error);
    if (!seen)
        return RP_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < meta->weight_buffer_count && status == RP_STATUS_OK; i++) {
        uint64_t field = 28 + 4 * (uint64_t)i;
        uint32_t id = meta->weight_buffers[i];
        status = check_buffer(program, id, 0, "weight", &place, field, error);
        if (status == RP_STATUS_OK)
            status = check_first(seen, id, "weight buffer", &place, field, error);
    }
    rp_free(allocator, seen);
    return status;
}

static rp_status check_operation(const rp_program *program, uint32_t index, uint64_t offset, rp_error *error)
{
    const rp_program_operation *operation = &program->operations[index];
    if (operation->kind == RP_OPERATION_WRITE) {
        rp_place place = {.noun = "write", .index = RP_NO_ID, .operation = index, .offset = offset};
        return rp_rule_write(program, operation->write.buffer, operation->write.offset, operation->write.size_bytes,
                             &place, error);
    }
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i < operation->submit.command_count && status == RP_STATUS_OK; i++) {
        const rp_program_command *command = &operation->submit.commands[i];
        rp_place place = {.noun = command->kind == RP_COMMAND_COPY ? "copy" : "dispatch",
                          .index = i,
                          .operation = index,
                          .offset = offset + RP_OPERATION_BYTES + (uint64_t)RP_COMMAND_BYTES * i};
        status = rp_rule_command(program, command, &place, error);
    }
    return status;
}

rp_status rp_rule_program(const rp_program *program, const rp_program_offsets *offsets, const rp_allocator *allocator,
                          rp_error *error)
{
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i < program->buffer_count && status == RP_STATUS_OK; i++)
        status = rp_rule_buffer(&program->buffers[i], i, offsets->buffers[i], error);
    for (uint32_t i = 0; i < program->shader_count && status == RP_STATUS_OK; i++)
        status = rp_rule_shader(&program->shaders[i], i, offsets->shaders[i], error);
    for (uint32_t i = 0; i < program->pipeline_count && status == RP_STATUS_OK; i++)
        status = rp_rule_pipeline(program, &program->pipelines[i], i, offsets->pipelines[i], error);
    for (uint32_t i = 0; i < program->bind_group_count && status == RP_STATUS_OK; i++)
        status = rp_rule_bind_group(program, &program->bind_groups[i], i, offsets->bind_groups[i], error);
    if (status == RP_STATUS_OK)
        status = rp_rule_interface(program, offsets, allocator, error);
    for (uint32_t i = 0; i < program->operation_count && status == RP_STATUS_OK; i++)
        status = check_operation(program, i, offsets->operations[i], error);
    if (status == RP_STATUS_OK)
        status = rp_rule_meta(program, offsets, allocator, error);
    return status;
}
