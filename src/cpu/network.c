// The network on the CPU: for every layer [upsampling and concatenation] → convolution → [pooling], activations placed
// by lifetime in one piece of memory.
#include "cpu/network.h"
#include "base/error.h"
#include "cpu/aligned.h"
#include "cpu/convolution.h"
#include "cpu/placement.h"
#include "cpu/rows.h"

#include <stdio.h>
#include <string.h>

// A layer's steps in time: 3i concatenates, 3i + 1 convolves, 3i + 2 pools.
enum { STEPS = 3 };

typedef struct layer_plan {
    rp_convolution *convolution;
    uint32_t width, height; // of the convolution
    float *joined;          // upsampled source and skip, side by side; NULL where the source is read as it is
    float *convolved;       // what is pooled; NULL where the convolution writes the output itself
} layer_plan;

struct rp_cpu_network {
    rp_allocator allocator;
    const rp_model *model;
    uint32_t width, height;
    uint32_t thread_count; // 0: OpenMP's own
    rp_cpu_engine *engine;
    rp_aligned memory;
    float *tensors[RP_MAX_LAYERS + 1];
    void *scratch;
    layer_plan layers[RP_MAX_LAYERS];
    uint64_t bytes;
};

// ---- Plan ----------------------------------------------------------------------------------------------------------

static bool activation_bytes(uint32_t width, uint32_t height, uint32_t channels, size_t *bytes)
{
    return rp_multiply(width, height, bytes) && rp_multiply(*bytes, channels, bytes) &&
           rp_multiply(*bytes, sizeof(float), bytes);
}

// Blocks: the tensors, then for each layer `joined` and `convolved` (0 bytes where it has none), then the scratch
// memory.
enum { JOINED = RP_MAX_LAYERS + 1, CONVOLVED = JOINED + RP_MAX_LAYERS, SCRATCH = CONVOLVED + RP_MAX_LAYERS, BLOCKS };

static bool plan_blocks(const rp_cpu_network *network, size_t scratch_bytes, rp_placed_block *blocks)
{
    const rp_model *model = network->model;
    uint32_t last = model->layer_count * STEPS;
    bool good = true;
    memset(blocks, 0, BLOCKS * sizeof *blocks);
    for (uint32_t i = 0; i <= model->layer_count; i++) {
        const rp_graph_tensor *tensor = &model->tensors[i];
        good = good && activation_bytes(network->width >> tensor->level, network->height >> tensor->level,
                                        tensor->channels, &blocks[i].bytes);
        // Made by layer i - 1, in its last step where that pools; the input is there from the start and is left alone.
        blocks[i].first_step = i == 0 ? 0 : (i - 1) * STEPS + (model->layers[i - 1].pool ? 2 : 1);
        blocks[i].last_step = i == 0 || i == model->layer_count ? last : tensor->last_use * STEPS + 1;
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const rp_layer *layer = &model->layers[i];
        const layer_plan *plan = &network->layers[i];
        if (layer->upsample || layer->skip != RP_NO_TENSOR)
            good = good && activation_bytes(plan->width, plan->height, layer->source_channels + layer->skip_channels,
                                            &blocks[JOINED + i].bytes);
        if (layer->pool)
            good = good &&
                   activation_bytes(plan->width, plan->height, layer->output_channels, &blocks[CONVOLVED + i].bytes);
        blocks[JOINED + i].first_step = i * STEPS;
        blocks[JOINED + i].last_step = i * STEPS + 1;
        blocks[CONVOLVED + i].first_step = i * STEPS + 1;
        blocks[CONVOLVED + i].last_step = i * STEPS + 2;
    }
    blocks[SCRATCH] = (rp_placed_block){.bytes = scratch_bytes, .first_step = 0, .last_step = last};
    return good;
}

static rp_status place(rp_cpu_network *network, rp_error *error)
{
    rp_placed_block blocks[BLOCKS];
    size_t scratch_bytes = 0, total;
    for (uint32_t i = 0; i < network->model->layer_count; i++) {
        size_t bytes = rp_convolution_scratch_bytes(network->layers[i].convolution);
        scratch_bytes = bytes > scratch_bytes ? bytes : scratch_bytes;
        network->bytes += rp_convolution_bytes(network->layers[i].convolution);
    }
    if (!plan_blocks(network, scratch_bytes, blocks) || !rp_place_blocks(blocks, BLOCKS, &total))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "a tile of %u × %u: its activations overflow", network->width,
                       network->height);
    if (!rp_aligned_allocate(&network->allocator, total, &network->memory))
        return rp_fail_memory(error, total, "the activations of a tile");
    network->bytes += total;
    uint8_t *memory = network->memory.data;
    for (uint32_t i = 0; i <= network->model->layer_count; i++)
        network->tensors[i] = (float *)(void *)(memory + blocks[i].offset);
    for (uint32_t i = 0; i < network->model->layer_count; i++) {
        if (blocks[JOINED + i].bytes)
            network->layers[i].joined = (float *)(void *)(memory + blocks[JOINED + i].offset);
        if (blocks[CONVOLVED + i].bytes)
            network->layers[i].convolved = (float *)(void *)(memory + blocks[CONVOLVED + i].offset);
    }
    network->scratch = memory + blocks[SCRATCH].offset;
    return RP_STATUS_OK;
}

static rp_status create_convolution(rp_cpu_network *network, uint32_t index, rp_error *error)
{
    const rp_layer *layer = &network->model->layers[index];
    layer_plan *plan = &network->layers[index];
    uint32_t level = network->model->tensors[layer->source].level - (layer->upsample ? 1 : 0);
    plan->width = network->width >> level;
    plan->height = network->height >> level;
    size_t weight_count = layer->weight->element_count, bias_count = layer->bias->element_count;
    float *values = rp_allocate(&network->allocator, weight_count + bias_count, sizeof *values);
    if (!values)
        return rp_fail_memory(error, (weight_count + bias_count) * sizeof *values, "a layer's weights");
    for (size_t i = 0; i < weight_count; i++)
        values[i] = rp_tza_value(layer->weight, i);
    for (size_t i = 0; i < bias_count; i++)
        values[weight_count + i] = rp_tza_value(layer->bias, i);
    rp_convolution_desc desc = {.allocator = &network->allocator,
                                .width = plan->width,
                                .height = plan->height,
                                .input_channels = layer->source_channels + layer->skip_channels,
                                .output_channels = layer->output_channels,
                                .weights = values,
                                .bias = values + weight_count};
    rp_status status = rp_convolution_create(network->engine, &desc, &plan->convolution, error);
    rp_free(&network->allocator, values);
    return rp_error_prefix(error, status, layer->name);
}

static rp_status create(rp_cpu_network *network, rp_error *error)
{
    rp_status status = rp_cpu_engine_create(&network->allocator, &network->engine, error);
    for (uint32_t i = 0; i < network->model->layer_count && status == RP_STATUS_OK; i++)
        status = create_convolution(network, i, error);
    if (status == RP_STATUS_OK)
        status = place(network, error);
    return status;
}

rp_status rp_cpu_network_create(const rp_cpu_network_desc *desc, rp_cpu_network **network_out, rp_error *error)
{
    *network_out = NULL;
    if (desc->width == 0 || desc->height == 0 || desc->width % 16 || desc->height % 16 || desc->width > INT32_MAX ||
        desc->height > INT32_MAX)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "a tile of %u × %u: both must be multiples of 16, 16 or more",
                       desc->width, desc->height);
    if (desc->thread_count > 1024)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%u threads: at most 1024", desc->thread_count);
    rp_cpu_network *network = rp_allocate(desc->allocator, 1, sizeof *network);
    if (!network)
        return rp_fail_memory(error, sizeof *network, "a network");
    network->allocator = rp_allocator_or_default(desc->allocator);
    network->model = desc->model;
    network->width = desc->width;
    network->height = desc->height;
    network->thread_count = desc->thread_count;
    // A kernel may depend on how many threads will run it, so they are set while convolutions are made, too.
    uint32_t before = rp_rows_set_threads(network->thread_count);
    rp_status status = create(network, error);
    rp_rows_set_threads(before);
    if (status != RP_STATUS_OK) {
        rp_cpu_network_destroy(&network);
        return status;
    }
    *network_out = network;
    return RP_STATUS_OK;
}

void rp_cpu_network_destroy(rp_cpu_network **network_in)
{
    rp_cpu_network *network = *network_in;
    *network_in = NULL;
    if (!network)
        return;
    for (uint32_t i = 0; i < RP_MAX_LAYERS; i++)
        rp_convolution_destroy(&network->layers[i].convolution);
    rp_cpu_engine_destroy(&network->engine);
    rp_allocator allocator = network->allocator;
    rp_aligned_free(&allocator, &network->memory);
    rp_free(&allocator, network);
}

float *rp_cpu_network_input(rp_cpu_network *network)
{
    return network->tensors[0];
}

const float *rp_cpu_network_output(const rp_cpu_network *network)
{
    return network->tensors[network->model->layer_count];
}

uint64_t rp_cpu_network_bytes(const rp_cpu_network *network)
{
    return network->bytes;
}

// ---- Run -----------------------------------------------------------------------------------------------------------

typedef struct row_task {
    const rp_layer *layer;
    const float *source, *skip;
    float *target;
    size_t width, channels; // of the convolution
} row_task;

// target[y][x] = source[y / 2][x / 2] (or source[y][x]) ++ skip[y][x]
static void join_row(void *user, uint32_t y, uint32_t thread)
{
    const row_task *task = user;
    (void)thread;
    size_t source_channels = task->layer->source_channels, skip_channels = task->layer->skip_channels;
    unsigned shift = task->layer->upsample ? 1 : 0;
    const float *source = task->source + (y >> shift) * (task->width >> shift) * source_channels;
    const float *skip = task->skip + y * task->width * skip_channels;
    float *target = task->target + y * task->width * (source_channels + skip_channels);
    for (size_t x = 0; x < task->width; x++) {
        memcpy(target, source + (x >> shift) * source_channels, source_channels * sizeof(float));
        target += source_channels;
        memcpy(target, skip + x * skip_channels, skip_channels * sizeof(float));
        target += skip_channels;
    }
}

// One row of 2 × 2 maxima.
static void pool_row(void *user, uint32_t y, uint32_t thread)
{
    const row_task *task = user;
    (void)thread;
    size_t channels = task->channels, row = task->width * channels;
    const float *restrict top = task->source + 2 * y * row;
    float *restrict target = task->target + y * (row / 2);
    for (size_t x = 0; x < task->width / 2; x++, top += 2 * channels, target += channels)
        for (size_t c = 0; c < channels; c++) {
            float a = top[c] > top[channels + c] ? top[c] : top[channels + c];
            float b = top[row + c] > top[row + channels + c] ? top[row + c] : top[row + channels + c];
            target[c] = a > b ? a : b;
        }
}

static rp_status run_layer(rp_cpu_network *network, uint32_t index, rp_error *error)
{
    const rp_layer *layer = &network->model->layers[index];
    const layer_plan *plan = &network->layers[index];
    const float *input = network->tensors[layer->source];
    float *output = network->tensors[index + 1];
    uint32_t threads = rp_rows_threads(network->thread_count);
    row_task task = {.layer = layer, .width = plan->width, .channels = layer->output_channels};
    if (plan->joined) {
        task.source = input;
        task.skip = layer->skip == RP_NO_TENSOR ? input : network->tensors[layer->skip];
        task.target = plan->joined;
        rp_rows_run(plan->height, threads, join_row, &task);
        input = plan->joined;
    }
    rp_status status = rp_convolution_run(plan->convolution, input, plan->convolved ? plan->convolved : output,
                                          network->scratch, error);
    if (status == RP_STATUS_OK && plan->convolved) {
        task.source = plan->convolved;
        task.target = output;
        rp_rows_run(plan->height / 2, threads, pool_row, &task);
    }
    return rp_error_prefix(error, status, layer->name);
}

rp_status rp_cpu_network_run(rp_cpu_network *network, rp_error *error)
{
    rp_status status = RP_STATUS_OK;
    uint32_t before = rp_rows_set_threads(network->thread_count);
    for (uint32_t i = 0; i < network->model->layer_count && status == RP_STATUS_OK; i++)
        status = run_layer(network, i, error);
    rp_rows_set_threads(before);
    return status;
}
