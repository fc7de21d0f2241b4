// Running an uploaded program: inputs up, operations in order, output down.
#include "gpu/replay.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

rp_status rp_replay_create(rp_gpu *gpu, const rp_program *program, rp_replay **replay, rp_error *error)
{
    *replay = NULL;
    rp_status status = rp_gpu_check(gpu, "creating a replay", error);
    if (status == RP_STATUS_OK)
        status = rp_needs_check(program, &gpu->info, gpu->max_bytes, error);
    if (status != RP_STATUS_OK)
        return status;
    rp_replay *made = rp_allocate(&gpu->allocator, 1, sizeof(*made));
    if (!made)
        return rp_fail_memory(error, sizeof(*made), "a replay");
    made->gpu = gpu;
    made->program = program;
    for (uint32_t i = 0; i < program->operation_count; i++)
        made->submit_count += program->operations[i].kind == RP_OPERATION_SUBMIT;
    status = rp_upload(made, error);
    if (status != RP_STATUS_OK)
        rp_replay_destroy(&made);
    *replay = made;
    return status;
}

static void release_staging(rp_replay *replay)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    if (replay->staging) {
        api->buffer_destroy(replay->staging);
        api->buffer_release(replay->staging);
    }
    replay->staging = NULL;
    replay->staging_bytes = 0;
}

void rp_replay_destroy(rp_replay **replay)
{
    if (!replay || !*replay)
        return;
    rp_replay *self = *replay;
    release_staging(self);
    rp_upload_release(self);
    rp_free(&self->gpu->allocator, self);
    *replay = NULL;
}

// ---- Commands

// Ends an open pass; NULL is fine.
static void end_pass(const rp_webgpu *api, WGPUComputePassEncoder *pass)
{
    if (!*pass)
        return;
    api->compute_pass_encoder_end(*pass);
    api->compute_pass_encoder_release(*pass);
    *pass = NULL;
}

// Finishes the encoder, submits and releases it.
static rp_status submit_encoder(const rp_replay *replay, WGPUCommandEncoder encoder, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    WGPUCommandBuffer commands = api->command_encoder_finish(encoder, NULL);
    api->command_encoder_release(encoder);
    if (!commands)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "a command buffer was not created");
    api->queue_submit(replay->gpu->queue, 1, &commands);
    api->command_buffer_release(commands);
    return RP_STATUS_OK;
}

static rp_status encode_dispatch(const rp_replay *replay, WGPUCommandEncoder encoder, WGPUComputePassEncoder *pass,
                                 const rp_program_command *command, const rp_program_command *previous, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    bool fresh = !*pass;
    if (fresh)
        *pass = api->command_encoder_begin_compute_pass(encoder, NULL);
    if (!*pass)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "a compute pass was not created");
    bool other_pipeline = fresh || previous->dispatch.pipeline != command->dispatch.pipeline;
    if (other_pipeline)
        api->compute_pass_encoder_set_pipeline(*pass, replay->pipelines[command->dispatch.pipeline]);
    uint32_t bind_group = command->dispatch.bind_group;
    if (other_pipeline || previous->dispatch.bind_group != bind_group)
        api->compute_pass_encoder_set_bind_group(*pass, replay->program->bind_groups[bind_group].group,
                                                 replay->bind_groups[bind_group], 0, NULL);
    api->compute_pass_encoder_dispatch_workgroups(*pass, command->dispatch.x, command->dispatch.y, command->dispatch.z);
    return RP_STATUS_OK;
}

// Consecutive dispatches share a pass; in one, WebGPU orders them like separate ones. A copy ends it.
static rp_status run_submit(const rp_replay *replay, const rp_program_operation *operation, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    WGPUCommandEncoder encoder = api->device_create_command_encoder(replay->gpu->device, NULL);
    if (!encoder)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "a command encoder was not created");
    WGPUComputePassEncoder pass = NULL;
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i < operation->submit.command_count && status == RP_STATUS_OK; i++) {
        const rp_program_command *command = &operation->submit.commands[i];
        if (command->kind == RP_COMMAND_DISPATCH) {
            status = encode_dispatch(replay, encoder, &pass, command, command - 1, error);
        } else {
            end_pass(api, &pass);
            api->command_encoder_copy_buffer_to_buffer(
                encoder, replay->buffers[command->copy.source], command->copy.source_offset,
                replay->buffers[command->copy.destination], command->copy.destination_offset, command->copy.size_bytes);
        }
    }
    end_pass(api, &pass);
    if (status == RP_STATUS_OK)
        return submit_encoder(replay, encoder, error);
    api->command_encoder_release(encoder);
    return status;
}

// ---- Reading back

static void mapped(WGPUEnum status, WGPUStringView message, void *user1, void *user2)
{
    (void)user2;
    rp_request_answer(user1, status, message);
}

// Starts copying into the staging buffer; to be called inside error scopes.
static rp_status begin_read(rp_replay *replay, uint32_t buffer, uint64_t offset, uint64_t size, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    if (replay->staging_bytes < size) {
        release_staging(replay);
        WGPUBufferDescriptor desc = {
            .label = {"readback", WGPU_STRLEN}, .usage = RP_USAGE_MAP_READ | RP_USAGE_COPY_DST, .size = size};
        replay->staging = api->device_create_buffer(replay->gpu->device, &desc);
        if (!replay->staging)
            return rp_fail(error, RP_STATUS_DEVICE_MEMORY, "a readback buffer of %" PRIu64 " bytes was not created",
                           size);
        replay->staging_bytes = size;
    }
    WGPUCommandEncoder encoder = api->device_create_command_encoder(replay->gpu->device, NULL);
    if (!encoder)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "a command encoder was not created");
    api->command_encoder_copy_buffer_to_buffer(encoder, replay->buffers[buffer], offset, replay->staging, 0, size);
    return submit_encoder(replay, encoder, error);
}

// Waits for the copy and takes the bytes.
static rp_status end_read(rp_replay *replay, uint64_t size, void *bytes, rp_error *error)
{
    rp_gpu *gpu = replay->gpu;
    const rp_webgpu *api = &gpu->library.api;
    rp_request *request = rp_request_take(gpu);
    if (!request)
        return rp_fail(error, RP_STATUS_DEVICE_LOST, "reading back: too many requests are unanswered");
    api->buffer_map_async(replay->staging, WGPUMapMode_Read, 0, size,
                          (WGPUBufferMapCallbackInfo){
                              .mode = WGPUCallbackMode_AllowProcessEvents, .callback = mapped, .userdata1 = request});
    rp_status status = rp_request_wait(gpu, request, gpu->work_seconds, "reading back", error);
    if (status == RP_STATUS_OK)
        status = rp_gpu_check(gpu, "reading back", error);
    if (status == RP_STATUS_OK && request->status != WGPURequestStatus_Success)
        status = rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "reading back: mapping failed with status %u: %s",
                         request->status, request->message);
    if (status == RP_STATUS_OK) {
        const void *range = api->buffer_get_const_mapped_range(replay->staging, 0, size);
        if (range)
            memcpy(bytes, range, size);
        else
            status = rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "reading back: no mapped memory");
        api->buffer_unmap(replay->staging);
    }
    rp_request_give_back(request);
    if (status != RP_STATUS_OK)
        release_staging(replay); // whatever state it is in
    return status;
}

// ---- A run

static rp_status check_run(const rp_replay *replay, const rp_replay_run_desc *desc, rp_error *error)
{
    const rp_program *program = replay->program;
    if (desc->input_count != program->input_count)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "input_count %" PRIu32 ", the program has %" PRIu32 " inputs",
                       desc->input_count, program->input_count);
    if (desc->input_count && !desc->inputs)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "inputs is NULL, input_count %" PRIu32, desc->input_count);
    if (desc->output && desc->output_size_bytes != program->buffers[program->output].size_bytes)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT,
                       "output_size_bytes %" PRIu64 ", the output buffer has %" PRIu32, desc->output_size_bytes,
                       program->buffers[program->output].size_bytes);
    return RP_STATUS_OK;
}

static rp_status report(const rp_replay *replay, const rp_replay_run_desc *desc, uint32_t done, rp_error *error)
{
    if (desc->progress(desc->user, done, replay->submit_count))
        return RP_STATUS_OK;
    return rp_fail(error, RP_STATUS_CANCELLED, "cancelled after %" PRIu32 " of %" PRIu32 " submits", done,
                   replay->submit_count);
}

// The submit that is in flight while the next one is prepared, so that the device is not idle for a progress report.
typedef struct flight {
    rp_request *mark; // NULL: none
    uint32_t done;    // submits before it
} flight;

// Waits for the submit in flight, if any, and reports it.
static rp_status land(rp_replay *replay, const rp_replay_run_desc *desc, flight *flight, rp_error *error)
{
    if (!flight->mark)
        return RP_STATUS_OK;
    rp_status status = rp_gpu_finish_work(replay->gpu, flight->mark, "running", error);
    flight->mark = NULL;
    return status == RP_STATUS_OK ? report(replay, desc, ++flight->done, error) : status;
}

static rp_status run_operations(rp_replay *replay, const rp_replay_run_desc *desc, rp_error *error)
{
    const rp_webgpu *api = &replay->gpu->library.api;
    const rp_program *program = replay->program;
    for (uint32_t i = 0; i < program->input_count; i++)
        if (desc->inputs[i])
            api->queue_write_buffer(replay->gpu->queue, replay->buffers[program->inputs[i]], 0, desc->inputs[i],
                                    program->buffers[program->inputs[i]].size_bytes);
    flight flight = {0};
    rp_status status = desc->progress ? report(replay, desc, 0, error) : RP_STATUS_OK;
    for (uint32_t i = 0; i < program->operation_count && status == RP_STATUS_OK; i++) {
        const rp_program_operation *operation = &program->operations[i];
        if (operation->kind == RP_OPERATION_WRITE) {
            api->queue_write_buffer(replay->gpu->queue, replay->buffers[operation->write.buffer],
                                    operation->write.offset, operation->write.data, operation->write.size_bytes);
            continue;
        }
        status = run_submit(replay, operation, error);
        if (status != RP_STATUS_OK || !desc->progress)
            continue;
        rp_request *mark = rp_gpu_mark_work(replay->gpu);
        if (!mark)
            status = rp_fail(error, RP_STATUS_DEVICE_LOST, "running: too many requests are unanswered");
        else
            status = land(replay, desc, &flight, error);
        flight.mark = mark;
    }
    if (status == RP_STATUS_OK)
        return land(replay, desc, &flight, error);
    rp_request_give_back(flight.mark);
    return status;
}

rp_status rp_replay_run(rp_replay *replay, const rp_replay_run_desc *desc, rp_error *error)
{
    rp_gpu *gpu = replay->gpu;
    rp_status status = check_run(replay, desc, error);
    if (status == RP_STATUS_OK)
        status = rp_gpu_check(gpu, "running", error);
    if (status != RP_STATUS_OK)
        return status;
    rp_scopes_begin(gpu);
    status = run_operations(replay, desc, error);
    if (status == RP_STATUS_OK && desc->output)
        status = begin_read(replay, replay->program->output, 0, desc->output_size_bytes, error);
    // An error of the device is worth more than the cancelling or failure that came after it.
    rp_error caught;
    rp_status device = rp_scopes_end(gpu, "running", &caught);
    if (device != RP_STATUS_OK) {
        if (error)
            *error = caught;
        return device;
    }
    if (status != RP_STATUS_OK)
        return status;
    if (desc->output)
        return end_read(replay, desc->output_size_bytes, desc->output, error);
    return rp_gpu_finish_work(gpu, rp_gpu_mark_work(gpu), "running", error);
}

rp_status rp_replay_set_input_scale(rp_replay *replay, float scale, rp_error *error)
{
    rp_gpu *gpu = replay->gpu;
    const rp_program_meta *meta = &replay->program->meta;
    if (!meta->present || meta->frame_buffer == RP_NO_ID)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "the program has no frame buffer for an input scale");
    if (!isfinite(scale) || scale <= 0)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "input scale %g is not above 0 and finite", (double)scale);
    rp_status status = rp_gpu_check(gpu, "setting the input scale", error);
    if (status != RP_STATUS_OK)
        return status;
    rp_scopes_begin(gpu);
    gpu->library.api.queue_write_buffer(gpu->queue, replay->buffers[meta->frame_buffer], 0, &scale, sizeof(scale));
    return rp_scopes_end(gpu, "setting the input scale", error);
}

rp_status rp_replay_read(rp_replay *replay, uint32_t buffer, uint64_t offset, uint64_t size_bytes, void *bytes,
                         rp_error *error)
{
    rp_gpu *gpu = replay->gpu;
    const rp_program *program = replay->program;
    if (buffer >= program->buffer_count)
        return rp_fail(error, RP_STATUS_BAD_ID, "buffer %" PRIu32 ", the program has %" PRIu32, buffer,
                       program->buffer_count);
    uint32_t total = program->buffers[buffer].size_bytes;
    if (offset > total || size_bytes > total - offset)
        return rp_fail(error, RP_STATUS_BAD_RANGE,
                       "%" PRIu64 " bytes at %" PRIu64 " of buffer %" PRIu32 ", which has %" PRIu32, size_bytes, offset,
                       buffer, total);
    if (offset % 4 || size_bytes % 4)
        return rp_fail(error, RP_STATUS_BAD_ALIGNMENT,
                       "%" PRIu64 " bytes at %" PRIu64 " of buffer %" PRIu32 ": not multiples of 4", size_bytes, offset,
                       buffer);
    if (!(rp_upload_usage(program, buffer) & RP_USAGE_COPY_SRC))
        return rp_fail(error, RP_STATUS_BAD_USAGE, "buffer %" PRIu32 " has usage %" PRIu32 " without COPY_SRC", buffer,
                       program->buffers[buffer].usage);
    rp_status status = rp_gpu_check(gpu, "reading back", error);
    if (status != RP_STATUS_OK || size_bytes == 0)
        return status;
    rp_scopes_begin(gpu);
    status = begin_read(replay, buffer, offset, size_bytes, error);
    rp_error caught;
    rp_status device = rp_scopes_end(gpu, "reading back", &caught);
    if (device != RP_STATUS_OK) {
        if (error)
            *error = caught;
        return device;
    }
    return status == RP_STATUS_OK ? end_read(replay, size_bytes, bytes, error) : status;
}
