// Recording the network: one convolution kernel a layer, activations in slots that are shared by lifetime.
#include "oidn/record_network.h"
#include "base/bytes.h"
#include "base/error.h"
#include "kernels/kernels.h"
#include "oidn/pack.h"
#include "oidn/slots.h"

#include <stdio.h>

enum {
    GEMM_TILE_WIDTH = 16,
    GEMM_TILE_HEIGHT = 8,
    GEMM_HALO_VECTORS = 360, // of workgroup storage, as convolution_gemm.wgsl declares it
    GEMM_WEIGHT_VECTORS = 72,
    GEMM_QUADS = 32,
    GEMM_THREAD_BLOCKS = 2,
    DIRECT_TILE = 8
};

const char *rp_precision_prelude(rp_precision precision)
{
    return precision == RP_PRECISION_FP16 ? "enable f16;\nalias value4 = vec4<f16>;\n" : "alias value4 = vec4<f32>;\n";
}

rp_status rp_fold_groups(uint64_t groups, uint32_t limit, uint32_t *x, uint32_t *y, rp_error *error)
{
    uint64_t rows = (groups + limit - 1) / limit;
    if (rows > limit)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "%llu workgroups do not fit a dispatch of %u × %u",
                       (unsigned long long)groups, limit, limit);
    *y = (uint32_t)rows;
    *x = (uint32_t)((groups + rows - 1) / rows);
    return RP_STATUS_OK;
}

static void fill_default(uint32_t *value, uint32_t standard)
{
    if (*value == 0)
        *value = standard;
}

static rp_status resolve(rp_network_recording *recording, const rp_record_desc *desc, rp_error *error)
{
    rp_device_caps *caps = &recording->caps;
    *caps = desc->caps;
    fill_default(&caps->max_workgroup_storage_bytes, 16384);
    fill_default(&caps->max_invocations_per_workgroup, 256);
    fill_default(&caps->max_workgroup_size_x, 256);
    fill_default(&caps->max_workgroup_size_y, 256);
    fill_default(&caps->max_workgroups_per_dimension, 65535);
    bool half = caps->features & RP_FEATURE_SHADER_F16;
    switch (desc->precision) {
    case RP_PRECISION_AUTO:
        recording->precision = half ? RP_PRECISION_FP16 : RP_PRECISION_FP32;
        break;
    case RP_PRECISION_FP16:
        if (!half)
            return rp_fail(error, RP_STATUS_UNSUPPORTED, "precision fp16 needs the feature shader-f16");
        recording->precision = RP_PRECISION_FP16;
        break;
    case RP_PRECISION_FP32:
        recording->precision = RP_PRECISION_FP32;
        break;
    default:
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "precision %d is none of 0, 1, 2", (int)desc->precision);
    }
    if (desc->kernel == RP_KERNEL_SETTING_SUBGROUP_MATRIX)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "the subgroup-matrix kernel is not available yet");
    if ((unsigned)desc->kernel > RP_KERNEL_SETTING_SUBGROUP_MATRIX)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "kernel %d is none of 0, 1, 2, 3", (int)desc->kernel);
    if (caps->max_invocations_per_workgroup < DIRECT_TILE * DIRECT_TILE || caps->max_workgroup_size_x < DIRECT_TILE ||
        caps->max_workgroup_size_y < DIRECT_TILE)
        return rp_fail(error, RP_STATUS_UNSUPPORTED,
                       "the kernels need workgroups of 8 × 8 = 64 invocations; the device has %u × %u, %u in all",
                       caps->max_workgroup_size_x, caps->max_workgroup_size_y, caps->max_invocations_per_workgroup);
    return RP_STATUS_OK;
}

// Output blocks that one workgroup of the implicit GEMM makes: the largest power of two, up to 8, that the layer can
// use and the caps allow; 0 when they allow none.
static uint32_t gemm_group_blocks(const rp_network_recording *recording, uint32_t output_blocks)
{
    uint32_t vector_bytes = recording->precision == RP_PRECISION_FP16 ? 8 : 16;
    uint32_t blocks = 8;
    while (blocks > 1 && blocks / 2 >= output_blocks)
        blocks /= 2;
    for (; blocks; blocks /= 2) {
        uint32_t threads = GEMM_QUADS * (blocks > 1 ? blocks / GEMM_THREAD_BLOCKS : 1);
        if ((GEMM_HALO_VECTORS + GEMM_WEIGHT_VECTORS * blocks) * vector_bytes <=
                recording->caps.max_workgroup_storage_bytes &&
            threads <= recording->caps.max_invocations_per_workgroup && threads <= recording->caps.max_workgroup_size_x)
            return blocks;
    }
    return 0;
}

// The layer's convolution runs at the size of its first tensor after upsampling.
static uint32_t convolution_level(const rp_model *model, const rp_layer *layer)
{
    return model->tensors[layer->source].level - (layer->upsample ? 1 : 0);
}

static uint64_t tensor_bytes(const rp_network_recording *recording, uint32_t tensor)
{
    const rp_graph_tensor *info = &recording->model->tensors[tensor];
    bool result = tensor == recording->model->layer_count;
    uint64_t vector_bytes = recording->precision == RP_PRECISION_FP16 && !result ? 8 : 16;
    return (uint64_t)(recording->width >> info->level) * (recording->height >> info->level) *
           rp_blocks(info->channels) * vector_bytes;
}

static rp_status create_activations(rp_network_recording *recording, uint32_t *tensor_buffers, rp_error *error)
{
    const rp_model *model = recording->model;
    uint64_t bytes[RP_MAX_LAYERS + 1];
    uint32_t slot_buffers[RP_MAX_LAYERS + 1];
    rp_slot_plan plan;
    for (uint32_t i = 0; i <= model->layer_count; i++)
        bytes[i] = tensor_bytes(recording, i);
    rp_plan_slots(model, bytes, &plan);
    for (uint32_t i = 0; i < plan.slot_count; i++) {
        char label[40];
        snprintf(label, sizeof label, "oidn/activations/%u", i);
        rp_status status = rp_recorder_create_buffer(
            recording->recorder,
            &(rp_buffer_desc){.label = label,
                              .size_bytes = plan.slot_bytes[i],
                              .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_SRC | RP_USAGE_COPY_DST},
            &slot_buffers[i], error);
        if (status != RP_STATUS_OK)
            return status;
    }
    for (uint32_t i = 0; i <= model->layer_count; i++)
        tensor_buffers[i] = slot_buffers[plan.tensor_slot[i]];
    recording->input = tensor_buffers[0];
    recording->result = tensor_buffers[model->layer_count];
    return RP_STATUS_OK;
}

static rp_status create_weights(rp_network_recording *recording, uint32_t index, rp_error *error)
{
    const rp_layer *layer = &recording->model->layers[index];
    const rp_allocator *allocator = recording->allocator;
    uint8_t *packed;
    size_t size;
    rp_status status = rp_pack_layer(layer, recording->precision, allocator, &packed, &size, error);
    if (status != RP_STATUS_OK)
        return status;
    char label[80];
    snprintf(label, sizeof label, "oidn/%s/weights", layer->name);
    status = rp_recorder_create_buffer(recording->recorder,
                                       &(rp_buffer_desc){.label = label,
                                                         .size_bytes = size,
                                                         .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_DST,
                                                         .data = packed,
                                                         .data_size_bytes = size},
                                       &recording->weights[index], error);
    rp_free(allocator, packed);
    return status;
}

// Size uniforms, one a level: two u32 in 16 bytes.
static rp_status create_sizes(rp_network_recording *recording, uint32_t *sizes, rp_error *error)
{
    for (uint32_t level = 0; level < 5; level++) {
        uint8_t words[16] = {0};
        rp_store_u32(words, recording->width >> level);
        rp_store_u32(words + 4, recording->height >> level);
        char label[40];
        snprintf(label, sizeof label, "oidn/size/%u", level);
        rp_status status = rp_recorder_create_buffer(recording->recorder,
                                                     &(rp_buffer_desc){.label = label,
                                                                       .size_bytes = sizeof words,
                                                                       .usage = RP_USAGE_UNIFORM | RP_USAGE_COPY_DST,
                                                                       .data = words,
                                                                       .data_size_bytes = sizeof words},
                                                     &sizes[level], error);
        if (status != RP_STATUS_OK)
            return status;
    }
    return RP_STATUS_OK;
}

static rp_status create_step(rp_network_recording *recording, uint32_t index, rp_kernel kernel,
                             const uint32_t *tensor_buffers, const uint32_t *sizes, rp_error *error)
{
    const rp_model *model = recording->model;
    const rp_layer *layer = &model->layers[index];
    uint32_t output_blocks = rp_blocks(layer->output_channels);
    uint32_t group_blocks = gemm_group_blocks(recording, output_blocks);
    // A layer of one output block (the last) gains nothing from staging weights.
    bool gemm = kernel == RP_KERNEL_SETTING_IMPLICIT_GEMM ||
                (kernel == RP_KERNEL_SETTING_AUTO && output_blocks > 1 && group_blocks > 0);
    if (gemm && group_blocks == 0)
        return rp_fail(error, RP_STATUS_UNSUPPORTED,
                       "the implicit-gemm kernel does not fit %u bytes of workgroup storage and %u invocations",
                       recording->caps.max_workgroup_storage_bytes, recording->caps.max_invocations_per_workgroup);
    recording->kernel_bits |= gemm ? RP_KERNEL_IMPLICIT_GEMM : RP_KERNEL_DIRECT;

    rp_arena arena;
    rp_arena_init(&arena, recording->allocator);
    const char *blocks = "";
    if (gemm)
        blocks = rp_arena_format(&arena, "const GROUP_BLOCKS = %uu;\nconst THREAD_BLOCKS = %uu;\n", group_blocks,
                                 group_blocks > 1 ? GEMM_THREAD_BLOCKS : 1u);
    const char *wgsl =
        !blocks ? NULL
                : rp_arena_format(&arena,
                                  "%salias result4 = vec4<%s>;\nconst SOURCE_BLOCKS = %uu;\nconst SKIP_BLOCKS = %uu;\n"
                                  "const OUTPUT_BLOCKS = %uu;\nconst UPSAMPLE = %s;\nconst POOL = %s;\n%s\n%s",
                                  rp_precision_prelude(recording->precision),
                                  recording->precision == RP_PRECISION_FP16 && index + 1 < model->layer_count ? "f16"
                                                                                                              : "f32",
                                  rp_blocks(layer->source_channels), rp_blocks(layer->skip_channels), output_blocks,
                                  layer->upsample ? "true" : "false", layer->pool ? "true" : "false", blocks,
                                  gemm ? rp_kernel_convolution_gemm : rp_kernel_convolution_direct);
    uint32_t shader, *pipeline = &recording->steps[index].pipeline;
    rp_status status = wgsl ? rp_recorder_create_shader(recording->recorder, wgsl, &shader, error)
                            : rp_fail_memory(error, 16384, "a kernel");
    rp_arena_free(&arena);
    if (status == RP_STATUS_OK)
        status = rp_recorder_create_pipeline(recording->recorder, shader, "main", pipeline, error);
    if (status != RP_STATUS_OK)
        return status;

    uint32_t level = convolution_level(model, layer);
    uint32_t source = tensor_buffers[layer->source];
    const rp_program_entry entries[] = {
        {.binding = 0, .buffer = source},
        {.binding = 1, .buffer = layer->skip == RP_NO_TENSOR ? source : tensor_buffers[layer->skip]},
        {.binding = 2, .buffer = recording->weights[index]},
        {.binding = 3, .buffer = tensor_buffers[index + 1]},
        {.binding = 4, .buffer = sizes[level]},
    };
    status = rp_recorder_create_bind_group(recording->recorder, *pipeline, 0, entries, 5,
                                           &recording->steps[index].bind_group, error);
    if (status != RP_STATUS_OK)
        return status;

    uint32_t width = recording->width >> level, height = recording->height >> level;
    uint64_t groups;
    if (gemm) {
        groups = (uint64_t)rp_ceil_divide(width, GEMM_TILE_WIDTH) * rp_ceil_divide(height, GEMM_TILE_HEIGHT);
        recording->steps[index].z = rp_ceil_divide(output_blocks, group_blocks);
    } else {
        uint32_t shift = layer->pool ? 1 : 0;
        groups = (uint64_t)rp_ceil_divide(width >> shift, DIRECT_TILE) * rp_ceil_divide(height >> shift, DIRECT_TILE);
        recording->steps[index].z = output_blocks;
    }
    return rp_fold_groups(groups, recording->caps.max_workgroups_per_dimension, &recording->steps[index].x,
                          &recording->steps[index].y, error);
}

rp_status rp_network_prepare(rp_network_recording *recording, const rp_model *model, const rp_record_desc *desc,
                             uint32_t width, uint32_t height, rp_error *error)
{
    recording->model = model;
    recording->allocator = desc->allocator;
    recording->width = width;
    recording->height = height;
    uint32_t tensor_buffers[RP_MAX_LAYERS + 1], sizes[5];
    rp_status status = resolve(recording, desc, error);
    if (status == RP_STATUS_OK)
        status = create_activations(recording, tensor_buffers, error);
    if (status == RP_STATUS_OK)
        status = create_sizes(recording, sizes, error);
    for (uint32_t i = 0; i < model->layer_count && status == RP_STATUS_OK; i++)
        status = create_weights(recording, i, error);
    for (uint32_t i = 0; i < model->layer_count && status == RP_STATUS_OK; i++)
        status = create_step(recording, i, desc->kernel, tensor_buffers, sizes, error);
    return status;
}

rp_status rp_network_dispatch(const rp_network_recording *recording, rp_error *error)
{
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i < recording->model->layer_count && status == RP_STATUS_OK; i++)
        status = rp_recorder_dispatch(recording->recorder, recording->steps[i].pipeline, recording->steps[i].bind_group,
                                      recording->steps[i].x, recording->steps[i].y, recording->steps[i].z, error);
    return status;
}
