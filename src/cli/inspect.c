// reprise inspect: what a weight file or a program holds.
#include "base/bytes.h"
#include "base/file.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#define VERB "inspect"

enum { OPTION_CHECK, OPTION_DISASSEMBLE, OPTION_WGSL, OPTION_COUNT };

static const cli_option table[OPTION_COUNT] = {
    [OPTION_CHECK] = {"check", 'c', NULL,
                      "print ok, or the reason code and the byte offset of what is wrong with a program;\n"
                      "a line for each, when several files are named"},
    [OPTION_DISASSEMBLE] = {"disassemble", 'd', NULL, "list every object and operation of a program"},
    [OPTION_WGSL] = {"wgsl", 0, "N", "print the program's shader number N, from 0"},
};

enum { TZA_MAGIC = 0x41d7, PROGRAM_MAGIC = 0x4e44494f, ERROR_MAGIC = 0x4f525245, MODEL_MAGIC = 0x4c444f4d };

static double megabytes(uint64_t bytes)
{
    return (double)bytes * 1e-6;
}

// ---- Programs ----------------------------------------------------------------------------------------------------

static void print_label(rp_text label)
{
    for (uint32_t i = 0; i < label.size; i++) {
        char c = label.data[i];
        putchar((unsigned char)c < 0x20 || c == 0x7f ? '?' : c);
    }
}

static void print_images(const rp_program *program)
{
    printf("output      %ux%u, %u channels: buffer %u%s\n", program->output_width, program->output_height,
           program->output_channels, program->output, program->output_external ? ", which the host may supply" : "");
    for (uint32_t i = 0; i < program->input_count; i++) {
        const rp_program_buffer *buffer = &program->buffers[program->inputs[i]];
        printf("input %-5u buffer %u '", i, program->inputs[i]);
        print_label(buffer->label);
        printf("', %.2f MB\n", megabytes(buffer->size_bytes));
    }
}

static void print_meta(const rp_program_meta *meta)
{
    static const char *const kernels[] = {"direct", "implicit-gemm", "subgroup-matrix", "spatial", "subgroup"};
    if (!meta->present) {
        printf("meta        none\n");
        return;
    }
    printf("meta        %s", meta->precision == RP_PRECISION_FP16 ? "fp16" : "fp32");
    if (meta->tile_count)
        printf(", %u tile%s", meta->tile_count, meta->tile_count == 1 ? "" : "s");
    else
        printf(", bare network");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (meta->kernel_bits >> i & 1)
            printf(", %s", kernels[i]);
    if (meta->frame_buffer != RP_NO_ID)
        printf(", frame buffer %u", meta->frame_buffer);
    printf(", %u weight buffers\n", meta->weight_buffer_count);
}

static bool ends_with(rp_text text, const char *tail)
{
    size_t length = strlen(tail);
    return text.size >= length && memcmp(text.data + text.size - length, tail, length) == 0;
}

// What a dispatch works on, by the labels of the buffers that its bind group names: the layer of its weights, or the
// processing of the external images.
static rp_text dispatch_layer(const rp_program *program, uint32_t bind_group)
{
    static const rp_text input = {"(input processing)", 18}, output = {"(output processing)", 19},
                         other = {"(other)", 7};
    const rp_program_bind_group *group = &program->bind_groups[bind_group];
    bool reads = false, writes = false;
    for (uint32_t i = 0; i < group->entry_count; i++) {
        uint32_t buffer = group->entries[i].buffer;
        rp_text label = program->buffers[buffer].label;
        if (ends_with(label, "/weights")) {
            label.size -= (uint32_t)strlen("/weights");
            uint32_t begin = label.size;
            while (begin > 0 && label.data[begin - 1] != '/')
                begin--;
            return (rp_text){label.data + begin, label.size - begin};
        }
        writes = writes || buffer == program->output;
        for (uint32_t k = 0; k < program->input_count; k++)
            reads = reads || buffer == program->inputs[k];
    }
    return writes ? output : reads ? input : other;
}

typedef struct layer_row {
    rp_text name;
    uint64_t dispatches, workgroups;
} layer_row;

static void count_dispatch(const rp_program *program, const rp_program_command *command, layer_row *rows, size_t *count,
                           size_t capacity)
{
    rp_text name = dispatch_layer(program, command->dispatch.bind_group);
    size_t i = 0;
    while (i < *count && (rows[i].name.size != name.size || memcmp(rows[i].name.data, name.data, name.size) != 0))
        i++;
    if (i == capacity)
        return;
    if (i == *count)
        rows[(*count)++] = (layer_row){.name = name};
    rows[i].dispatches++;
    rows[i].workgroups += (uint64_t)command->dispatch.x * command->dispatch.y * command->dispatch.z;
}

static int print_layers(const rp_program *program)
{
    // There can be no more names than bind groups.
    size_t capacity = program->bind_group_count, count = 0;
    layer_row *rows = rp_allocate(NULL, capacity, sizeof *rows);
    if (!rows)
        return cli_fail("no memory for %zu layers", capacity);
    for (uint32_t i = 0; i < program->operation_count; i++) {
        const rp_program_operation *operation = &program->operations[i];
        for (uint32_t k = 0; operation->kind == RP_OPERATION_SUBMIT && k < operation->submit.command_count; k++)
            if (operation->submit.commands[k].kind == RP_COMMAND_DISPATCH)
                count_dispatch(program, &operation->submit.commands[k], rows, &count, capacity);
    }
    if (count)
        printf("%-24s %10s %12s\n", "layer", "dispatches", "workgroups");
    for (size_t i = 0; i < count; i++) {
        print_label(rows[i].name);
        printf("%*s %10llu %12llu\n", rows[i].name.size < 24 ? (int)(24 - rows[i].name.size) : 0, "",
               (unsigned long long)rows[i].dispatches, (unsigned long long)rows[i].workgroups);
    }
    rp_free(NULL, rows);
    return CLI_DONE;
}

static int print_program(const char *path, const rp_program *program, size_t size)
{
    rp_program_stats stats;
    rp_program_measure(program, &stats);
    uint64_t wgsl_bytes = 0;
    for (uint32_t i = 0; i < program->shader_count; i++)
        wgsl_bytes += program->shaders[i].wgsl.size;
    printf("%s: program, version 2, %zu bytes\n", path, size);
    print_images(program);
    print_meta(&program->meta);
    printf("objects     %u buffers, %u shaders (%llu bytes of WGSL), %u pipelines, %u bind groups\n",
           program->buffer_count, program->shader_count, (unsigned long long)wgsl_bytes, program->pipeline_count,
           program->bind_group_count);
    printf("memory      %.2f MB in all: %.2f external, %.2f weights; largest binding %.2f MB\n",
           megabytes(stats.buffer_bytes), megabytes(stats.external_bytes), megabytes(stats.weight_bytes),
           megabytes(stats.largest_binding));
    printf("operations  %u submits, %u dispatches (at most %u workgroups in a dimension), %u copies, %u writes\n",
           stats.submit_count, stats.dispatch_count, stats.largest_dispatch, stats.copy_count, stats.write_count);
    return print_layers(program);
}

static int disassemble(const rp_program *program)
{
    char *text = NULL;
    size_t size = 0;
    rp_error error;
    if (rp_program_disassemble(program, NULL, &text, &size, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    fwrite(text, 1, size, stdout);
    rp_free(NULL, text);
    return CLI_DONE;
}

typedef struct inspect_options {
    const char *path;
    bool check, disassemble, wgsl;
    uint32_t shader;
} inspect_options;

// One line that scripts can compare: js/run.mjs prints the same.
static int check_program(const char *path)
{
    rp_program *program = NULL;
    rp_error error;
    rp_status status = rp_program_load(path, NULL, &program, &error);
    rp_program_destroy(&program);
    if (status == RP_STATUS_OK)
        printf("ok\n");
    else if (error.offset == RP_NO_OFFSET)
        printf("%s\n", rp_status_name(status));
    else
        printf("%s %llu\n", rp_status_name(status), (unsigned long long)error.offset);
    return status == RP_STATUS_OK ? CLI_DONE : CLI_FAILED;
}

static int inspect_program(const inspect_options *options, const uint8_t *bytes, size_t size)
{
    rp_program *program = NULL;
    rp_error error;
    rp_program_parse_desc desc = {.name = options->path};
    if (rp_program_parse(bytes, size, &desc, &program, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    int code;
    if (options->wgsl && options->shader >= program->shader_count) {
        code = cli_fail("%s: shader %u: there are %u", options->path, options->shader, program->shader_count);
    } else if (options->wgsl) {
        rp_text wgsl = program->shaders[options->shader].wgsl;
        fwrite(wgsl.data, 1, wgsl.size, stdout);
        code = CLI_DONE;
    } else {
        code = options->disassemble ? disassemble(program) : print_program(options->path, program, size);
    }
    rp_program_destroy(&program);
    return code;
}

// ---- Weights -----------------------------------------------------------------------------------------------------

static int inspect_weights(const inspect_options *options, const uint8_t *bytes, size_t size)
{
    rp_model *model = NULL;
    char *text = NULL;
    size_t text_size = 0;
    rp_error error;
    rp_model_desc desc = {.name = options->path};
    if (options->disassemble || options->wgsl)
        return cli_fail("%s: a weight file holds no program", options->path);
    if (rp_model_create(bytes, size, &desc, &model, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    int code = CLI_DONE;
    const rp_model_info *info = rp_model_get_info(model);
    if (rp_model_describe(model, NULL, &text, &text_size, &error) == RP_STATUS_OK) {
        printf("%s: weights (TZA), %zu bytes\n", options->path, size);
        printf("network     %s, receptive field %u, %u channels in, %u out, %u convolutions\n",
               info->topology == RP_TOPOLOGY_LARGE ? "large" : "base", info->receptive_field, info->input_channels,
               info->output_channels, info->layer_count);
        printf("parameters  %llu in %u tensors\n", (unsigned long long)info->parameter_count, info->tensor_count);
        fwrite(text, 1, text_size, stdout);
    } else {
        code = cli_fail("%s", error.message);
    }
    rp_free(NULL, text);
    rp_model_destroy(&model);
    return code;
}

static int inspect(const inspect_options *options)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    rp_error error;
    if (rp_file_read(options->path, SIZE_MAX / 2, NULL, &bytes, &size, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    uint32_t magic = size >= 4 ? rp_load_u32(bytes) : 0;
    int code;
    if ((magic & 0xffff) == TZA_MAGIC)
        code = inspect_weights(options, bytes, size);
    else if (magic == PROGRAM_MAGIC || magic == ERROR_MAGIC)
        code = inspect_program(options, bytes, size);
    else if (magic == MODEL_MAGIC && size >= 12)
        code = printf("%s: model packet, version %u, %u images\n", options->path, rp_load_u32(bytes + 4),
                      rp_load_u32(bytes + 8)) < 0;
    else
        code = cli_fail("%s: neither weights (TZA) nor a program", options->path);
    rp_free(NULL, bytes);
    return code;
}

static int check_programs(const char *const *paths, int count)
{
    int code = CLI_DONE;
    for (int i = 0; i < count; i++)
        if (check_program(paths[i]) != CLI_DONE)
            code = CLI_FAILED;
    return code;
}

static int run(int argc, char **argv, const char **paths)
{
    inspect_options options = {0};
    int path_count = 0;
    cli_parser parser = {.verb = VERB,
                         .synopsis = "FILE [OPTION]...",
                         .about = "Says what a weight file (TZA) or a recorded program is, and what it holds.",
                         .options = table,
                         .option_count = OPTION_COUNT,
                         .argc = argc,
                         .argv = argv};
    const char *value;
    int index;
    while ((index = cli_next(&parser, &value)) != CLI_END) {
        if (index == CLI_HELP)
            return CLI_DONE;
        if (index == CLI_WRONG)
            return CLI_WRONG_USAGE;
        if (index == CLI_ARGUMENT)
            paths[path_count++] = value;
        options.check = options.check || index == OPTION_CHECK;
        options.disassemble = options.disassemble || index == OPTION_DISASSEMBLE;
        options.wgsl = options.wgsl || index == OPTION_WGSL;
        if (index == OPTION_WGSL && !cli_parse_count(VERB, "wgsl", value, 0, UINT32_MAX, &options.shader))
            return CLI_WRONG_USAGE;
    }
    if (path_count == 0)
        return cli_wrong(VERB, "a file is missing");
    if (options.check)
        return check_programs(paths, path_count);
    if (path_count > 1)
        return cli_wrong(VERB, "one file at a time: '%s' and '%s'", paths[0], paths[1]);
    options.path = paths[0];
    return inspect(&options);
}

int cli_inspect(int argc, char **argv, double process_begin)
{
    (void)process_begin;
    const char **paths = rp_allocate(NULL, (size_t)argc, sizeof *paths);
    if (!paths)
        return cli_fail("no memory for %d arguments", argc);
    int code = run(argc, argv, paths);
    rp_free(NULL, paths);
    return code;
}
