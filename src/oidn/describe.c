// A readable listing of a model: what it is, its layers, its tensors.
#include "base/bytes.h"
#include "base/error.h"
#include "oidn/model.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES = 256 };

__attribute__((format(printf, 2, 3))) static void line(rp_writer *writer, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        rp_write_bytes(writer, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static const char *images(uint32_t channels)
{
    return channels == 3   ? "one image"
           : channels == 6 ? "two images: colour, albedo"
                           : "three images: colour, albedo, normal";
}

static void describe_layer(rp_writer *writer, const rp_model *model, uint32_t index)
{
    const rp_layer *layer = &model->layers[index];
    char skip[48] = "";
    if (layer->skip != RP_NO_TENSOR)
        snprintf(skip, sizeof skip, " ++ t%u (%u)", layer->skip, layer->skip_channels);
    char source[96];
    snprintf(source, sizeof source, "%st%u (%u)%s", layer->upsample ? "upsample " : "", layer->source,
             layer->source_channels, skip);
    line(writer, "  %2u  %-11s %-34s -> t%u (%u) at 1/%u%s\n", index, layer->name, source, index + 1,
         layer->output_channels, 1u << model->tensors[index + 1].level, layer->pool ? ", pooled" : "");
}

static void describe_tensor(rp_writer *writer, const rp_model *model, const rp_tza_tensor *tensor)
{
    char shape[64];
    const uint32_t *d = tensor->dimensions;
    if (tensor->layout == RP_LAYOUT_X)
        snprintf(shape, sizeof shape, "x [%u]", d[0]);
    else
        snprintf(shape, sizeof shape, "oihw [%u, %u, %u, %u]", d[0], d[1], d[2], d[3]);
    line(writer, "  %-18s %s %-24s %zu bytes at %zu\n", tensor->name, tensor->type == RP_TENSOR_HALF ? "f16" : "f32",
         shape, tensor->element_count * (tensor->type == RP_TENSOR_HALF ? 2 : 4),
         (size_t)(tensor->data - model->bytes));
}

rp_status rp_model_describe(const rp_model *model, const rp_allocator *allocator, char **text, size_t *size,
                            rp_error *error)
{
    const rp_model_info *info = &model->info;
    rp_writer writer = rp_writer_make(allocator);
    line(&writer, "TZA %u.%u: %s network, receptive field %u, %u input channels (%s), %u output channels\n",
         model->archive.version_major, model->archive.version_minor,
         info->topology == RP_TOPOLOGY_BASE ? "base" : "large", info->receptive_field, info->input_channels,
         images(info->input_channels), info->output_channels);
    line(&writer, "%u layers, %u tensors, %llu parameters\n", info->layer_count, info->tensor_count,
         (unsigned long long)info->parameter_count);
    line(&writer, "\nlayers: what they read (channels), what they make\n");
    for (uint32_t i = 0; i < model->layer_count; i++)
        describe_layer(&writer, model, i);
    line(&writer, "\ntensors\n");
    for (uint32_t i = 0; i < model->archive.tensor_count; i++)
        describe_tensor(&writer, model, &model->archive.tensors[i]);
    rp_write_bytes(&writer, "", 1);
    if (writer.failed) {
        rp_writer_free(&writer);
        return rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "no memory for a listing of a model");
    }
    *text = (char *)writer.bytes;
    *size = writer.size - 1;
    return RP_STATUS_OK;
}
