// The programs that the replayer's tests play.
#include "gpu/tests.h"

#include "gpu/programs.h"

#include <string.h>

#define TEXT(string)                                                                                                   \
    {                                                                                                                  \
        string, sizeof(string) - 1                                                                                     \
    }

rp_program *sample_program(void)
{
    static const uint32_t weights[SAMPLE_BYTES / 4] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint32_t inputs[] = {SAMPLE_INPUT};
    static const uint32_t written[] = {77};
    static const rp_program_buffer buffers[SAMPLE_BUFFERS] = {
        {SAMPLE_BYTES, RP_USAGE_STORAGE | RP_USAGE_COPY_DST | RP_USAGE_COPY_SRC, NULL, 0, TEXT("input")},
        {SAMPLE_BYTES, RP_USAGE_STORAGE, (const uint8_t *)weights, sizeof weights, TEXT("weights")},
        {16, RP_USAGE_UNIFORM | RP_USAGE_COPY_DST, NULL, 0, TEXT("frame")},
        {SAMPLE_BYTES, RP_USAGE_STORAGE, NULL, 0, TEXT("output")},
        {SAMPLE_BYTES, RP_USAGE_STORAGE | RP_USAGE_COPY_DST | RP_USAGE_COPY_SRC, NULL, 0, TEXT("scratch")}};
    static const rp_program_shader shaders[] = {{TEXT("// one")}, {TEXT("// two")}};
    static const rp_program_pipeline pipelines[] = {{0, TEXT("main")}, {1, TEXT("main")}};
    static const rp_program_entry entries[][2] = {{{0, SAMPLE_INPUT, 0, 0}, {1, SAMPLE_WEIGHTS, 0, 16}},
                                                  {{0, SAMPLE_SCRATCH, 0, 0}, {1, SAMPLE_OUTPUT, 0, 0}}};
    static const rp_program_bind_group bind_groups[] = {{0, 0, 2, entries[0]}, {1, 0, 2, entries[1]}};
    static const rp_program_command first[] = {
        {.kind = RP_COMMAND_DISPATCH, .dispatch = {0, 0, 1, 1, 1}},
        {.kind = RP_COMMAND_DISPATCH, .dispatch = {0, 0, 2, 1, 1}},
        {.kind = RP_COMMAND_COPY, .copy = {SAMPLE_INPUT, 0, SAMPLE_SCRATCH, 0, SAMPLE_BYTES}},
        {.kind = RP_COMMAND_DISPATCH, .dispatch = {1, 1, 1, 1, 1}}};
    static const rp_program_command second[] = {{.kind = RP_COMMAND_DISPATCH, .dispatch = {0, 0, 1, 1, 1}}};
    static const rp_program_operation operations[] = {
        {.kind = RP_OPERATION_SUBMIT, .submit = {4, first}},
        {.kind = RP_OPERATION_WRITE, .write = {SAMPLE_INPUT, 4, 4, (const uint8_t *)written}},
        {.kind = RP_OPERATION_SUBMIT, .submit = {1, second}}};
    static rp_program program;
    program = (rp_program){.input_count = 1,
                           .inputs = inputs,
                           .output = SAMPLE_OUTPUT,
                           .output_external = true,
                           .output_width = 2,
                           .output_height = 1,
                           .output_channels = 4,
                           .buffer_count = SAMPLE_BUFFERS,
                           .buffers = buffers,
                           .shader_count = 2,
                           .shaders = shaders,
                           .pipeline_count = 2,
                           .pipelines = pipelines,
                           .bind_group_count = 2,
                           .bind_groups = bind_groups,
                           .operation_count = 3,
                           .operations = operations,
                           .meta = {.present = true, .precision = RP_PRECISION_FP32, .frame_buffer = SAMPLE_FRAME}};
    return &program;
}

static void must(rp_status status, const rp_error *error)
{
    if (status != RP_STATUS_OK)
        fail_msg("%s: %s", rp_status_name(status), error->message);
}

builder builder_begin(void)
{
    builder b = {0};
    rp_error error;
    must(rp_recorder_create(NULL, &b.recorder, &error), &error);
    return b;
}

uint32_t builder_buffer(builder *b, uint32_t words, const void *data)
{
    uint32_t id;
    rp_error error;
    rp_buffer_desc desc = {.label = "buffer",
                           .size_bytes = words * 4,
                           .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_SRC | RP_USAGE_COPY_DST,
                           .data = data,
                           .data_size_bytes = data ? words * 4 : 0};
    must(rp_recorder_create_buffer(b->recorder, &desc, &id, &error), &error);
    return id;
}

uint32_t builder_input(builder *b, uint32_t words)
{
    uint32_t id = builder_buffer(b, words, NULL);
    b->inputs[b->input_count++] = id;
    return id;
}

uint32_t builder_pipeline(builder *b, const char *wgsl, const char *entry_point)
{
    uint32_t shader, pipeline;
    rp_error error;
    must(rp_recorder_create_shader(b->recorder, wgsl, &shader, &error), &error);
    must(rp_recorder_create_pipeline(b->recorder, shader, entry_point, &pipeline, &error), &error);
    return pipeline;
}

uint32_t builder_group(builder *b, uint32_t pipeline, uint32_t count, const uint32_t *buffers)
{
    rp_program_entry entries[16];
    uint32_t id;
    rp_error error;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (rp_program_entry){.binding = i, .buffer = buffers[i]};
    must(rp_recorder_create_bind_group(b->recorder, pipeline, 0, entries, count, &id, &error), &error);
    return id;
}

void builder_dispatch(builder *b, uint32_t pipeline, uint32_t group, uint32_t x)
{
    rp_error error;
    must(rp_recorder_dispatch(b->recorder, pipeline, group, x, 1, 1, &error), &error);
}

void builder_submit(builder *b)
{
    rp_error error;
    must(rp_recorder_submit(b->recorder, &error), &error);
}

rp_program *builder_end(builder *b, uint32_t output)
{
    rp_program *program = NULL;
    rp_error error;
    rp_recorder_result result = {.inputs = b->inputs,
                                 .input_count = b->input_count,
                                 .output = output,
                                 .output_width = 1,
                                 .output_height = 1,
                                 .output_channels = 1};
    must(rp_recorder_finish(b->recorder, &result, &program, &error), &error);
    rp_recorder_destroy(&b->recorder);
    return program;
}
