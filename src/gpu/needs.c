// What a program needs of a device, held against what the device has, before anything is created.
#include "base/error.h"
#include "gpu/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- Features: the `enable` directives at the beginning of a WGSL module (WGSL, section 4.1)

typedef struct scanner {
    const char *at, *end;
} scanner;

static bool starts_with(const scanner *s, const char *text)
{
    size_t length = strlen(text);
    return length <= (size_t)(s->end - s->at) && !memcmp(s->at, text, length);
}

static void skip_block_comment(scanner *s)
{
    size_t depth = 0; // they nest
    while (s->at < s->end) {
        if (starts_with(s, "/*")) {
            depth++;
            s->at += 2;
        } else if (starts_with(s, "*/")) {
            s->at += 2;
            if (--depth == 0)
                return;
        } else {
            s->at++;
        }
    }
}

static void skip_blanks(scanner *s)
{
    while (s->at < s->end) {
        if (starts_with(s, "//")) {
            while (s->at < s->end && *s->at != '\n')
                s->at++;
        } else if (starts_with(s, "/*")) {
            skip_block_comment(s);
        } else if (strchr(" \t\r\n\v\f", *s->at) && *s->at) {
            s->at++;
        } else {
            return;
        }
    }
}

static size_t word_length(const scanner *s)
{
    const char *end = s->at;
    while (end < s->end && ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') ||
                            (*end >= '0' && *end <= '9') || *end == '_'))
        end++;
    return (size_t)(end - s->at);
}

static bool take_word(scanner *s, const char *word)
{
    size_t length = strlen(word);
    if (word_length(s) != length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

static const struct {
    const char *wgsl, *webgpu;
    uint32_t bit;
} features[] = {{"f16", "shader-f16", RP_FEATURE_SHADER_F16},
                {"subgroups", "subgroups", RP_FEATURE_SUBGROUPS},
                {"chromium_experimental_subgroup_matrix", "chromium-experimental-subgroup-matrix",
                 RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX},
                {"wgpu_cooperative_matrix", "wgpu-cooperative-matrix", RP_FEATURE_WGPU_COOPERATIVE_MATRIX}};
enum { FEATURE_COUNT = sizeof(features) / sizeof(features[0]) };

uint32_t rp_wgsl_features(rp_text wgsl)
{
    scanner s = {wgsl.data, wgsl.data + wgsl.size};
    uint32_t found = 0;
    for (;;) {
        skip_blanks(&s);
        if (s.at < s.end && *s.at == ';') {
            s.at++;
            continue;
        }
        bool enable = take_word(&s, "enable");
        if (!enable && !take_word(&s, "requires") && !take_word(&s, "diagnostic"))
            return found;
        for (skip_blanks(&s); s.at < s.end && *s.at != ';'; skip_blanks(&s)) {
            size_t length = word_length(&s);
            for (size_t i = 0; enable && i < FEATURE_COUNT; i++)
                if (length == strlen(features[i].wgsl) && !memcmp(s.at, features[i].wgsl, length))
                    found |= features[i].bit;
            s.at += length ? length : 1; // a comma, a bracket
        }
    }
}

static rp_status check_features(const rp_program *program, const rp_gpu_info *info, rp_error *error)
{
    for (uint32_t i = 0; i < program->shader_count; i++) {
        uint32_t missing = rp_wgsl_features(program->shaders[i].wgsl) & ~info->features;
        for (size_t f = 0; missing && f < FEATURE_COUNT; f++)
            if (missing & features[f].bit)
                return rp_fail(error, RP_STATUS_DEVICE_LIMIT, "shader %" PRIu32 " enables %s; '%s' has no %s", i,
                               features[f].wgsl, info->name, features[f].webgpu);
    }
    return RP_STATUS_OK;
}

// ---- Limits

static rp_status check_buffers(const rp_program *program, const rp_gpu_info *info, uint64_t max_bytes, rp_error *error)
{
    uint64_t total = 0; // at most 2^32 buffers of 2^32 bytes: it cannot wrap
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const rp_program_buffer *buffer = &program->buffers[i];
        total += buffer->size_bytes;
        if (buffer->size_bytes > info->limits.max_buffer_bytes)
            return rp_fail(error, RP_STATUS_DEVICE_LIMIT,
                           "buffer %" PRIu32 " ('%.80s'): %" PRIu32 " bytes exceed the device's limit of %" PRIu64, i,
                           buffer->label.data ? buffer->label.data : "", buffer->size_bytes,
                           info->limits.max_buffer_bytes);
    }
    if (max_bytes && total > max_bytes)
        return rp_fail(error, RP_STATUS_DEVICE_LIMIT,
                       "the program's buffers take %" PRIu64 " bytes, the limit that was set is %" PRIu64, total,
                       max_bytes);
    return RP_STATUS_OK;
}

// A buffer with one of the two usages can only be bound that way; with both, either limit may be the one that counts.
static rp_status check_bind_group(const rp_program *program, uint32_t id, const rp_gpu_limits *limits, rp_error *error)
{
    const rp_program_bind_group *group = &program->bind_groups[id];
    uint32_t storage_count = 0;
    for (uint32_t i = 0; i < group->entry_count; i++) {
        const rp_program_entry *entry = &group->entries[i];
        const rp_program_buffer *buffer = &program->buffers[entry->buffer];
        bool storage = buffer->usage & RP_USAGE_STORAGE, uniform = buffer->usage & RP_USAGE_UNIFORM;
        uint64_t bytes = entry->size_bytes ? entry->size_bytes : buffer->size_bytes - entry->offset;
        uint64_t limit = storage ? limits->max_storage_binding_bytes : limits->max_uniform_binding_bytes;
        if (storage && uniform && limits->max_uniform_binding_bytes > limit)
            limit = limits->max_uniform_binding_bytes;
        if (bytes > limit)
            return rp_fail(error, RP_STATUS_DEVICE_LIMIT,
                           "bind group %" PRIu32 ", binding %" PRIu32 ": %" PRIu64 " bytes of buffer %" PRIu32
                           " exceed the device's limit for a %s binding of %" PRIu64,
                           id, entry->binding, bytes, entry->buffer, storage ? "storage" : "uniform", limit);
        uint32_t alignment = storage ? limits->min_storage_offset_alignment : limits->min_uniform_offset_alignment;
        if (alignment && entry->offset % alignment)
            return rp_fail(error, RP_STATUS_DEVICE_LIMIT,
                           "bind group %" PRIu32 ", binding %" PRIu32 ": offset %" PRIu32 " is no multiple of %" PRIu32
                           ", which this device needs",
                           id, entry->binding, entry->offset, alignment);
        storage_count += storage && !uniform;
    }
    if (storage_count > limits->max_storage_buffers_per_stage)
        return rp_fail(error, RP_STATUS_DEVICE_LIMIT,
                       "bind group %" PRIu32 ": %" PRIu32 " storage buffers, the device's limit is %" PRIu32, id,
                       storage_count, limits->max_storage_buffers_per_stage);
    return RP_STATUS_OK;
}

static rp_status check_dispatches(const rp_program *program, const rp_gpu_limits *limits, rp_error *error)
{
    uint32_t limit = limits->max_workgroups_per_dimension;
    for (uint32_t i = 0; i < program->operation_count; i++) {
        const rp_program_operation *operation = &program->operations[i];
        if (operation->kind != RP_OPERATION_SUBMIT)
            continue;
        for (uint32_t c = 0; c < operation->submit.command_count; c++) {
            const rp_program_command *command = &operation->submit.commands[c];
            if (command->kind == RP_COMMAND_DISPATCH &&
                (command->dispatch.x > limit || command->dispatch.y > limit || command->dispatch.z > limit))
                return rp_fail(error, RP_STATUS_DEVICE_LIMIT,
                               "operation %" PRIu32 ", command %" PRIu32 ": dispatch of %" PRIu32 "×%" PRIu32
                               "×%" PRIu32 " workgroups, the device's limit per dimension is %" PRIu32,
                               i, c, command->dispatch.x, command->dispatch.y, command->dispatch.z, limit);
        }
    }
    return RP_STATUS_OK;
}

rp_status rp_needs_check(const rp_program *program, const rp_gpu_info *info, uint64_t max_bytes, rp_error *error)
{
    rp_status status = check_features(program, info, error);
    if (status == RP_STATUS_OK)
        status = check_buffers(program, info, max_bytes, error);
    for (uint32_t i = 0; status == RP_STATUS_OK && i < program->bind_group_count; i++)
        status = check_bind_group(program, i, &info->limits, error);
    if (status == RP_STATUS_OK)
        status = check_dispatches(program, &info->limits, error);
    return status;
}
