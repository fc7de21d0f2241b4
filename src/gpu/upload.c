// Making a program's objects on a device: buffers with their initial content, shaders, pipelines, bind groups.
#include "base/error.h"
#include "gpu/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Inputs and the frame buffer are written by us, the output is read: the copy bits that this needs are added. Nothing
// maps a program's buffer, so that a map usage, which forbids most others, gives way to them.
uint32_t rp_upload_usage(const rp_program *program, uint32_t buffer)
{
    uint32_t usage = program->buffers[buffer].usage, needed = 0;
    for (uint32_t i = 0; i < program->input_count; i++)
        if (program->inputs[i] == buffer)
            needed |= RP_USAGE_COPY_DST;
    if (program->meta.present && program->meta.frame_buffer == buffer)
        needed |= RP_USAGE_COPY_DST;
    if (program->output == buffer)
        needed |= RP_USAGE_COPY_SRC;
    if (needed & ~usage)
        usage &= ~(uint32_t)(RP_USAGE_MAP_READ | RP_USAGE_MAP_WRITE);
    return usage | needed;
}

static rp_status create_buffers(rp_replay *replay, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    const rp_program *program = replay->program;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const rp_program_buffer *buffer = &program->buffers[i];
        WGPUBufferDescriptor desc = {.label = {buffer->label.data, buffer->label.size},
                                     .usage = rp_upload_usage(program, i),
                                     .size = buffer->size_bytes,
                                     .mappedAtCreation = buffer->data_size_bytes > 0};
        WGPUBuffer handle = api->device_create_buffer(replay->gpu->device, &desc);
        replay->buffers[i] = handle;
        if (handle && !buffer->data_size_bytes)
            continue;
        void *mapped = handle ? api->buffer_get_mapped_range(handle, 0, buffer->size_bytes) : NULL;
        if (!mapped)
            return rp_fail(error, RP_STATUS_DEVICE_MEMORY,
                           "buffer %" PRIu32 " ('%.80s'): its %" PRIu32 " bytes could not be created", i,
                           buffer->label.data ? buffer->label.data : "", buffer->size_bytes);
        memcpy(mapped, buffer->data, buffer->data_size_bytes);
        api->buffer_unmap(handle);
    }
    return RP_STATUS_OK;
}

static rp_status create_shaders(rp_replay *replay, rp_error *error)
{
    const rp_program *program = replay->program;
    for (uint32_t i = 0; i < program->shader_count; i++) {
        char label[32];
        snprintf(label, sizeof(label), "shader %" PRIu32, i);
        WGPUShaderSourceWGSL source = {.chain = {.sType = WGPUSType_ShaderSourceWGSL},
                                       .code = {program->shaders[i].wgsl.data, program->shaders[i].wgsl.size}};
        WGPUShaderModuleDescriptor desc = {.nextInChain = &source.chain, .label = {label, WGPU_STRLEN}};
        replay->shaders[i] = replay->gpu->library.api.device_create_shader_module(replay->gpu->device, &desc);
        if (!replay->shaders[i])
            return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "shader %" PRIu32 " was not created", i);
    }
    return RP_STATUS_OK;
}

static rp_status create_pipelines(rp_replay *replay, rp_error *error)
{
    const rp_program *program = replay->program;
    for (uint32_t i = 0; i < program->pipeline_count; i++) {
        const rp_program_pipeline *pipeline = &program->pipelines[i];
        char label[32];
        snprintf(label, sizeof(label), "pipeline %" PRIu32, i);
        WGPUComputePipelineDescriptor desc = {
            .label = {label, WGPU_STRLEN},
            .compute = {.module = replay->shaders[pipeline->shader],
                        .entryPoint = {pipeline->entry_point.data, pipeline->entry_point.size}}};
        replay->pipelines[i] = replay->gpu->library.api.device_create_compute_pipeline(replay->gpu->device, &desc);
        if (!replay->pipelines[i])
            return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "pipeline %" PRIu32 " was not created", i);
    }
    return RP_STATUS_OK;
}

static rp_status create_bind_groups(rp_replay *replay, WGPUBindGroupEntry *entries, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    const rp_program *program = replay->program;
    for (uint32_t i = 0; i < program->bind_group_count; i++) {
        const rp_program_bind_group *group = &program->bind_groups[i];
        for (uint32_t e = 0; e < group->entry_count; e++) {
            const rp_program_entry *entry = &group->entries[e];
            uint32_t bytes = program->buffers[entry->buffer].size_bytes;
            entries[e] = (WGPUBindGroupEntry){.binding = entry->binding,
                                              .buffer = replay->buffers[entry->buffer],
                                              .offset = entry->offset,
                                              .size = entry->size_bytes ? entry->size_bytes : bytes - entry->offset};
        }
        char label[32];
        snprintf(label, sizeof(label), "bind group %" PRIu32, i);
        WGPUBindGroupLayout layout =
            api->compute_pipeline_get_bind_group_layout(replay->pipelines[group->pipeline], group->group);
        if (layout) {
            WGPUBindGroupDescriptor desc = {
                .label = {label, WGPU_STRLEN}, .layout = layout, .entryCount = group->entry_count, .entries = entries};
            replay->bind_groups[i] = api->device_create_bind_group(replay->gpu->device, &desc);
            api->bind_group_layout_release(layout);
        }
        if (!replay->bind_groups[i])
            return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "bind group %" PRIu32 " was not created", i);
    }
    return RP_STATUS_OK;
}

// ---- Shader messages

typedef struct shader_message {
    rp_request *request;
    uint64_t line, column;
} shader_message;

static void compilation_answered(WGPUEnum status, const WGPUCompilationInfo *info, void *user1, void *user2)
{
    rp_request *request = user1;
    (void)user2;
    WGPUStringView text = {0};
    // The request may outlive every stack frame, so line and column go into its message.
    for (size_t i = 0; info && i < info->messageCount && !text.data; i++) {
        const WGPUCompilationMessage *message = &info->messages[i];
        if (message->type != WGPUCompilationMessageType_Error)
            continue;
        char line[sizeof(request->message) - 64], whole[sizeof(request->message)];
        rp_copy_view(line, sizeof(line), message->message);
        snprintf(whole, sizeof(whole), "line %" PRIu64 ":%" PRIu64 ": %s", message->lineNum, message->linePos, line);
        rp_request_answer(request, status, (WGPUStringView){whole, WGPU_STRLEN});
        return;
    }
    rp_request_answer(request, status, text);
}

// After a failure: puts the first compiler message of the program's shaders, with its line, in place of the general
// one. Leaves the error as it is when there is none.
static rp_status explain_shaders(rp_replay *replay, rp_status status, rp_error *error)
{
    rp_gpu *gpu = replay->gpu;
    if (status != RP_STATUS_DEVICE_VALIDATION || !gpu->library.profile.compilation_info)
        return status;
    for (uint32_t i = 0; i < replay->program->shader_count && replay->shaders[i]; i++) {
        rp_request *request = rp_request_take(gpu);
        if (!request)
            break;
        gpu->library.api.shader_module_get_compilation_info(
            replay->shaders[i], (WGPUCompilationInfoCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                                                  .callback = compilation_answered,
                                                                  .userdata1 = request});
        rp_status waited = rp_request_wait(gpu, request, gpu->answer_seconds, "reading shader messages", NULL);
        bool found = waited == RP_STATUS_OK && request->message[0];
        if (found)
            rp_fail(error, status, "shader %" PRIu32 ", %s", i, request->message);
        rp_request_give_back(request);
        if (found || waited != RP_STATUS_OK)
            break;
    }
    return status;
}

// ---- All of it

// Ends the scopes around a step. What they caught is the cause of a step's own failure, and told instead of it.
static rp_status end_step(rp_replay *replay, rp_status status, const char *what, rp_error *error)
{
    rp_error caught;
    rp_status device = rp_scopes_end(replay->gpu, what, &caught);
    if (device == RP_STATUS_OK)
        return status;
    if (error)
        *error = caught;
    return device;
}

rp_status rp_upload(rp_replay *replay, rp_error *error)
{
    const rp_program *program = replay->program;
    const rp_allocator *allocator = &replay->gpu->allocator;
    uint32_t entry_count = 0;
    for (uint32_t i = 0; i < program->bind_group_count; i++)
        if (program->bind_groups[i].entry_count > entry_count)
            entry_count = program->bind_groups[i].entry_count;
    replay->buffers = rp_allocate(allocator, program->buffer_count, sizeof(*replay->buffers));
    replay->shaders = rp_allocate(allocator, program->shader_count, sizeof(*replay->shaders));
    replay->pipelines = rp_allocate(allocator, program->pipeline_count, sizeof(*replay->pipelines));
    replay->bind_groups = rp_allocate(allocator, program->bind_group_count, sizeof(*replay->bind_groups));
    WGPUBindGroupEntry *entries = rp_allocate(allocator, entry_count, sizeof(*entries));
    if (!replay->buffers || !replay->shaders || !replay->pipelines || !replay->bind_groups || !entries) {
        rp_free(allocator, entries);
        return rp_fail_memory(error, sizeof(void *) * program->buffer_count, "a replay's tables");
    }

    rp_scopes_begin(replay->gpu);
    rp_status status = create_buffers(replay, error);
    status = end_step(replay, status, "creating buffers", error);
    if (status == RP_STATUS_OK) {
        rp_scopes_begin(replay->gpu);
        status = create_shaders(replay, error);
        if (status == RP_STATUS_OK)
            status = create_pipelines(replay, error);
        status = end_step(replay, status, "creating pipelines", error);
        status = explain_shaders(replay, status, error);
    }
    if (status == RP_STATUS_OK) {
        rp_scopes_begin(replay->gpu);
        status = create_bind_groups(replay, entries, error);
        status = end_step(replay, status, "creating bind groups", error);
    }
    rp_free(allocator, entries);
    return status;
}

void rp_upload_release(rp_replay *replay)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    const rp_program *program = replay->program;
    const rp_allocator *allocator = &replay->gpu->allocator;
    for (uint32_t i = 0; replay->bind_groups && i < program->bind_group_count; i++)
        if (replay->bind_groups[i])
            api->bind_group_release(replay->bind_groups[i]);
    for (uint32_t i = 0; replay->pipelines && i < program->pipeline_count; i++)
        if (replay->pipelines[i])
            api->compute_pipeline_release(replay->pipelines[i]);
    for (uint32_t i = 0; replay->shaders && i < program->shader_count; i++)
        if (replay->shaders[i])
            api->shader_module_release(replay->shaders[i]);
    for (uint32_t i = 0; replay->buffers && i < program->buffer_count; i++)
        if (replay->buffers[i]) {
            // Frees the memory now; a release alone may leave it until work is known to be done.
            api->buffer_destroy(replay->buffers[i]);
            api->buffer_release(replay->buffers[i]);
        }
    rp_free(allocator, replay->bind_groups);
    rp_free(allocator, replay->pipelines);
    rp_free(allocator, replay->shaders);
    rp_free(allocator, replay->buffers);
}
