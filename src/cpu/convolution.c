// Convolutions through oneDNN's C API. Which layout of the activations is fast depends on the processor and on the
// library's version (docs/cpu.md), so it is asked for, and the weights follow.
#include "cpu/convolution.h"
#include "base/error.h"
#include "cpu/aligned.h"

#include <oneapi/dnnl/dnnl.h>
#include <string.h>

// ---- Version 2 and version 3 ---------------------------------------------------------------------------------------

// Descriptors are structs in version 2 and opaque handles in version 3: `layout` is what a variable holds,
// `layout_view` what calls take and queries give.
#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t layout;
typedef const_dnnl_memory_desc_t layout_view;

static layout_view view(const layout *layout)
{
    return *layout;
}

static dnnl_status_t layout_create(layout *layout, int dimension_count, const dnnl_dims_t dimensions,
                                   dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_create_with_tag(layout, dimension_count, dimensions, dnnl_f32, tag);
}

static void layout_destroy(layout *layout)
{
    if (*layout)
        dnnl_memory_desc_destroy(*layout);
}

static dnnl_status_t append_relu(dnnl_post_ops_t operations)
{
    return dnnl_post_ops_append_eltwise(operations, dnnl_eltwise_relu, 0.0f, 0.0f);
}
#else
typedef dnnl_memory_desc_t layout;
typedef const dnnl_memory_desc_t *layout_view;

static layout_view view(const layout *layout)
{
    return layout;
}

static dnnl_status_t layout_create(layout *layout, int dimension_count, const dnnl_dims_t dimensions,
                                   dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_init_by_tag(layout, dimension_count, dimensions, dnnl_f32, tag);
}

static void layout_destroy(layout *layout)
{
    (void)layout;
}

static dnnl_status_t append_relu(dnnl_post_ops_t operations)
{
    return dnnl_post_ops_append_eltwise(operations, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f);
}
#endif

static dnnl_status_t describe_convolution(dnnl_primitive_desc_t *description, dnnl_engine_t engine,
                                          const layout *source, const layout *weights, const layout *bias,
                                          const layout *target, bool halo, const_dnnl_primitive_attr_t attributes)
{
    const dnnl_dims_t strides = {1, 1}, dilation = {0, 0}, padding = {halo ? 0 : 1, 1};
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_convolution_forward_primitive_desc_create(description, engine, dnnl_forward_inference,
                                                          dnnl_convolution_direct, *source, *weights, *bias, *target,
                                                          strides, dilation, padding, padding, attributes);
#else
    dnnl_convolution_desc_t convolution;
    dnnl_status_t status =
        dnnl_dilated_convolution_forward_desc_init(&convolution, dnnl_forward_inference, dnnl_convolution_direct,
                                                   source, weights, bias, target, strides, dilation, padding, padding);
    if (status != dnnl_success)
        return status;
    return dnnl_primitive_desc_create(description, &convolution, attributes, engine, NULL);
#endif
}

// ---- Engine --------------------------------------------------------------------------------------------------------

struct rp_cpu_engine {
    rp_allocator allocator;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};

static const char *status_name(dnnl_status_t status)
{
    switch (status) {
    case dnnl_success:
        return "success";
    case dnnl_out_of_memory:
        return "out of memory";
    case dnnl_invalid_arguments:
        return "invalid arguments";
    case dnnl_unimplemented:
        return "unimplemented";
    case dnnl_runtime_error:
        return "runtime error";
    default:
        return "another error";
    }
}

static rp_status translate(dnnl_status_t status, const char *what, rp_error *error)
{
    if (status == dnnl_success)
        return RP_STATUS_OK;
    if (status == dnnl_out_of_memory)
        return rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "oneDNN: no memory for %s", what);
    return rp_fail(error, RP_STATUS_INTERNAL, "oneDNN: %s failed: %s (%d)", what, status_name(status), (int)status);
}

rp_status rp_cpu_engine_create(const rp_allocator *allocator, rp_cpu_engine **engine_out, rp_error *error)
{
    *engine_out = NULL;
    rp_cpu_engine *engine = rp_allocate(allocator, 1, sizeof *engine);
    if (!engine)
        return rp_fail_memory(error, sizeof *engine, "an engine");
    engine->allocator = rp_allocator_or_default(allocator);
    rp_status status = translate(dnnl_engine_create(&engine->engine, dnnl_cpu, 0), "an engine", error);
    if (status == RP_STATUS_OK)
        status = translate(dnnl_stream_create(&engine->stream, engine->engine, dnnl_stream_default_flags), "a stream",
                           error);
    if (status != RP_STATUS_OK) {
        rp_cpu_engine_destroy(&engine);
        return status;
    }
    *engine_out = engine;
    return RP_STATUS_OK;
}

void rp_cpu_engine_destroy(rp_cpu_engine **engine_in)
{
    rp_cpu_engine *engine = *engine_in;
    *engine_in = NULL;
    if (!engine)
        return;
    if (engine->stream)
        dnnl_stream_destroy(engine->stream);
    if (engine->engine)
        dnnl_engine_destroy(engine->engine);
    rp_allocator allocator = engine->allocator;
    rp_free(&allocator, engine);
}

// ---- Convolution ---------------------------------------------------------------------------------------------------

enum { SOURCE, WEIGHTS, BIAS, TARGET, SCRATCH, OPERAND_COUNT };

static const int operand_arguments[OPERAND_COUNT] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST,
                                                     DNNL_ARG_SCRATCHPAD};
static const dnnl_query_t operand_queries[OPERAND_COUNT] = {
    dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_weights_md, dnnl_query_dst_md, dnnl_query_scratchpad_md};
static const int operand_query_indices[OPERAND_COUNT] = {0, 0, 1, 0, 0};

struct rp_convolution {
    rp_allocator allocator;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_memory_t operands[OPERAND_COUNT];
    rp_aligned weights, bias;
    size_t scratch_bytes;
};

// The one blocked layout that we take: that of the AVX2 kernels. Those for blocks of 16 have none for the first layer's
// few channels.
enum { BLOCK = 8 };

static dnnl_format_tag_t tag_of(uint32_t block)
{
    return block == 0 ? dnnl_nhwc : dnnl_nChw8c;
}

static rp_status describe(const rp_cpu_engine *engine, const rp_convolution_desc *desc, dnnl_format_tag_t tag,
                          dnnl_primitive_desc_t *description, rp_error *error)
{
    const dnnl_dims_t dimensions[4] = {
        {1, desc->input_channels, (dnnl_dim_t)desc->height + (desc->halo ? 2 : 0), desc->width},
        {desc->output_channels, desc->input_channels, 3, 3},
        {desc->output_channels},
        {1, desc->output_channels, desc->height, desc->width},
    };
    const int dimension_counts[4] = {4, 4, 1, 4};
    const dnnl_format_tag_t tags[4] = {tag, dnnl_format_tag_any, dnnl_x, tag};
    layout layouts[4];
    memset(layouts, 0, sizeof layouts);
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t operations = NULL;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < 4 && status == dnnl_success; i++)
        status = layout_create(&layouts[i], dimension_counts[i], dimensions[i], tags[i]);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_create(&attributes);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    if (status == dnnl_success)
        status = dnnl_post_ops_create(&operations);
    if (status == dnnl_success)
        status = append_relu(operations);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_post_ops(attributes, operations);
    if (status == dnnl_success)
        status = describe_convolution(description, engine->engine, &layouts[0], &layouts[1], &layouts[2], &layouts[3],
                                      desc->halo, attributes);
    if (operations)
        dnnl_post_ops_destroy(operations);
    if (attributes)
        dnnl_primitive_attr_destroy(attributes);
    for (int i = 0; i < 4; i++)
        layout_destroy(&layouts[i]);
    return translate(status, "a convolution's description", error);
}

rp_status rp_convolution_prefer(rp_cpu_engine *engine, const rp_convolution_desc *desc, uint32_t *block,
                                rp_error *error)
{
    *block = 0;
    dnnl_primitive_desc_t description = NULL;
    rp_status status = describe(engine, desc, dnnl_format_tag_any, &description, error);
    if (status != RP_STATUS_OK)
        return status;
    const dnnl_dims_t dimensions = {1, desc->output_channels, desc->height, desc->width};
    layout blocked;
    memset(&blocked, 0, sizeof blocked);
    status = translate(layout_create(&blocked, 4, dimensions, tag_of(BLOCK)), "a layout", error);
    if (status == RP_STATUS_OK &&
        dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(description, dnnl_query_dst_md, 0), view(&blocked)))
        *block = BLOCK;
    layout_destroy(&blocked);
    dnnl_primitive_desc_destroy(description);
    return status;
}

// Copies the weights into the layout that the convolution chose.
static dnnl_status_t reorder_weights(const rp_cpu_engine *engine, const rp_convolution_desc *desc, layout_view chosen,
                                     dnnl_memory_t target)
{
    const dnnl_dims_t dimensions = {desc->output_channels, desc->input_channels, 3, 3};
    layout plain;
    memset(&plain, 0, sizeof plain);
    dnnl_memory_t source = NULL;
    dnnl_primitive_desc_t description = NULL;
    dnnl_primitive_t reorder = NULL;
    dnnl_status_t status = layout_create(&plain, 4, dimensions, dnnl_oihw);
    if (status == dnnl_success) // only read, though the API takes a pointer to write
        status = dnnl_memory_create(&source, view(&plain), engine->engine, (void *)(uintptr_t)desc->weights);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(&description, view(&plain), engine->engine, chosen, engine->engine,
                                                    NULL);
    if (status == dnnl_success)
        status = dnnl_primitive_create(&reorder, description);
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}};
    if (status == dnnl_success)
        status = dnnl_primitive_execute(reorder, engine->stream, 2, arguments);
    if (status == dnnl_success)
        status = dnnl_stream_wait(engine->stream);
    if (reorder)
        dnnl_primitive_destroy(reorder);
    if (description)
        dnnl_primitive_desc_destroy(description);
    if (source)
        dnnl_memory_destroy(source);
    layout_destroy(&plain);
    return status;
}

// Operands, weights and scratch size, once the description stands.
static rp_status build(const rp_cpu_engine *engine, const rp_convolution_desc *desc, rp_convolution *convolution,
                       dnnl_primitive_desc_t description, rp_error *error)
{
    layout_view layouts[OPERAND_COUNT];
    for (int i = 0; i < OPERAND_COUNT; i++)
        layouts[i] = dnnl_primitive_desc_query_md(description, operand_queries[i], operand_query_indices[i]);
    convolution->scratch_bytes = dnnl_memory_desc_get_size(layouts[SCRATCH]);
    if (!rp_aligned_allocate(desc->allocator, dnnl_memory_desc_get_size(layouts[WEIGHTS]), &convolution->weights) ||
        !rp_aligned_allocate(desc->allocator, dnnl_memory_desc_get_size(layouts[BIAS]), &convolution->bias))
        return rp_fail_memory(error, dnnl_memory_desc_get_size(layouts[WEIGHTS]), "a convolution's weights");
    memcpy(convolution->bias.data, desc->bias, desc->output_channels * sizeof(float));
    void *const handles[OPERAND_COUNT] = {
        [WEIGHTS] = convolution->weights.data,
        [BIAS] = convolution->bias.data,
    };
    dnnl_status_t status = dnnl_primitive_create(&convolution->primitive, description);
    for (int i = 0; i < OPERAND_COUNT && status == dnnl_success; i++)
        status = dnnl_memory_create(&convolution->operands[i], layouts[i], engine->engine, handles[i]);
    if (status == dnnl_success)
        status = reorder_weights(engine, desc, layouts[WEIGHTS], convolution->operands[WEIGHTS]);
    return translate(status, "a convolution", error);
}

rp_status rp_convolution_create(rp_cpu_engine *engine, const rp_convolution_desc *desc,
                                rp_convolution **convolution_out, rp_error *error)
{
    *convolution_out = NULL;
    rp_convolution *convolution = rp_allocate(desc->allocator, 1, sizeof *convolution);
    if (!convolution)
        return rp_fail_memory(error, sizeof *convolution, "a convolution");
    convolution->allocator = rp_allocator_or_default(desc->allocator);
    convolution->stream = engine->stream;
    dnnl_primitive_desc_t description = NULL;
    rp_status status = describe(engine, desc, tag_of(desc->block), &description, error);
    if (status == RP_STATUS_OK)
        status = build(engine, desc, convolution, description, error);
    if (description)
        dnnl_primitive_desc_destroy(description);
    if (status != RP_STATUS_OK) {
        rp_convolution_destroy(&convolution);
        return status;
    }
    *convolution_out = convolution;
    return RP_STATUS_OK;
}

void rp_convolution_destroy(rp_convolution **convolution_in)
{
    rp_convolution *convolution = *convolution_in;
    *convolution_in = NULL;
    if (!convolution)
        return;
    for (int i = 0; i < OPERAND_COUNT; i++)
        if (convolution->operands[i])
            dnnl_memory_destroy(convolution->operands[i]);
    if (convolution->primitive)
        dnnl_primitive_destroy(convolution->primitive);
    rp_allocator allocator = convolution->allocator;
    rp_aligned_free(&allocator, &convolution->weights);
    rp_aligned_free(&allocator, &convolution->bias);
    rp_free(&allocator, convolution);
}

const char *rp_convolution_kernel(const rp_convolution *convolution)
{
    const char *name = NULL;
    const_dnnl_primitive_desc_t description = NULL;
    if (dnnl_primitive_get_primitive_desc(convolution->primitive, &description) != dnnl_success ||
        dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, (void *)&name) != dnnl_success || !name)
        return "unknown";
    return name;
}

size_t rp_convolution_scratch_bytes(const rp_convolution *convolution)
{
    return convolution->scratch_bytes;
}

size_t rp_convolution_bytes(const rp_convolution *convolution)
{
    return convolution->weights.size + convolution->bias.size;
}

rp_status rp_convolution_run(rp_convolution *convolution, const float *input, float *output, void *scratch,
                             rp_error *error)
{
    void *const handles[OPERAND_COUNT] = {[SOURCE] = (void *)(uintptr_t)input, [TARGET] = output, [SCRATCH] = scratch};
    dnnl_exec_arg_t arguments[OPERAND_COUNT];
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < OPERAND_COUNT && status == dnnl_success; i++) {
        arguments[i] = (dnnl_exec_arg_t){operand_arguments[i], convolution->operands[i]};
        if (i != WEIGHTS && i != BIAS)
            status = dnnl_memory_set_data_handle(convolution->operands[i], handles[i]);
    }
    if (status == dnnl_success)
        status = dnnl_primitive_execute(convolution->primitive, convolution->stream, OPERAND_COUNT, arguments);
    if (status == dnnl_success)
        status = dnnl_stream_wait(convolution->stream);
    return translate(status, "running a convolution", error);
}
