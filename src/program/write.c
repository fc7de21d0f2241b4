// Writing a version 2 program (docs/format.md), byte for byte as the format's origin does.
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "program/format.h"
#include "reprise/program.h"

static void write_blob(rp_writer *writer, const void *bytes, uint32_t size)
{
    static const uint8_t zeros[3] = {0};
    rp_write_u32(writer, size);
    rp_write_bytes(writer, bytes, size);
    rp_write_bytes(writer, zeros, rp_blob_padding(size));
}

static void write_ids(rp_writer *writer, const uint32_t *ids, uint32_t count)
{
    rp_write_u32(writer, count);
    for (uint32_t i = 0; i < count; i++)
        rp_write_u32(writer, ids[i]);
}

static void write_bind_group(rp_writer *writer, const rp_program_bind_group *bind_group)
{
    rp_write_u32(writer, bind_group->pipeline);
    rp_write_u32(writer, bind_group->group);
    rp_write_u32(writer, bind_group->entry_count);
    for (uint32_t i = 0; i < bind_group->entry_count; i++) {
        rp_write_u32(writer, bind_group->entries[i].binding);
        rp_write_u32(writer, bind_group->entries[i].buffer);
        rp_write_u32(writer, bind_group->entries[i].offset);
        rp_write_u32(writer, bind_group->entries[i].size_bytes);
    }
}

static void write_objects(rp_writer *writer, const rp_program *program)
{
    rp_write_u32(writer, program->buffer_count);
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const rp_program_buffer *buffer = &program->buffers[i];
        rp_write_u32(writer, buffer->size_bytes);
        rp_write_u32(writer, buffer->usage);
        write_blob(writer, buffer->data, buffer->data_size_bytes);
        write_blob(writer, buffer->label.data, buffer->label.size);
    }
    rp_write_u32(writer, program->shader_count);
    for (uint32_t i = 0; i < program->shader_count; i++)
        write_blob(writer, program->shaders[i].wgsl.data, program->shaders[i].wgsl.size);
    rp_write_u32(writer, program->pipeline_count);
    for (uint32_t i = 0; i < program->pipeline_count; i++) {
        rp_write_u32(writer, program->pipelines[i].shader);
        write_blob(writer, program->pipelines[i].entry_point.data, program->pipelines[i].entry_point.size);
    }
    rp_write_u32(writer, program->bind_group_count);
    for (uint32_t i = 0; i < program->bind_group_count; i++)
        write_bind_group(writer, &program->bind_groups[i]);
}

static void write_command(rp_writer *writer, const rp_program_command *command)
{
    rp_write_u32(writer, command->kind);
    switch (command->kind) {
    case RP_COMMAND_DISPATCH:
        rp_write_u32(writer, command->dispatch.pipeline);
        rp_write_u32(writer, command->dispatch.bind_group);
        rp_write_u32(writer, command->dispatch.x);
        rp_write_u32(writer, command->dispatch.y);
        rp_write_u32(writer, command->dispatch.z);
        break;
    case RP_COMMAND_COPY:
        rp_write_u32(writer, command->copy.source);
        rp_write_u32(writer, command->copy.source_offset);
        rp_write_u32(writer, command->copy.destination);
        rp_write_u32(writer, command->copy.destination_offset);
        rp_write_u32(writer, command->copy.size_bytes);
        break;
    }
}

static void write_operation(rp_writer *writer, const rp_program_operation *operation)
{
    rp_write_u32(writer, operation->kind);
    switch (operation->kind) {
    case RP_OPERATION_SUBMIT:
        rp_write_u32(writer, operation->submit.command_count);
        for (uint32_t i = 0; i < operation->submit.command_count; i++)
            write_command(writer, &operation->submit.commands[i]);
        break;
    case RP_OPERATION_WRITE:
        rp_write_u32(writer, operation->write.buffer);
        rp_write_u32(writer, operation->write.offset);
        write_blob(writer, operation->write.data, operation->write.size_bytes);
        break;
    }
}

static void write_meta(rp_writer *writer, const rp_program_meta *meta)
{
    rp_write_u32(writer, RP_MAGIC_META);
    rp_write_u32(writer, RP_META_VERSION);
    rp_write_u32(writer, meta->precision);
    rp_write_u32(writer, meta->tile_count);
    rp_write_u32(writer, meta->kernel_bits);
    rp_write_u32(writer, meta->frame_buffer);
    write_ids(writer, meta->weight_buffers, meta->weight_buffer_count);
}

rp_status rp_program_serialize(const rp_program *program, const rp_allocator *allocator, uint8_t **bytes, size_t *size,
                               rp_error *error)
{
    rp_writer writer = rp_writer_make(allocator);
    rp_write_u32(&writer, RP_MAGIC_PROGRAM);
    rp_write_u32(&writer, RP_PROGRAM_VERSION);
    write_ids(&writer, program->inputs, program->input_count);
    rp_write_u32(&writer, program->output);
    rp_write_u32(&writer, program->output_external ? 1 : 0);
    rp_write_u32(&writer, program->output_width);
    rp_write_u32(&writer, program->output_height);
    rp_write_u32(&writer, program->output_channels);
    write_objects(&writer, program);
    rp_write_u32(&writer, program->operation_count);
    for (uint32_t i = 0; i < program->operation_count; i++)
        write_operation(&writer, &program->operations[i]);
    if (program->meta.present)
        write_meta(&writer, &program->meta);
    rp_write_bytes(&writer, program->trailing, program->trailing_size_bytes);
    if (writer.failed) {
        rp_status status =
            rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "no memory for a program's file after %zu bytes", writer.size);
        rp_writer_free(&writer);
        return status;
    }
    *bytes = writer.bytes;
    *size = writer.size;
    return RP_STATUS_OK;
}

rp_status rp_program_save(const rp_program *program, const char *path, rp_error *error)
{
    uint8_t *bytes;
    size_t size;
    rp_status status = rp_program_serialize(program, NULL, &bytes, &size, error);
    if (status != RP_STATUS_OK)
        return rp_error_prefix(error, status, path);
    status = rp_file_write(path, bytes, size, NULL, error);
    rp_free(NULL, bytes);
    return status;
}
