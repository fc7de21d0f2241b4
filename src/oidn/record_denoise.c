// Recording a whole denoising (or a bare network): for every tile input processing, the network, output processing.
#include "base/bytes.h"
#include "base/error.h"
#include "kernels/kernels.h"
#include "oidn/record_network.h"
#include "oidn/tile.h"
#include "oidn/transfer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PIXEL_BYTES = 16,  // RGBA f32
    TILE_STRIDE = 256, // a tile's parameters in their buffer: the alignment of uniform offsets
    TILE_WORDS = 10,   // struct Tile of input.wgsl, padded to 48 bytes when bound
    TILE_BINDING_BYTES = 48,
    PROCESSING_TILE = 8 // input.wgsl and output.wgsl work on 8 × 8 pixels a workgroup
};

// RANGE of the processing kernels: an rp_value_range, or this one for images that are in the network's space already.
#define RANGE_NETWORK 3u

typedef struct rp_denoise_recording {
    rp_network_recording network;
    const rp_record_desc *desc;
    bool bare;      // the network alone, on images in its own space
    uint32_t range; // rp_value_range or RANGE_NETWORK
    rp_tile_axis x, y;
    uint32_t input_count;
    uint32_t inputs[3], output, frame, tiles; // buffers
    uint32_t input_pipeline, output_pipeline;
} rp_denoise_recording;

static rp_status check(const rp_model *model, const rp_record_desc *desc, bool bare, rp_error *error)
{
    if (desc->width == 0 || desc->height == 0)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "image size %u × %u: both must be at least 1", desc->width,
                       desc->height);
    uint64_t image_bytes = (uint64_t)desc->width * desc->height;
    if (image_bytes > UINT32_MAX / PIXEL_BYTES)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "image size %u × %u: an RGBA f32 image of 4 GiB or more",
                       desc->width, desc->height);
    if ((unsigned)desc->edge > RP_EDGE_ZERO)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "edge %d is none of 0, 1", (int)desc->edge);
    if (bare)
        return RP_STATUS_OK;
    if (!(desc->input_scale >= 0) || isinf(desc->input_scale))
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT,
                       "input scale %g: it must be finite and above 0 (0 stands for 1)", (double)desc->input_scale);
    if ((unsigned)desc->transfer > RP_TRANSFER_NONE)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "transfer %d is none of 0, 1, 2, 3", (int)desc->transfer);
    if (desc->hdr && desc->transfer > RP_TRANSFER_LOG)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "an HDR image takes the transfer PU or log");
    if (desc->normal_alone && (model->info.input_channels != 3 || desc->hdr))
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "a normal image by itself takes a three-channel LDR model");
    return RP_STATUS_OK;
}

static rp_status create_images(rp_denoise_recording *recording, rp_error *error)
{
    static const char *const color_names[] = {"color", "albedo", "normal"};
    static const char *const network_names[] = {"input0", "input1", "input2"};
    const rp_record_desc *desc = recording->desc;
    uint64_t bytes = (uint64_t)desc->width * desc->height * PIXEL_BYTES;
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i <= recording->input_count && status == RP_STATUS_OK; i++) {
        bool output = i == recording->input_count;
        char label[40];
        snprintf(label, sizeof label, "oidn/external/%s",
                 output            ? "output"
                 : recording->bare ? network_names[i]
                                   : color_names[i]);
        status = rp_recorder_create_buffer(
            recording->network.recorder,
            &(rp_buffer_desc){
                .label = label, .size_bytes = bytes, .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_SRC | RP_USAGE_COPY_DST},
            output ? &recording->output : &recording->inputs[i], error);
    }
    return status;
}

static rp_status create_uniforms(rp_denoise_recording *recording, rp_error *error)
{
    const rp_record_desc *desc = recording->desc;
    const rp_allocator *allocator = recording->desc->allocator;
    float scale = recording->bare || desc->input_scale == 0 ? 1 : desc->input_scale;
    uint8_t frame[16] = {0};
    uint32_t bits;
    memcpy(&bits, &scale, 4);
    rp_store_u32(frame, bits);
    rp_status status = rp_recorder_create_buffer(recording->network.recorder,
                                                 &(rp_buffer_desc){.label = "oidn/frame",
                                                                   .size_bytes = sizeof frame,
                                                                   .usage = RP_USAGE_UNIFORM | RP_USAGE_COPY_DST,
                                                                   .data = frame,
                                                                   .data_size_bytes = sizeof frame},
                                                 &recording->frame, error);
    if (status != RP_STATUS_OK)
        return status;

    size_t count = (size_t)recording->x.count * recording->y.count;
    if (count > UINT32_MAX / TILE_STRIDE)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "%zu tiles: their parameters do not fit a buffer", count);
    uint8_t *bytes = rp_allocate(allocator, count, TILE_STRIDE);
    if (!bytes)
        return rp_fail_memory(error, count * TILE_STRIDE, "tile parameters");
    for (size_t i = 0; i < count; i++) {
        rp_tile_span x = rp_tile_at(&recording->x, (uint32_t)(i % recording->x.count));
        rp_tile_span y = rp_tile_at(&recording->y, (uint32_t)(i / recording->x.count));
        const uint32_t words[TILE_WORDS] = {desc->width,   desc->height, recording->x.input, recording->y.input,
                                            x.input,       y.input,      x.output,           y.output,
                                            x.output_size, y.output_size};
        for (size_t word = 0; word < TILE_WORDS; word++)
            rp_store_u32(bytes + i * TILE_STRIDE + 4 * word, words[word]);
    }
    status = rp_recorder_create_buffer(recording->network.recorder,
                                       &(rp_buffer_desc){.label = "oidn/tiles",
                                                         .size_bytes = count * TILE_STRIDE,
                                                         .usage = RP_USAGE_UNIFORM | RP_USAGE_COPY_DST,
                                                         .data = bytes,
                                                         .data_size_bytes = count * TILE_STRIDE},
                                       &recording->tiles, error);
    rp_free(allocator, bytes);
    return status;
}

static rp_status create_pipeline(rp_denoise_recording *recording, const char *prelude, const char *body,
                                 uint32_t *pipeline, rp_error *error)
{
    rp_transfer transfer = recording->desc->transfer;
    if (recording->range == RP_RANGE_SIGNED || recording->range == RANGE_NETWORK ||
        (recording->range == RP_RANGE_UNIT && transfer != RP_TRANSFER_SRGB))
        transfer = RP_TRANSFER_NONE;
    rp_arena arena;
    rp_arena_init(&arena, recording->desc->allocator);
    const char *wgsl = rp_arena_format(&arena, "%sconst RANGE = %uu;\nconst TRANSFER = %uu;\n\n%s", prelude,
                                       recording->range, (unsigned)transfer, body);
    uint32_t shader;
    rp_status status = wgsl ? rp_recorder_create_shader(recording->network.recorder, wgsl, &shader, error)
                            : rp_fail_memory(error, strlen(body), "a kernel");
    rp_arena_free(&arena);
    if (status == RP_STATUS_OK)
        status = rp_recorder_create_pipeline(recording->network.recorder, shader, "main", pipeline, error);
    return status;
}

static rp_status create_pipelines(rp_denoise_recording *recording, rp_error *error)
{
    char prelude[160];
    snprintf(prelude, sizeof prelude, "%sconst IMAGES = %uu;\nconst EDGE_ZERO = %s;\n",
             rp_precision_prelude(recording->network.precision), recording->input_count,
             recording->desc->edge == RP_EDGE_ZERO ? "true" : "false");
    rp_status status = create_pipeline(recording, prelude, rp_kernel_input, &recording->input_pipeline, error);
    if (status == RP_STATUS_OK)
        status = create_pipeline(recording, "", rp_kernel_output, &recording->output_pipeline, error);
    return status;
}

// One processing dispatch of width × height pixels with its own bind group.
static rp_status process(rp_denoise_recording *recording, uint32_t pipeline, const rp_program_entry *entries,
                         uint32_t entry_count, uint32_t width, uint32_t height, rp_error *error)
{
    rp_recorder *recorder = recording->network.recorder;
    uint32_t bind_group, x, y;
    uint64_t groups = (uint64_t)rp_ceil_divide(width, PROCESSING_TILE) * rp_ceil_divide(height, PROCESSING_TILE);
    rp_status status = rp_fold_groups(groups, recording->network.caps.max_workgroups_per_dimension, &x, &y, error);
    if (status == RP_STATUS_OK)
        status = rp_recorder_create_bind_group(recorder, pipeline, 0, entries, entry_count, &bind_group, error);
    if (status == RP_STATUS_OK)
        status = rp_recorder_dispatch(recorder, pipeline, bind_group, x, y, 1, error);
    return status;
}

static rp_status record_tile(rp_denoise_recording *recording, uint32_t column, uint32_t row, rp_error *error)
{
    rp_tile_span x = rp_tile_at(&recording->x, column), y = rp_tile_at(&recording->y, row);
    uint32_t first = recording->inputs[0];
    const rp_program_entry tile = {.binding = 4,
                                   .buffer = recording->tiles,
                                   .offset = (row * recording->x.count + column) * TILE_STRIDE,
                                   .size_bytes = TILE_BINDING_BYTES};
    const rp_program_entry input[] = {
        {.binding = 0, .buffer = first},
        {.binding = 1, .buffer = recording->input_count > 1 ? recording->inputs[1] : first},
        {.binding = 2, .buffer = recording->input_count > 2 ? recording->inputs[2] : first},
        {.binding = 3, .buffer = recording->network.input},
        tile,
        {.binding = 5, .buffer = recording->frame},
    };
    rp_program_entry output[] = {
        {.binding = 0, .buffer = recording->network.result}, {.binding = 1, .buffer = first},
        {.binding = 2, .buffer = recording->output},         tile,
        {.binding = 4, .buffer = recording->frame},
    };
    output[3].binding = 3;
    rp_status status =
        process(recording, recording->input_pipeline, input, 6, recording->x.input, recording->y.input, error);
    if (status == RP_STATUS_OK)
        status = rp_network_dispatch(&recording->network, error);
    if (status == RP_STATUS_OK)
        status = process(recording, recording->output_pipeline, output, 5, x.output_size, y.output_size, error);
    if (status == RP_STATUS_OK)
        status = rp_recorder_submit(recording->network.recorder, error);
    return status;
}

static rp_status record(rp_denoise_recording *recording, const rp_model *model, rp_program **program, rp_error *error)
{
    const rp_record_desc *desc = recording->desc;
    recording->input_count = model->info.input_channels / 3;
    recording->range = recording->bare      ? RANGE_NETWORK
                       : desc->hdr          ? RP_RANGE_HDR
                       : desc->normal_alone ? RP_RANGE_SIGNED
                                            : RP_RANGE_UNIT;
    uint32_t overlap = rp_tile_overlap(model->info.receptive_field);
    uint32_t max_edge = recording->bare ? 0 : desc->max_tile_edge;
    recording->x = rp_plan_tiles(desc->width, max_edge, overlap);
    recording->y = rp_plan_tiles(desc->height, max_edge, overlap);
    rp_status status = create_images(recording, error);
    if (status == RP_STATUS_OK)
        status = create_uniforms(recording, error);
    if (status == RP_STATUS_OK)
        status = rp_network_prepare(&recording->network, model, desc, recording->x.input, recording->y.input, error);
    if (status == RP_STATUS_OK)
        status = create_pipelines(recording, error);
    for (uint32_t row = 0; row < recording->y.count && status == RP_STATUS_OK; row++)
        for (uint32_t column = 0; column < recording->x.count && status == RP_STATUS_OK; column++)
            status = record_tile(recording, column, row, error);
    if (status != RP_STATUS_OK)
        return status;
    return rp_recorder_finish(recording->network.recorder,
                              &(rp_recorder_result){
                                  .inputs = recording->inputs,
                                  .input_count = recording->input_count,
                                  .output = recording->output,
                                  .output_external = !recording->bare,
                                  .output_width = desc->width,
                                  .output_height = desc->height,
                                  .output_channels = recording->bare ? model->info.output_channels : 4,
                                  .meta = {.present = true,
                                           .precision = recording->network.precision,
                                           .tile_count = recording->bare ? 0 : recording->x.count * recording->y.count,
                                           .kernel_bits = recording->network.kernel_bits,
                                           .frame_buffer = recording->bare ? RP_NO_ID : recording->frame,
                                           .weight_buffer_count = model->layer_count,
                                           .weight_buffers = recording->network.weights},
                              },
                              program, error);
}

static rp_status record_either(const rp_model *model, const rp_record_desc *desc, bool bare, rp_program **program,
                               rp_error *error)
{
    *program = NULL;
    rp_status status = check(model, desc, bare, error);
    if (status != RP_STATUS_OK)
        return status;
    rp_denoise_recording recording = {.desc = desc, .bare = bare};
    status =
        rp_recorder_create(&(rp_recorder_desc){.allocator = desc->allocator,
                                               .max_workgroups_per_dimension = desc->caps.max_workgroups_per_dimension},
                           &recording.network.recorder, error);
    if (status == RP_STATUS_OK)
        status = record(&recording, model, program, error);
    rp_recorder_destroy(&recording.network.recorder);
    return status;
}

rp_status rp_record_network(const rp_model *model, const rp_record_desc *desc, rp_program **program, rp_error *error)
{
    return record_either(model, desc, true, program, error);
}

rp_status rp_record_denoise(const rp_model *model, const rp_record_desc *desc, rp_program **program, rp_error *error)
{
    return record_either(model, desc, false, program, error);
}
