// Recording buffers, shaders, pipelines and bind groups. Each call checks by the reader's own rules before it copies.
#include "base/error.h"
#include "base/hash.h"
#include "program/rules.h"
#include "record/recorder.h"

#include <string.h>

// The text of a C string, still in the caller's memory.
static rp_status borrow_text(rp_recorder *recorder, const char *string, const char *what, rp_text *text)
{
    size_t size = string ? strlen(string) : 0;
    if (size > UINT32_MAX)
        return rp_fail(&recorder->error, RP_STATUS_TOO_LARGE, "%s of %zu bytes is above the format's limit of %u", what,
                       size, UINT32_MAX);
    *text = (rp_text){.data = string ? string : "", .size = (uint32_t)size};
    return RP_STATUS_OK;
}

static rp_status keep_text(rp_recorder *recorder, rp_text *text)
{
    text->data = rp_arena_copy(&recorder->arena, text->data, text->size);
    return text->data ? RP_STATUS_OK : rp_record_no_memory(recorder, text->size);
}

// ---- Buffers -----------------------------------------------------------------------------------------------------

static rp_status create_buffer(rp_recorder *recorder, const rp_buffer_desc *desc, uint32_t *id)
{
    rp_program *program = &recorder->program;
    if (desc->size_bytes > UINT32_MAX)
        return rp_fail(&recorder->error, RP_STATUS_TOO_LARGE,
                       "buffer %u: %llu bytes are above the format's limit of %u", program->buffer_count,
                       (unsigned long long)desc->size_bytes, UINT32_MAX);
    size_t data_size_bytes = desc->data ? desc->data_size_bytes : 0;
    if (data_size_bytes > UINT32_MAX)
        return rp_fail(&recorder->error, RP_STATUS_BAD_SIZE,
                       "buffer %u: %zu bytes of initial data exceed its size of %llu", program->buffer_count,
                       data_size_bytes, (unsigned long long)desc->size_bytes);
    rp_program_buffer buffer = {.size_bytes = (uint32_t)desc->size_bytes,
                                .usage = desc->usage,
                                .data = desc->data,
                                .data_size_bytes = (uint32_t)data_size_bytes};
    rp_status status = borrow_text(recorder, desc->label, "a label", &buffer.label);
    if (status == RP_STATUS_OK)
        status = rp_rule_buffer(&buffer, program->buffer_count, RP_NO_OFFSET, &recorder->error);
    if (status == RP_STATUS_OK)
        status = keep_text(recorder, &buffer.label);
    if (status != RP_STATUS_OK)
        return status;
    buffer.data = rp_arena_copy(&recorder->arena, buffer.data, buffer.data_size_bytes);
    if (!buffer.data)
        return rp_record_no_memory(recorder, buffer.data_size_bytes);
    rp_program_buffer *place = rp_record_append(recorder, &recorder->buffers, program->buffer_count, sizeof *place);
    if (!place)
        return recorder->error.status;
    *place = buffer;
    program->buffers = recorder->buffers.elements;
    *id = program->buffer_count++;
    return RP_STATUS_OK;
}

rp_status rp_recorder_create_buffer(rp_recorder *recorder, const rp_buffer_desc *desc, uint32_t *buffer,
                                    rp_error *error)
{
    *buffer = RP_NO_ID;
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = create_buffer(recorder, desc, buffer);
    return rp_record_settle(recorder, status, error);
}

// ---- Shaders -----------------------------------------------------------------------------------------------------

static bool same_text(rp_text a, rp_text b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static rp_status create_shader(rp_recorder *recorder, const char *wgsl, uint32_t *id)
{
    rp_program *program = &recorder->program;
    rp_program_shader shader;
    rp_status status = borrow_text(recorder, wgsl, "a shader", &shader.wgsl);
    if (status != RP_STATUS_OK)
        return status;
    uint64_t hash = rp_fnv1a_64(shader.wgsl.data, shader.wgsl.size);
    const uint64_t *hashes = recorder->shader_hashes.elements;
    for (uint32_t i = 0; i < program->shader_count; i++)
        if (hashes[i] == hash && same_text(program->shaders[i].wgsl, shader.wgsl)) {
            *id = i;
            return RP_STATUS_OK;
        }
    status = rp_rule_shader(&shader, program->shader_count, RP_NO_OFFSET, &recorder->error);
    if (status == RP_STATUS_OK)
        status = keep_text(recorder, &shader.wgsl);
    if (status != RP_STATUS_OK)
        return status;
    uint64_t *hash_place =
        rp_record_append(recorder, &recorder->shader_hashes, program->shader_count, sizeof *hash_place);
    rp_program_shader *place =
        hash_place ? rp_record_append(recorder, &recorder->shaders, program->shader_count, sizeof *place) : NULL;
    if (!place)
        return recorder->error.status;
    *hash_place = hash;
    *place = shader;
    program->shaders = recorder->shaders.elements;
    *id = program->shader_count++;
    return RP_STATUS_OK;
}

rp_status rp_recorder_create_shader(rp_recorder *recorder, const char *wgsl, uint32_t *shader, rp_error *error)
{
    *shader = RP_NO_ID;
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = create_shader(recorder, wgsl, shader);
    return rp_record_settle(recorder, status, error);
}

// ---- Pipelines ---------------------------------------------------------------------------------------------------

static rp_status create_pipeline(rp_recorder *recorder, uint32_t shader, const char *entry_point, uint32_t *id)
{
    rp_program *program = &recorder->program;
    rp_program_pipeline pipeline = {.shader = shader};
    rp_status status = borrow_text(recorder, entry_point, "an entry point", &pipeline.entry_point);
    if (status == RP_STATUS_OK)
        status = rp_rule_pipeline(program, &pipeline, program->pipeline_count, RP_NO_OFFSET, &recorder->error);
    if (status != RP_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < program->pipeline_count; i++)
        if (program->pipelines[i].shader == shader &&
            same_text(program->pipelines[i].entry_point, pipeline.entry_point)) {
            *id = i;
            return RP_STATUS_OK;
        }
    status = keep_text(recorder, &pipeline.entry_point);
    if (status != RP_STATUS_OK)
        return status;
    rp_program_pipeline *place =
        rp_record_append(recorder, &recorder->pipelines, program->pipeline_count, sizeof *place);
    if (!place)
        return recorder->error.status;
    *place = pipeline;
    program->pipelines = recorder->pipelines.elements;
    *id = program->pipeline_count++;
    return RP_STATUS_OK;
}

rp_status rp_recorder_create_pipeline(rp_recorder *recorder, uint32_t shader, const char *entry_point,
                                      uint32_t *pipeline, rp_error *error)
{
    *pipeline = RP_NO_ID;
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status = create_pipeline(recorder, shader, entry_point, pipeline);
    return rp_record_settle(recorder, status, error);
}

// ---- Bind groups -------------------------------------------------------------------------------------------------

static rp_status create_bind_group(rp_recorder *recorder, rp_program_bind_group bind_group, uint32_t *id)
{
    rp_program *program = &recorder->program;
    rp_status status =
        rp_rule_bind_group(program, &bind_group, program->bind_group_count, RP_NO_OFFSET, &recorder->error);
    if (status != RP_STATUS_OK)
        return status;
    size_t size = bind_group.entry_count * sizeof *bind_group.entries;
    bind_group.entries = rp_arena_copy(&recorder->arena, bind_group.entries, size);
    if (!bind_group.entries)
        return rp_record_no_memory(recorder, size);
    rp_program_bind_group *place =
        rp_record_append(recorder, &recorder->bind_groups, program->bind_group_count, sizeof *place);
    if (!place)
        return recorder->error.status;
    *place = bind_group;
    program->bind_groups = recorder->bind_groups.elements;
    *id = program->bind_group_count++;
    return RP_STATUS_OK;
}

rp_status rp_recorder_create_bind_group(rp_recorder *recorder, uint32_t pipeline, uint32_t group,
                                        const rp_program_entry *entries, uint32_t entry_count, uint32_t *bind_group,
                                        rp_error *error)
{
    *bind_group = RP_NO_ID;
    rp_status status = recorder->status;
    if (status == RP_STATUS_OK)
        status =
            create_bind_group(recorder,
                              (rp_program_bind_group){
                                  .pipeline = pipeline, .group = group, .entry_count = entry_count, .entries = entries},
                              bind_group);
    return rp_record_settle(recorder, status, error);
}
