// The network on the CPU: for every layer [upsampling and concatenation] → convolution → [pooling], activations placed
// by lifetime in one piece of memory, in the layout that oneDNN's kernels are fastest with on this processor.
#include "cpu/network.h"
#include "base/error.h"
#include "cpu/activation.h"
#include "cpu/aligned.h"
#include "cpu/convolution.h"
#include "cpu/placement.h"
#include "cpu/rows.h"

#include <string.h>

// A layer's steps in time: 3i joins, 3i + 1 convolves, 3i + 2 pools or unpacks.
enum { STEPS = 3 };

// A layer that joins works in bands of rows where they are contiguous, so that what it joins is never there as a whole:
// in the widest layer that would be half of all memory. Fewer rows share less work among the threads.
enum { LEAST_BAND_ROWS = 64 };

typedef struct layer_plan {
    rp_convolution *convolution;
    uint32_t width, height;  // of the convolution
    uint32_t band_rows;      // convolved at a time; `height`: all
    rp_activation joined;    // upsampled source ++ skip, a band of it with a row more above and below; without data
                             // where the source is read as it is
    rp_activation convolved; // what is pooled or unpacked; without data where the convolution writes the output itself
} layer_plan;

struct rp_cpu_network {
    rp_allocator allocator;
    const rp_model *model;
    uint32_t width, height;
    uint32_t thread_count; // 0: OpenMP's own
    uint32_t block;        // of the activations, as in rp_convolution_desc
    rp_cpu_engine *engine;
    rp_aligned memory;
    float *input, *output; // packed
    rp_activation
        tensors[RP_MAX_LAYERS + 1]; // the first and the last are `input` and `output` themselves if block is 0
    void *scratch;
    layer_plan layers[RP_MAX_LAYERS];
    uint64_t bytes;
};

// ---- Plan ----------------------------------------------------------------------------------------------------------

static bool joins(const rp_layer *layer)
{
    return layer->upsample || layer->skip != RP_NO_TENSOR;
}

static bool is_banded(const layer_plan *plan)
{
    return plan->band_rows < plan->height;
}

static rp_convolution_desc describe_layer(const rp_cpu_network *network, uint32_t index)
{
    const rp_layer *layer = &network->model->layers[index];
    const layer_plan *plan = &network->layers[index];
    uint32_t inputs = layer->source_channels + layer->skip_channels;
    if (network->block)
        inputs = rp_ceil_divide(inputs, network->block) * network->block;
    return (rp_convolution_desc){.allocator = &network->allocator,
                                 .width = plan->width,
                                 .height = plan->band_rows,
                                 .input_channels = inputs,
                                 .output_channels = layer->output_channels,
                                 .block = network->block,
                                 .halo = is_banded(plan)};
}

// One layout for all layers: what the one with the most work wants, unless it does not fit the graph.
static rp_status choose_layout(rp_cpu_network *network, rp_error *error)
{
    const rp_model *model = network->model;
    uint32_t heaviest = 0;
    for (uint32_t i = 1; i < model->layer_count; i++)
        if (rp_layer_multiply_adds(model, i, network->width, network->height) >
            rp_layer_multiply_adds(model, heaviest, network->width, network->height))
            heaviest = i;
    rp_convolution_desc desc = describe_layer(network, heaviest);
    uint32_t block;
    rp_status status = rp_convolution_prefer(network->engine, &desc, &block, error);
    if (status != RP_STATUS_OK || block == 0)
        return status;
    // The skip's channels begin with a block, and unpacking takes the place of pooling.
    bool fits = !model->layers[model->layer_count - 1].pool;
    for (uint32_t i = 0; i < model->layer_count; i++)
        fits = fits && (!joins(&model->layers[i]) || model->layers[i].source_channels % block == 0);
    network->block = fits ? block : 0;
    return RP_STATUS_OK;
}

// The smallest equal bands of enough rows.
static uint32_t choose_band_rows(uint32_t height)
{
    for (uint32_t rows = LEAST_BAND_ROWS; rows <= height / 2; rows++)
        if (height % rows == 0)
            return rows;
    return height;
}

static void plan_layers(rp_cpu_network *network)
{
    const rp_model *model = network->model;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const rp_layer *layer = &model->layers[i];
        layer_plan *plan = &network->layers[i];
        if (network->block == 0 && joins(layer))
            plan->band_rows = choose_band_rows(plan->height);
        if (joins(layer))
            plan->joined = rp_activation_describe(plan->width, plan->band_rows + (is_banded(plan) ? 2 : 0),
                                                  layer->source_channels + layer->skip_channels, network->block);
        if (layer->pool || (network->block && i + 1 == model->layer_count))
            plan->convolved = rp_activation_describe(plan->width, plan->height, layer->output_channels, network->block);
    }
    for (uint32_t i = 0; i <= model->layer_count; i++) {
        const rp_graph_tensor *tensor = &model->tensors[i];
        network->tensors[i] = rp_activation_describe(network->width >> tensor->level, network->height >> tensor->level,
                                                     tensor->channels, i == model->layer_count ? 0 : network->block);
    }
}

// Blocks of memory: the tensors (the first one packed, where that is another layout), then for each layer what it joins
// and what it convolves before pooling (0 bytes where it has none), the packed input and the scratch memory.
enum {
    JOINED = RP_MAX_LAYERS + 1,
    CONVOLVED = JOINED + RP_MAX_LAYERS,
    INPUT = CONVOLVED + RP_MAX_LAYERS,
    SCRATCH,
    BLOCKS
};

static bool plan_blocks(const rp_cpu_network *network, size_t scratch_bytes, rp_placed_block *blocks)
{
    const rp_model *model = network->model;
    uint32_t last = model->layer_count * STEPS;
    bool good = true;
    memset(blocks, 0, BLOCKS * sizeof *blocks);
    for (uint32_t i = 0; i <= model->layer_count; i++) {
        const rp_graph_tensor *tensor = &model->tensors[i];
        if (i == 0 && network->block == 0)
            continue; // the input itself
        good = good && rp_activation_bytes(&network->tensors[i], &blocks[i].bytes);
        // Made by layer i - 1 in its last step. A layer that joins everything at once needs its sources no more when it
        // convolves.
        blocks[i].first_step = i == 0 ? 0 : (i - 1) * STEPS + (network->layers[i - 1].convolved.block ? 2 : 1);
        blocks[i].last_step = last;
        if (i < model->layer_count) {
            const layer_plan *user = &network->layers[tensor->last_use];
            blocks[i].last_step = tensor->last_use * STEPS + (user->joined.block && !is_banded(user) ? 0 : 1);
        }
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const layer_plan *plan = &network->layers[i];
        good = good && rp_activation_bytes(&plan->joined, &blocks[JOINED + i].bytes) &&
               rp_activation_bytes(&plan->convolved, &blocks[CONVOLVED + i].bytes);
        blocks[JOINED + i].first_step = i * STEPS;
        blocks[JOINED + i].last_step = i * STEPS + 1;
        blocks[CONVOLVED + i].first_step = i * STEPS + 1;
        blocks[CONVOLVED + i].last_step = i * STEPS + 2;
    }
    // The input is left alone, so that a second run finds it.
    rp_activation packed = rp_activation_describe(network->width, network->height, model->tensors[0].channels, 0);
    good = good && rp_activation_bytes(&packed, &blocks[INPUT].bytes);
    blocks[INPUT].last_step = last;
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
        network->tensors[i].data = (float *)(void *)(memory + blocks[i].offset);
    for (uint32_t i = 0; i < network->model->layer_count; i++) {
        if (blocks[JOINED + i].bytes)
            network->layers[i].joined.data = (float *)(void *)(memory + blocks[JOINED + i].offset);
        if (blocks[CONVOLVED + i].bytes)
            network->layers[i].convolved.data = (float *)(void *)(memory + blocks[CONVOLVED + i].offset);
    }
    network->input = (float *)(void *)(memory + blocks[INPUT].offset);
    if (network->block == 0)
        network->tensors[0].data = network->input;
    network->output = network->tensors[network->model->layer_count].data;
    network->scratch = memory + blocks[SCRATCH].offset;
    return RP_STATUS_OK;
}

static rp_status create_convolution(rp_cpu_network *network, uint32_t index, rp_error *error)
{
    const rp_layer *layer = &network->model->layers[index];
    rp_convolution_desc desc = describe_layer(network, index);
    enum { TAPS = 9 };
    size_t channels = layer->source_channels + layer->skip_channels, stride = desc.input_channels * (size_t)TAPS;
    size_t weight_count = stride * layer->output_channels, bias_count = layer->bias->element_count;
    float *values = rp_allocate(&network->allocator, weight_count + bias_count, sizeof *values);
    if (!values)
        return rp_fail_memory(error, (weight_count + bias_count) * sizeof *values, "a layer's weights");
    for (size_t o = 0; o < layer->output_channels; o++) // the channels that fill up a block keep weights of zero
        for (size_t i = 0; i < channels * TAPS; i++)
            values[o * stride + i] = rp_tza_value(layer->weight, o * channels * TAPS + i);
    for (size_t i = 0; i < bias_count; i++)
        values[weight_count + i] = rp_tza_value(layer->bias, i);
    desc.weights = values;
    desc.bias = values + weight_count;
    rp_status status = rp_convolution_create(network->engine, &desc, &network->layers[index].convolution, error);
    rp_free(&network->allocator, values);
    return rp_error_prefix(error, status, layer->name);
}

static rp_status create(rp_cpu_network *network, rp_error *error)
{
    const rp_model *model = network->model;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const rp_layer *layer = &model->layers[i];
        uint32_t level = model->tensors[layer->source].level - (layer->upsample ? 1 : 0);
        network->layers[i].width = network->width >> level;
        network->layers[i].height = network->layers[i].band_rows = network->height >> level;
    }
    rp_status status = rp_cpu_engine_create(&network->allocator, &network->engine, error);
    if (status == RP_STATUS_OK)
        status = choose_layout(network, error);
    if (status == RP_STATUS_OK)
        plan_layers(network);
    for (uint32_t i = 0; i < model->layer_count && status == RP_STATUS_OK; i++)
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
    return network->input;
}

const float *rp_cpu_network_output(const rp_cpu_network *network)
{
    return network->output;
}

uint64_t rp_cpu_network_bytes(const rp_cpu_network *network)
{
    return network->bytes;
}

const char *rp_cpu_network_kernel(const rp_cpu_network *network, uint32_t layer)
{
    return rp_convolution_kernel(network->layers[layer].convolution);
}

// ---- Run -----------------------------------------------------------------------------------------------------------

typedef struct row_task {
    const layer_plan *plan;
    rp_join join;
    int64_t first_row;    // of the image, for the first row that is joined
    rp_activation target; // of pooling and packing
    float *packed;
    uint32_t packed_channels;
} row_task;

static void join_row(void *user, uint32_t row, uint32_t thread)
{
    const row_task *task = user;
    (void)thread;
    rp_join_row(&task->plan->joined, row, &task->join, task->first_row + row, task->plan->height);
}

static void pool_row(void *user, uint32_t row, uint32_t thread)
{
    const row_task *task = user;
    (void)thread;
    rp_pool_row(&task->target, row, &task->plan->convolved);
}

static void pack_row(void *user, uint32_t row, uint32_t thread)
{
    const row_task *task = user;
    (void)thread;
    rp_pack_row(&task->target, row, task->packed, task->packed_channels);
}

static void unpack_row(void *user, uint32_t row, uint32_t thread)
{
    const row_task *task = user;
    (void)thread;
    rp_unpack_row(task->packed, task->packed_channels, row, &task->plan->convolved);
}

// Joins and convolves one band after the other.
static rp_status run_joined(rp_cpu_network *network, const rp_layer *layer, const layer_plan *plan,
                            const rp_activation *output, uint32_t threads, rp_error *error)
{
    row_task task = {.plan = plan, .join = {.source = network->tensors[layer->source], .upsample = layer->upsample}};
    if (layer->skip != RP_NO_TENSOR)
        task.join.skip = network->tensors[layer->skip];
    rp_status status = RP_STATUS_OK;
    for (uint32_t y = 0; y < plan->height && status == RP_STATUS_OK; y += plan->band_rows) {
        task.first_row = (int64_t)y - (is_banded(plan) ? 1 : 0);
        rp_rows_run(plan->joined.height, threads, join_row, &task);
        // Where there is more than one band, the output's rows are contiguous.
        status =
            rp_convolution_run(plan->convolution, plan->joined.data,
                               output->data + (size_t)y * output->width * output->channels, network->scratch, error);
    }
    return status;
}

static rp_status run_layer(rp_cpu_network *network, uint32_t index, rp_error *error)
{
    const rp_layer *layer = &network->model->layers[index];
    const layer_plan *plan = &network->layers[index];
    uint32_t threads = rp_rows_threads(network->thread_count);
    const rp_activation *output = plan->convolved.data ? &plan->convolved : &network->tensors[index + 1];
    rp_status status = plan->joined.data ? run_joined(network, layer, plan, output, threads, error)
                                         : rp_convolution_run(plan->convolution, network->tensors[layer->source].data,
                                                              output->data, network->scratch, error);
    if (status == RP_STATUS_OK && plan->convolved.data) {
        row_task task = {.plan = plan,
                         .target = network->tensors[index + 1],
                         .packed = network->output,
                         .packed_channels = layer->output_channels};
        rp_rows_run(task.target.height, threads, layer->pool ? pool_row : unpack_row, &task);
    }
    return rp_error_prefix(error, status, layer->name);
}

rp_status rp_cpu_network_run(rp_cpu_network *network, rp_error *error)
{
    rp_status status = RP_STATUS_OK;
    uint32_t before = rp_rows_set_threads(network->thread_count);
    if (network->block) {
        row_task task = {.target = network->tensors[0],
                         .packed = network->input,
                         .packed_channels = network->model->tensors[0].channels};
        rp_rows_run(network->height, rp_rows_threads(network->thread_count), pack_row, &task);
    }
    for (uint32_t i = 0; i < network->model->layer_count && status == RP_STATUS_OK; i++)
        status = run_layer(network, i, error);
    rp_rows_set_threads(before);
    return status;
}
