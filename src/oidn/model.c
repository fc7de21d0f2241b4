// Models: a weight file's tensors checked against the two topologies that Intel's networks have (docs/weights.md), and
// laid out as fused layers.
#include "oidn/model.h"
#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FILE_BYTES = 1 << 30, KERNEL_EDGE = 3, OUTPUT_CHANNELS = 3, NAME_BYTES = 32 };

#define NONE RP_NO_TENSOR

// A layer reads the tensor made by the one before; tensor i + 1 is made by layer i.
typedef struct layer_rule {
    const char *name;
    uint32_t skip; // tensor
    bool upsample, pool;
} layer_rule;

typedef struct topology_rule {
    rp_topology topology;
    uint32_t receptive_field;
    uint32_t layer_count;
    layer_rule layers[RP_MAX_LAYERS];
} topology_rule;

static const topology_rule topologies[] = {
    {RP_TOPOLOGY_BASE,
     174,
     16,
     {
         {"enc_conv0", NONE, false, false},
         {"enc_conv1", NONE, false, true},
         {"enc_conv2", NONE, false, true},
         {"enc_conv3", NONE, false, true},
         {"enc_conv4", NONE, false, true},
         {"enc_conv5a", NONE, false, false},
         {"enc_conv5b", NONE, false, false},
         {"dec_conv4a", 4, true, false},
         {"dec_conv4b", NONE, false, false},
         {"dec_conv3a", 3, true, false},
         {"dec_conv3b", NONE, false, false},
         {"dec_conv2a", 2, true, false},
         {"dec_conv2b", NONE, false, false},
         {"dec_conv1a", 0, true, false},
         {"dec_conv1b", NONE, false, false},
         {"dec_conv0", NONE, false, false},
     }},
    {RP_TOPOLOGY_LARGE,
     202,
     19,
     {
         {"enc_conv1a", NONE, false, false}, {"enc_conv1b", NONE, false, true},  {"enc_conv2a", NONE, false, false},
         {"enc_conv2b", NONE, false, true},  {"enc_conv3a", NONE, false, false}, {"enc_conv3b", NONE, false, true},
         {"enc_conv4a", NONE, false, false}, {"enc_conv4b", NONE, false, true},  {"enc_conv5a", NONE, false, false},
         {"enc_conv5b", NONE, false, false}, {"dec_conv4a", 6, true, false},     {"dec_conv4b", NONE, false, false},
         {"dec_conv3a", 4, true, false},     {"dec_conv3b", NONE, false, false}, {"dec_conv2a", 2, true, false},
         {"dec_conv2b", NONE, false, false}, {"dec_conv1a", 0, true, false},     {"dec_conv1b", NONE, false, false},
         {"dec_conv1c", NONE, false, false},
     }},
};

enum { TOPOLOGY_COUNT = sizeof topologies / sizeof topologies[0] };

// Whether a tensor's name is LAYER.weight or LAYER.bias of this topology.
static bool belongs(const topology_rule *rule, const char *name)
{
    for (uint32_t i = 0; i < rule->layer_count; i++) {
        size_t length = strlen(rule->layers[i].name);
        if (strncmp(name, rule->layers[i].name, length) == 0 &&
            (strcmp(name + length, ".weight") == 0 || strcmp(name + length, ".bias") == 0))
            return true;
    }
    return false;
}

// The topology with the most of the file's names; it is then held against the complete set of names.
static const topology_rule *recognize(const rp_tza *archive)
{
    const topology_rule *best = NULL;
    uint32_t best_count = 0;
    for (size_t t = 0; t < TOPOLOGY_COUNT; t++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < archive->tensor_count; i++)
            count += belongs(&topologies[t], archive->tensors[i].name);
        if (count > best_count) {
            best = &topologies[t];
            best_count = count;
        }
    }
    return best;
}

static rp_status find_tensors(rp_model *model, const topology_rule *rule, const char *source, rp_error *error)
{
    const char *network = rule->topology == RP_TOPOLOGY_BASE ? "base" : "large";
    for (uint32_t i = 0; i < model->archive.tensor_count; i++)
        if (!belongs(rule, model->archive.tensors[i].name))
            return rp_fail(error, RP_STATUS_BAD_MODEL, "%s: tensor '%.80s' is none of the %s network's", source,
                           model->archive.tensors[i].name, network);
    for (uint32_t i = 0; i < rule->layer_count; i++) {
        rp_layer *layer = &model->layers[i];
        layer->name = rule->layers[i].name;
        for (int bias = 0; bias < 2; bias++) {
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "%s.%s", layer->name, bias ? "bias" : "weight");
            const rp_tza_tensor *tensor = rp_tza_find(&model->archive, name);
            if (!tensor)
                return rp_fail(error, RP_STATUS_BAD_MODEL, "%s: tensor '%s' of the %s network is missing", source, name,
                               network);
            *(bias ? &layer->bias : &layer->weight) = tensor;
        }
    }
    return RP_STATUS_OK;
}

static const char *shape_text(const rp_tza_tensor *tensor, char text[64])
{
    const uint32_t *d = tensor->dimensions;
    if (tensor->layout == RP_LAYOUT_X)
        snprintf(text, 64, "[%u]", d[0]);
    else
        snprintf(text, 64, "[%u, %u, %u, %u]", d[0], d[1], d[2], d[3]);
    return text;
}

// Checks layer `index` against the channels of what it reads, which are known by then.
static rp_status check_shapes(const rp_model *model, uint32_t index, const char *source, rp_error *error)
{
    const rp_layer *layer = &model->layers[index];
    const rp_tza_tensor *weight = layer->weight, *bias = layer->bias;
    bool last = index + 1 == model->layer_count;
    uint64_t input = (uint64_t)layer->source_channels + layer->skip_channels;
    uint32_t output = weight->dimensions[0];
    char found[64];
    if (weight->layout != RP_LAYOUT_OIHW || weight->dimensions[1] != input || weight->dimensions[2] != KERNEL_EDGE ||
        weight->dimensions[3] != KERNEL_EDGE || (last && output != OUTPUT_CHANNELS))
        return rp_fail(error, RP_STATUS_BAD_MODEL, "%s: tensor '%s' has shape %s, expected [%s, %llu, 3, 3]", source,
                       weight->name, shape_text(weight, found), last ? "3" : "any", (unsigned long long)input);
    if (!last && output % 4 != 0)
        return rp_fail(error, RP_STATUS_BAD_MODEL,
                       "%s: tensor '%s' has shape %s, expected a multiple of 4 output channels (all layers but the "
                       "last work on blocks of four)",
                       source, weight->name, shape_text(weight, found));
    if (bias->layout != RP_LAYOUT_X || bias->dimensions[0] != output)
        return rp_fail(error, RP_STATUS_BAD_MODEL, "%s: tensor '%s' has shape %s, expected [%u]", source, bias->name,
                       shape_text(bias, found), output);
    return RP_STATUS_OK;
}

static rp_status lay_out(rp_model *model, const topology_rule *rule, const char *source, rp_error *error)
{
    rp_status status = find_tensors(model, rule, source, error);
    if (status != RP_STATUS_OK)
        return status;
    const rp_tza_tensor *first = model->layers[0].weight;
    uint32_t input = first->layout == RP_LAYOUT_OIHW ? first->dimensions[1] : 0;
    char found[64];
    if (input != 3 && input != 6 && input != 9)
        return rp_fail(error, RP_STATUS_BAD_MODEL,
                       "%s: tensor '%s' has shape %s, expected [any, 3, 6 or 9, 3, 3]: one to three images", source,
                       first->name, shape_text(first, found));

    rp_graph_tensor *tensors = model->tensors;
    model->layer_count = rule->layer_count;
    tensors[0] = (rp_graph_tensor){.channels = input};
    for (uint32_t i = 0; i < rule->layer_count; i++) {
        const layer_rule *layer_rule = &rule->layers[i];
        rp_layer *layer = &model->layers[i];
        layer->source = i;
        layer->skip = layer_rule->skip;
        layer->upsample = layer_rule->upsample;
        layer->pool = layer_rule->pool;
        layer->source_channels = tensors[i].channels;
        layer->skip_channels = layer->skip == RP_NO_TENSOR ? 0 : tensors[layer->skip].channels;
        status = check_shapes(model, i, source, error);
        if (status != RP_STATUS_OK)
            return status;
        layer->output_channels = layer->weight->dimensions[0];
        tensors[i].last_use = i;
        if (layer->skip != RP_NO_TENSOR)
            tensors[layer->skip].last_use = i;
        tensors[i + 1] = (rp_graph_tensor){
            .channels = layer->output_channels,
            .level = tensors[i].level - layer->upsample + layer->pool,
            .first_use = i,
            .last_use = rule->layer_count, // the output's; any other tensor is read by a later layer
        };
        model->info.parameter_count += layer->weight->element_count + layer->bias->element_count;
    }
    model->info.topology = rule->topology;
    model->info.receptive_field = rule->receptive_field;
    model->info.input_channels = input;
    model->info.output_channels = OUTPUT_CHANNELS;
    model->info.layer_count = rule->layer_count;
    model->info.tensor_count = model->archive.tensor_count;
    return RP_STATUS_OK;
}

// Takes `bytes` over, also when it fails.
static rp_status adopt(uint8_t *bytes, size_t size, const rp_allocator *allocator, const char *source, rp_model **model,
                       rp_error *error)
{
    rp_model *made = rp_allocate(allocator, 1, sizeof *made);
    if (!made) {
        rp_free(allocator, bytes);
        return rp_fail_memory(error, sizeof *made, "a model");
    }
    rp_arena_init(&made->arena, allocator);
    made->bytes = bytes;
    rp_status status = rp_tza_parse(bytes, size, source, &made->arena, &made->archive, error);
    if (status == RP_STATUS_OK) {
        const topology_rule *rule = recognize(&made->archive);
        status = rule ? lay_out(made, rule, source, error)
                      : rp_fail(error, RP_STATUS_BAD_MODEL, "%s: none of its %u tensors belongs to a known network",
                                source, made->archive.tensor_count);
    }
    if (status != RP_STATUS_OK)
        rp_model_destroy(&made);
    *model = made;
    return status;
}

rp_status rp_model_create(const void *tza, size_t size, const rp_model_desc *desc, rp_model **model, rp_error *error)
{
    const rp_allocator *allocator = desc ? desc->allocator : NULL;
    *model = NULL;
    uint8_t *bytes = rp_reallocate(allocator, NULL, size, 1);
    if (!bytes)
        return rp_fail_memory(error, size, "a weight file");
    if (size)
        memcpy(bytes, tza, size);
    return adopt(bytes, size, allocator, desc && desc->name ? desc->name : "weights", model, error);
}

rp_status rp_model_load(const char *path, const rp_model_desc *desc, rp_model **model, rp_error *error)
{
    const rp_allocator *allocator = desc ? desc->allocator : NULL;
    *model = NULL;
    uint8_t *bytes;
    size_t size;
    rp_status status = rp_file_read(path, MAX_FILE_BYTES, allocator, &bytes, &size, error);
    if (status != RP_STATUS_OK)
        return status;
    return adopt(bytes, size, allocator, desc && desc->name ? desc->name : path, model, error);
}

void rp_model_destroy(rp_model **model)
{
    if (!model || !*model)
        return;
    rp_allocator allocator = (*model)->arena.allocator;
    rp_free(&allocator, (*model)->bytes);
    rp_arena_free(&(*model)->arena);
    rp_free(&allocator, *model);
    *model = NULL;
}

const rp_model_info *rp_model_get_info(const rp_model *model)
{
    return &model->info;
}

uint64_t rp_layer_multiply_adds(const rp_model *model, uint32_t layer, uint32_t width, uint32_t height)
{
    const rp_layer *l = &model->layers[layer];
    // A pooled layer computes at the resolution of what it reads.
    uint32_t level = model->tensors[layer + 1].level - l->pool;
    uint64_t pixels = (uint64_t)(width >> level) * (height >> level);
    return pixels * KERNEL_EDGE * KERNEL_EDGE * (l->source_channels + l->skip_channels) * l->output_channels;
}
