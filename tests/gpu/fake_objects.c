// The made-up WebGPU's buffers, shaders, pipelines, bind groups and commands.
#include "gpu/fake_internal.h"

#include <stdlib.h>
#include <string.h>

// ---- Buffers

static WGPUBuffer create_buffer(WGPUDevice device, const WGPUBufferDescriptor *desc)
{
    fake_check(device, FAKE_DEVICE);
    if (!fake_enter("DeviceCreateBuffer"))
        return NULL;
    fake_object *object = fake_make(FAKE_BUFFER);
    object->bytes = calloc(1, desc->size);
    object->size = desc->size;
    object->mapped = desc->mappedAtCreation;
    fake.usages |= desc->usage;
    return (WGPUBuffer)object;
}

static WGPUFuture map_async(WGPUBuffer buffer, uint64_t mode, size_t offset, size_t size,
                            WGPUBufferMapCallbackInfo info)
{
    fake_object *object = fake_check(buffer, FAKE_BUFFER);
    bool good = fake_enter("BufferMapAsync") && mode == WGPUMapMode_Read && offset == 0 && size <= object->size;
    object->mapped = good;
    if (!fake_is_call(fake.silent, "BufferMapAsync"))
        fake_push_answer((fake_answer){ANSWER_MAP, (void (*)(void))info.callback, info.userdata1, info.userdata2,
                                       good ? 1 : 3, 0, NULL});
    return (WGPUFuture){0};
}

static void *mapped_range(WGPUBuffer buffer, size_t offset, size_t size)
{
    fake_object *object = fake_check(buffer, FAKE_BUFFER);
    bool good = fake_enter("BufferGetMappedRange") && object->mapped && offset == 0 && size <= object->size;
    return good ? object->bytes : NULL;
}

static const void *const_mapped_range(WGPUBuffer buffer, size_t offset, size_t size)
{
    fake_object *object = fake_check(buffer, FAKE_BUFFER);
    bool good = fake_enter("BufferGetConstMappedRange") && object->mapped && offset == 0 && size <= object->size;
    return good ? object->bytes : NULL;
}

static void unmap(WGPUBuffer buffer)
{
    fake_object *object = fake_check(buffer, FAKE_BUFFER);
    fake_enter("BufferUnmap");
    object->mapped = false;
}

static void buffer_destroy(WGPUBuffer buffer)
{
    fake_check(buffer, FAKE_BUFFER);
    fake_enter("BufferDestroy");
}

static void buffer_release(WGPUBuffer buffer)
{
    fake_enter("BufferRelease");
    fake_drop(buffer, FAKE_BUFFER);
}

// ---- Shaders, pipelines, bind groups

static WGPUShaderModule create_shader(WGPUDevice device, const WGPUShaderModuleDescriptor *desc)
{
    fake_check(device, FAKE_DEVICE);
    if (!desc->nextInChain || desc->nextInChain->sType != WGPUSType_ShaderSourceWGSL)
        fake.bad_handles++;
    return fake_enter("DeviceCreateShaderModule") ? fake_make(FAKE_SHADER) : NULL;
}

static WGPUFuture compilation_info(WGPUShaderModule shader, WGPUCompilationInfoCallbackInfo info)
{
    fake_check(shader, FAKE_SHADER);
    fake_enter("ShaderModuleGetCompilationInfo");
    if (!fake_is_call(fake.silent, "ShaderModuleGetCompilationInfo"))
        fake_push_answer(
            (fake_answer){ANSWER_INFO, (void (*)(void))info.callback, info.userdata1, info.userdata2, 1, 0, NULL});
    return (WGPUFuture){0};
}

static void shader_release(WGPUShaderModule shader)
{
    fake_enter("ShaderModuleRelease");
    fake_drop(shader, FAKE_SHADER);
}

static WGPUComputePipeline create_pipeline(WGPUDevice device, const WGPUComputePipelineDescriptor *desc)
{
    fake_check(device, FAKE_DEVICE);
    fake_check(desc->compute.module, FAKE_SHADER);
    return fake_enter("DeviceCreateComputePipeline") ? fake_make(FAKE_PIPELINE) : NULL;
}

static WGPUBindGroupLayout get_layout(WGPUComputePipeline pipeline, uint32_t group)
{
    fake_check(pipeline, FAKE_PIPELINE);
    (void)group;
    return fake_enter("ComputePipelineGetBindGroupLayout") ? fake_make(FAKE_LAYOUT) : NULL;
}

static void pipeline_release(WGPUComputePipeline pipeline)
{
    fake_enter("ComputePipelineRelease");
    fake_drop(pipeline, FAKE_PIPELINE);
}

static void layout_release(WGPUBindGroupLayout layout)
{
    fake_enter("BindGroupLayoutRelease");
    fake_drop(layout, FAKE_LAYOUT);
}

static WGPUBindGroup create_bind_group(WGPUDevice device, const WGPUBindGroupDescriptor *desc)
{
    fake_check(device, FAKE_DEVICE);
    fake_check(desc->layout, FAKE_LAYOUT);
    for (size_t i = 0; i < desc->entryCount; i++)
        fake_check(desc->entries[i].buffer, FAKE_BUFFER);
    return fake_enter("DeviceCreateBindGroup") ? fake_make(FAKE_BIND_GROUP) : NULL;
}

static void bind_group_release(WGPUBindGroup group)
{
    fake_enter("BindGroupRelease");
    fake_drop(group, FAKE_BIND_GROUP);
}

// ---- Commands: copies happen at once, which is in order as long as each encoder is submitted before the next

static WGPUCommandEncoder create_encoder(WGPUDevice device, const WGPUCommandEncoderDescriptor *desc)
{
    fake_check(device, FAKE_DEVICE);
    (void)desc;
    return fake_enter("DeviceCreateCommandEncoder") ? fake_make(FAKE_ENCODER) : NULL;
}

static WGPUComputePassEncoder begin_pass(WGPUCommandEncoder encoder, const WGPUComputePassDescriptor *desc)
{
    fake_check(encoder, FAKE_ENCODER);
    (void)desc;
    return fake_enter("CommandEncoderBeginComputePass") ? fake_make(FAKE_PASS) : NULL;
}

static void copy(WGPUCommandEncoder encoder, WGPUBuffer source, uint64_t source_offset, WGPUBuffer destination,
                 uint64_t destination_offset, uint64_t size)
{
    fake_check(encoder, FAKE_ENCODER);
    fake_object *from = fake_check(source, FAKE_BUFFER), *to = fake_check(destination, FAKE_BUFFER);
    fake_enter("CommandEncoderCopyBufferToBuffer");
    if (from && to && source_offset + size <= from->size && destination_offset + size <= to->size)
        memcpy(to->bytes + destination_offset, from->bytes + source_offset, size);
    else
        fake.bad_handles++;
}

static WGPUCommandBuffer finish(WGPUCommandEncoder encoder, const WGPUCommandBufferDescriptor *desc)
{
    fake_check(encoder, FAKE_ENCODER);
    (void)desc;
    if (fake.live[FAKE_PASS])
        fake.bad_handles++; // a pass is still open
    return fake_enter("CommandEncoderFinish") ? fake_make(FAKE_COMMANDS) : NULL;
}

static void encoder_release(WGPUCommandEncoder encoder)
{
    fake_enter("CommandEncoderRelease");
    fake_drop(encoder, FAKE_ENCODER);
}

static void commands_release(WGPUCommandBuffer commands)
{
    fake_enter("CommandBufferRelease");
    fake_drop(commands, FAKE_COMMANDS);
}

static void set_pipeline(WGPUComputePassEncoder pass, WGPUComputePipeline pipeline)
{
    fake_check(pass, FAKE_PASS);
    fake_check(pipeline, FAKE_PIPELINE);
    fake_enter("ComputePassEncoderSetPipeline");
}

static void set_bind_group(WGPUComputePassEncoder pass, uint32_t index, WGPUBindGroup group, size_t count,
                           const uint32_t *offsets)
{
    fake_check(pass, FAKE_PASS);
    fake_check(group, FAKE_BIND_GROUP);
    (void)index, (void)count, (void)offsets;
    fake_enter("ComputePassEncoderSetBindGroup");
}

static void dispatch(WGPUComputePassEncoder pass, uint32_t x, uint32_t y, uint32_t z)
{
    fake_check(pass, FAKE_PASS);
    (void)x, (void)y, (void)z;
    fake_enter("ComputePassEncoderDispatchWorkgroups");
}

static void end_pass(WGPUComputePassEncoder pass)
{
    fake_check(pass, FAKE_PASS);
    fake_enter("ComputePassEncoderEnd");
}

static void pass_release(WGPUComputePassEncoder pass)
{
    fake_enter("ComputePassEncoderRelease");
    fake_drop(pass, FAKE_PASS);
}

void fake_fill_objects(rp_webgpu *api)
{
    api->device_create_buffer = create_buffer;
    api->device_create_shader_module = create_shader;
    api->device_create_compute_pipeline = create_pipeline;
    api->device_create_bind_group = create_bind_group;
    api->device_create_command_encoder = create_encoder;
    api->buffer_map_async = map_async;
    api->buffer_get_mapped_range = mapped_range;
    api->buffer_get_const_mapped_range = const_mapped_range;
    api->buffer_unmap = unmap;
    api->buffer_destroy = buffer_destroy;
    api->buffer_release = buffer_release;
    api->shader_module_get_compilation_info = compilation_info;
    api->shader_module_release = shader_release;
    api->compute_pipeline_get_bind_group_layout = get_layout;
    api->compute_pipeline_release = pipeline_release;
    api->bind_group_layout_release = layout_release;
    api->bind_group_release = bind_group_release;
    api->command_encoder_begin_compute_pass = begin_pass;
    api->command_encoder_copy_buffer_to_buffer = copy;
    api->command_encoder_finish = finish;
    api->command_encoder_release = encoder_release;
    api->command_buffer_release = commands_release;
    api->compute_pass_encoder_set_pipeline = set_pipeline;
    api->compute_pass_encoder_set_bind_group = set_bind_group;
    api->compute_pass_encoder_dispatch_workgroups = dispatch;
    api->compute_pass_encoder_end = end_pass;
    api->compute_pass_encoder_release = pass_release;
}
