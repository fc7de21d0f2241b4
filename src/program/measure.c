// Sums over a program: what it takes and what it does.
#include "program/rules.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void measure_submit(const rp_program_operation *operation, rp_program_stats *stats)
{
    stats->submit_count++;
    for (uint32_t i = 0; i < operation->submit.command_count; i++) {
        const rp_program_command *command = &operation->submit.commands[i];
        if (command->kind == RP_COMMAND_COPY) {
            stats->copy_count++;
            continue;
        }
        stats->dispatch_count++;
        uint32_t largest = larger(larger(command->dispatch.x, command->dispatch.y), command->dispatch.z);
        stats->largest_dispatch = larger(stats->largest_dispatch, largest);
    }
}

static uint64_t external_bytes(const rp_program *program)
{
    uint64_t bytes = 0;
    bool output_counted = !program->output_external;
    for (uint32_t i = 0; i < program->input_count; i++) {
        bytes += program->buffers[program->inputs[i]].size_bytes;
        output_counted = output_counted || program->inputs[i] == program->output;
    }
    return output_counted ? bytes : bytes + program->buffers[program->output].size_bytes;
}

void rp_program_measure(const rp_program *program, rp_program_stats *stats)
{
    *stats = (rp_program_stats){.external_bytes = external_bytes(program)};
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        stats->buffer_bytes += program->buffers[i].size_bytes;
        stats->data_bytes += program->buffers[i].data_size_bytes;
    }
    for (uint32_t i = 0; i < program->meta.weight_buffer_count; i++)
        stats->weight_bytes += program->buffers[program->meta.weight_buffers[i]].size_bytes;
    for (uint32_t i = 0; i < program->bind_group_count; i++)
        for (uint32_t k = 0; k < program->bind_groups[i].entry_count; k++) {
            const rp_program_entry *entry = &program->bind_groups[i].entries[k];
            uint64_t bytes = rp_entry_bytes(entry, &program->buffers[entry->buffer]);
            if (bytes > stats->largest_binding)
                stats->largest_binding = bytes;
        }
    for (uint32_t i = 0; i < program->operation_count; i++) {
        if (program->operations[i].kind == RP_OPERATION_SUBMIT)
            measure_submit(&program->operations[i], stats);
        else
            stats->write_count++;
    }
}
