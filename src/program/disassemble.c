// A readable listing of a program, one object or command a line, the same on every machine. Contents are shown by size
// and FNV-1a hash, so that listings of two programs can be compared.
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "program/names.h"

#include <stdarg.h>
#include <stdio.h>

static void print(rp_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Only for what is known to be short.
static void print(rp_writer *writer, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        writer->failed = true;
    else
        rp_write_bytes(writer, line, (size_t)length);
}

// Quoted and in full; what would break the line or the quotes is escaped.
static void print_text(rp_writer *writer, rp_text text)
{
    rp_write_bytes(writer, "'", 1);
    for (uint32_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (rp_is_control(&text.data[i], text.size - i)) {
            if (c == 0xc2)
                c = (unsigned char)text.data[++i];
            print(writer, "\\x%02x", c);
        } else if (c == '\'' || c == '\\')
            print(writer, "\\%c", c);
        else
            rp_write_bytes(writer, &text.data[i], 1);
    }
    rp_write_bytes(writer, "'", 1);
}

static void print_content(rp_writer *writer, const void *bytes, size_t size)
{
    print(writer, "%zu bytes, fnv1a %016llx", size, (unsigned long long)rp_fnv1a_64(bytes, size));
}

static void print_interface(rp_writer *writer, const rp_program *program)
{
    for (uint32_t i = 0; i < program->input_count; i++)
        print(writer, "input %u: buffer %u\n", i, program->inputs[i]);
    print(writer, "output: buffer %u, %u x %u x %u%s\n", program->output, program->output_width, program->output_height,
          program->output_channels, program->output_external ? ", external" : "");
}

static void print_objects(rp_writer *writer, const rp_program *program)
{
    char usage[RP_USAGE_NAME_SIZE];
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const rp_program_buffer *buffer = &program->buffers[i];
        print(writer, "buffer %u: ", i);
        print_text(writer, buffer->label);
        print(writer, ", %u bytes, %s", buffer->size_bytes, rp_name_usage(buffer->usage, usage));
        if (buffer->data_size_bytes) {
            print(writer, ", data ");
            print_content(writer, buffer->data, buffer->data_size_bytes);
        }
        print(writer, "\n");
    }
    for (uint32_t i = 0; i < program->shader_count; i++) {
        print(writer, "shader %u: ", i);
        print_content(writer, program->shaders[i].wgsl.data, program->shaders[i].wgsl.size);
        print(writer, "\n");
    }
    for (uint32_t i = 0; i < program->pipeline_count; i++) {
        print(writer, "pipeline %u: shader %u, ", i, program->pipelines[i].shader);
        print_text(writer, program->pipelines[i].entry_point);
        print(writer, "\n");
    }
}

static void print_bind_groups(rp_writer *writer, const rp_program *program)
{
    for (uint32_t i = 0; i < program->bind_group_count; i++) {
        const rp_program_bind_group *bind_group = &program->bind_groups[i];
        print(writer, "bind group %u: pipeline %u, group %u\n", i, bind_group->pipeline, bind_group->group);
        for (uint32_t k = 0; k < bind_group->entry_count; k++) {
            const rp_program_entry *entry = &bind_group->entries[k];
            print(writer, "  binding %u: buffer %u, offset %u, ", entry->binding, entry->buffer, entry->offset);
            if (entry->size_bytes)
                print(writer, "%u bytes\n", entry->size_bytes);
            else
                print(writer, "the rest\n");
        }
    }
}

static void print_command(rp_writer *writer, const rp_program_command *command)
{
    switch (command->kind) {
    case RP_COMMAND_DISPATCH:
        print(writer, "  dispatch pipeline %u, bind group %u, %u x %u x %u\n", command->dispatch.pipeline,
              command->dispatch.bind_group, command->dispatch.x, command->dispatch.y, command->dispatch.z);
        break;
    case RP_COMMAND_COPY:
        print(writer, "  copy buffer %u, offset %u to buffer %u, offset %u, %u bytes\n", command->copy.source,
              command->copy.source_offset, command->copy.destination, command->copy.destination_offset,
              command->copy.size_bytes);
        break;
    }
}

static void print_operations(rp_writer *writer, const rp_program *program)
{
    for (uint32_t i = 0; i < program->operation_count; i++) {
        const rp_program_operation *operation = &program->operations[i];
        switch (operation->kind) {
        case RP_OPERATION_SUBMIT:
            print(writer, "operation %u: submit\n", i);
            for (uint32_t k = 0; k < operation->submit.command_count; k++)
                print_command(writer, &operation->submit.commands[k]);
            break;
        case RP_OPERATION_WRITE:
            print(writer, "operation %u: write buffer %u, offset %u, ", i, operation->write.buffer,
                  operation->write.offset);
            print_content(writer, operation->write.data, operation->write.size_bytes);
            print(writer, "\n");
            break;
        }
    }
}

static void print_meta(rp_writer *writer, const rp_program_meta *meta)
{
    static const char *const kernels[] = {"direct", "implicit-gemm", "subgroup-matrix", "spatial", "subgroup"};
    print(writer, "meta: %s, %u tiles, kernels", meta->precision == RP_PRECISION_FP16 ? "fp16" : "fp32",
          meta->tile_count);
    for (uint32_t i = 0; i < 32; i++)
        if (meta->kernel_bits >> i & 1) {
            if (i < sizeof kernels / sizeof *kernels)
                print(writer, " %s", kernels[i]);
            else
                print(writer, " bit-%u", i);
        }
    if (meta->frame_buffer != RP_NO_ID)
        print(writer, ", frame buffer %u", meta->frame_buffer);
    print(writer, "\n");
    for (uint32_t i = 0; i < meta->weight_buffer_count; i++)
        print(writer, "  weights buffer %u\n", meta->weight_buffers[i]);
}

rp_status rp_program_disassemble(const rp_program *program, const rp_allocator *allocator, char **text, size_t *size,
                                 rp_error *error)
{
    rp_writer writer = rp_writer_make(allocator);
    print_interface(&writer, program);
    print_objects(&writer, program);
    print_bind_groups(&writer, program);
    print_operations(&writer, program);
    if (program->meta.present)
        print_meta(&writer, &program->meta);
    if (program->trailing_size_bytes) {
        print(&writer, "trailing: ");
        print_content(&writer, program->trailing, program->trailing_size_bytes);
        print(&writer, "\n");
    }
    rp_write_bytes(&writer, "", 1);
    if (writer.failed) {
        rp_status status =
            rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "no memory for a listing after %zu bytes", writer.size);
        rp_writer_free(&writer);
        return status;
    }
    *text = (char *)writer.bytes;
    *size = writer.size - 1;
    return RP_STATUS_OK;
}
