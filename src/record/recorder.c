// The recording device: its life, commands and operations. The order of operations is WebGPU's queue order.
#include "record/recorder.h"
#include "base/error.h"
#include "program/owner.h"
#include "program/rules.h"

// ---- Life --------------------------------------------------------------------------------------------------------

rp_status rp_recorder_create(const rp_recorder_desc *desc, rp_recorder **recorder, rp_error *error)
{
    const rp_allocator *allocator = desc ? desc->allocator : NULL;
    rp_recorder *created = rp_allocate(allocator, 1, sizeof *created);
    *recorder = created;
    if (!created)
        return rp_fail_memory(error, sizeof *created, "a recorder");
    created->allocator = rp_allocator_or_default(allocator);
    created->max_workgroups = desc && desc->max_workgroups_per_dimension ? desc->max_workgroups_per_dimension : 65535;
    rp_arena_init(&created->arena, allocator);
    return RP_STATUS_OK;
}

static void free_tables(rp_recorder *recorder)
{
    rp_record_table *tables[] = {&recorder->buffers,   &recorder->shaders,     &recorder->shader_hashes,
                                 &recorder->pipelines, &recorder->bind_groups, &recorder->operations,
                                 &recorder->commands};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        rp_free(&recorder->allocator, tables[i]->elements);
        *tables[i] = (rp_record_table){0};
    }
}

void rp_recorder_destroy(rp_recorder **recorder)
{
    if (!recorder || !*recorder)
        return;
    rp_allocator allocator = (*recorder)->allocator;
    free_tables(*recorder);
    rp_arena_free(&(*recorder)->arena);
    rp_free(&allocator, *recorder);
    *recorder = NULL;
}

rp_status rp_record_no_memory(rp_recorder *recorder, size_t size)
{
    return rp_fail_memory(&recorder->error, size, "a recording");
}

void *rp_record_append(rp_recorder *recorder, rp_record_table *table, uint32_t count, size_t size)
{
    if (count == RP_NO_ID) {
        rp_fail(&recorder->error, RP_STATUS_TOO_LARGE, "a recording has room for %u objects of a kind", count);
        return NULL;
    }
    if (!rp_reserve(&recorder->allocator, &table->elements, &table->capacity, count, size)) {
        rp_record_no_memory(recorder, size);
        return NULL;
    }
    return (uint8_t *)table->elements + count * size;
}

rp_status rp_record_settle(rp_recorder *recorder, rp_status status, rp_error *error)
{
    recorder->status = status;
    if (status != RP_STATUS_OK && error)
        *error = recorder->error;
    return status;
}

// ---- Commands ----------------------------------------------------------------------------------------------------

static rp_place unplaced(const char *noun)
{
    return (rp_place){.noun = noun, .index = RP_NO_ID, .operation = RP_NO_ID, .offset = RP_NO_OFFSET};
}

static rp_status append_command(rp_recorder *recorder, const char *noun, rp_program_command command)
{
    rp_place place = unplaced(noun);
    rp_status status = rp_rule_command(&recorder->program, &command, &place, &recorder->error);
    if (status != RP_STATUS_OK)
        return status;
    rp_program_command *pending =
        rp_record_append(recorder, &recorder->commands, recorder->command_count, sizeof *pending);
    if (!pending)
        return recorder->error.status;
    *pending = command;
    recorder->command_count++;
    return RP_STATUS_OK;
}

static rp_status check_workgroups(rp_recorder *recorder, uint32_t count, char dimension)
{
    if (count <= recorder->max_workgroups)
        return RP_STATUS_OK;
    return rp_fail(&recorder->error, RP_STATUS_DEVICE_LIMIT, "dispatch: %u workgroups in %c are above the limit of %u",
                   count, dimension, recorder->max_workgroups);
}

rp_status rp_recorder_dispatch(rp_recorder *recorder, uint32_t pipeline, uint32_t bind_group, uint32_t x, uint32_t y,
                               uint32_t z, rp_error *error)
{
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = check_workgroups(recorder, x, 'x');
    if (status == RP_STATUS_OK)
        status = check_workgroups(recorder, y, 'y');
    if (status == RP_STATUS_OK)
        status = check_workgroups(recorder, z, 'z');
    if (status == RP_STATUS_OK)
        status = append_command(
            recorder, "dispatch",
            (rp_program_command){.kind = RP_COMMAND_DISPATCH,
                                 .dispatch = {.pipeline = pipeline, .bind_group = bind_group, .x = x, .y = y, .z = z}});
    return rp_record_settle(recorder, status, error);
}

rp_status rp_recorder_copy(rp_recorder *recorder, uint32_t source, uint32_t source_offset, uint32_t destination,
                           uint32_t destination_offset, uint32_t size_bytes, rp_error *error)
{
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = append_command(recorder, "copy",
                                (rp_program_command){.kind = RP_COMMAND_COPY,
                                                     .copy = {.source = source,
                                                              .source_offset = source_offset,
                                                              .destination = destination,
                                                              .destination_offset = destination_offset,
                                                              .size_bytes = size_bytes}});
    return rp_record_settle(recorder, status, error);
}

// ---- Operations --------------------------------------------------------------------------------------------------

static rp_status append_operation(rp_recorder *recorder, rp_program_operation operation)
{
    rp_program *program = &recorder->program;
    rp_program_operation *place =
        rp_record_append(recorder, &recorder->operations, program->operation_count, sizeof *place);
    if (!place)
        return recorder->error.status;
    *place = operation;
    program->operations = recorder->operations.elements;
    program->operation_count++;
    return RP_STATUS_OK;
}

static rp_status submit(rp_recorder *recorder)
{
    if (recorder->command_count == 0)
        return RP_STATUS_OK;
    size_t size = recorder->command_count * sizeof(rp_program_command);
    const rp_program_command *commands = rp_arena_copy(&recorder->arena, recorder->commands.elements, size);
    if (!commands)
        return rp_record_no_memory(recorder, size);
    rp_program_operation operation = {.kind = RP_OPERATION_SUBMIT,
                                      .submit = {.command_count = recorder->command_count, .commands = commands}};
    recorder->command_count = 0;
    return append_operation(recorder, operation);
}

rp_status rp_recorder_submit(rp_recorder *recorder, rp_error *error)
{
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = submit(recorder);
    return rp_record_settle(recorder, status, error);
}

static rp_status write_buffer(rp_recorder *recorder, uint32_t buffer, uint32_t offset, const void *data,
                              size_t size_bytes)
{
    rp_place place = unplaced("write");
    rp_status status = rp_rule_write(&recorder->program, buffer, offset, size_bytes, &place, &recorder->error);
    if (status != RP_STATUS_OK)
        return status;
    const uint8_t *copy = rp_arena_copy(&recorder->arena, data, size_bytes);
    if (!copy)
        return rp_record_no_memory(recorder, size_bytes);
    return append_operation(
        recorder, (rp_program_operation){
                      .kind = RP_OPERATION_WRITE,
                      .write = {.buffer = buffer, .offset = offset, .size_bytes = (uint32_t)size_bytes, .data = copy}});
}

rp_status rp_recorder_write(rp_recorder *recorder, uint32_t buffer, uint32_t offset, const void *data,
                            size_t size_bytes, rp_error *error)
{
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = write_buffer(recorder, buffer, offset, data, size_bytes);
    return rp_record_settle(recorder, status, error);
}

// ---- The end -----------------------------------------------------------------------------------------------------

// Puts a copy of a table behind *table. False: no memory.
static bool keep(rp_recorder *recorder, const void **table, uint32_t count, size_t size)
{
    *table = rp_arena_copy(&recorder->arena, *table, count * size);
    return *table != NULL;
}

// The tables move into the arena, which the program takes over.
static bool keep_tables(rp_recorder *recorder)
{
    rp_program *program = &recorder->program;
    const void *buffers = program->buffers, *shaders = program->shaders, *pipelines = program->pipelines;
    const void *bind_groups = program->bind_groups, *operations = program->operations;
    const void *inputs = program->inputs, *weight_buffers = program->meta.weight_buffers;
    if (!keep(recorder, &buffers, program->buffer_count, sizeof *program->buffers) ||
        !keep(recorder, &shaders, program->shader_count, sizeof *program->shaders) ||
        !keep(recorder, &pipelines, program->pipeline_count, sizeof *program->pipelines) ||
        !keep(recorder, &bind_groups, program->bind_group_count, sizeof *program->bind_groups) ||
        !keep(recorder, &operations, program->operation_count, sizeof *program->operations) ||
        !keep(recorder, &inputs, program->input_count, sizeof *program->inputs) ||
        !keep(recorder, &weight_buffers, program->meta.weight_buffer_count, sizeof *program->meta.weight_buffers))
        return false;
    program->buffers = buffers;
    program->shaders = shaders;
    program->pipelines = pipelines;
    program->bind_groups = bind_groups;
    program->operations = operations;
    program->inputs = inputs;
    program->meta.weight_buffers = weight_buffers;
    return true;
}

static rp_status finish(rp_recorder *recorder, const rp_recorder_result *result, rp_program **program)
{
    rp_status status = submit(recorder);
    if (status != RP_STATUS_OK)
        return status;
    rp_program *recorded = &recorder->program;
    recorded->input_count = result->input_count;
    recorded->inputs = result->inputs;
    recorded->output = result->output;
    recorded->output_external = result->output_external;
    recorded->output_width = result->output_width;
    recorded->output_height = result->output_height;
    recorded->output_channels = result->output_channels;
    recorded->meta = result->meta.present ? result->meta : (rp_program_meta){.frame_buffer = RP_NO_ID};
    status = rp_rule_interface(recorded, NULL, &recorder->allocator, &recorder->error);
    if (status == RP_STATUS_OK)
        status = rp_rule_meta(recorded, NULL, &recorder->allocator, &recorder->error);
    if (status != RP_STATUS_OK)
        return status;
    rp_program_owner *owner = rp_program_owner_create(&recorder->allocator);
    if (!owner || !keep_tables(recorder)) {
        rp_free(&recorder->allocator, owner);
        return rp_record_no_memory(recorder, sizeof *owner);
    }
    owner->program = *recorded;
    owner->arena = recorder->arena;
    rp_arena_init(&recorder->arena, &recorder->allocator);
    *program = &owner->program;
    return RP_STATUS_OK;
}

rp_status rp_recorder_finish(rp_recorder *recorder, const rp_recorder_result *result, rp_program **program,
                             rp_error *error)
{
    *program = NULL;
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = finish(recorder, result, program);
    rp_record_settle(recorder, status, error);
    if (status == RP_STATUS_OK) {
        free_tables(recorder);
        recorder->program = (rp_program){0};
        recorder->status = rp_fail(&recorder->error, RP_STATUS_INVALID_ARGUMENT, "the recording is finished");
    }
    return status;
}
