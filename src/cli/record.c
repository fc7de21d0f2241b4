// reprise record: a weight file in, a program file out.
#include "cli/cli.h"
#include "denoise/clock.h"
#include "reprise/replay.h"

#include <stdio.h>
#include <string.h>

#define VERB "record"

enum {
    OPTION_OUTPUT,
    OPTION_WEIGHTS,
    OPTION_SIZE,
    OPTION_NETWORK,
    OPTION_HDR,
    OPTION_LDR,
    OPTION_SRGB,
    OPTION_LOG,
    OPTION_NORMALS,
    OPTION_TILE,
    OPTION_PRECISION,
    OPTION_KERNEL,
    OPTION_EDGE,
    OPTION_INPUT_SCALE,
    OPTION_FEATURES,
    OPTION_CAPS,
    OPTION_LIBRARY,
    OPTION_COUNT
};

static const cli_option table[OPTION_COUNT] = {
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "where the program goes"},
    [OPTION_WEIGHTS] = {"weights", 0, "FILE", "the weight file (.tza)"},
    [OPTION_SIZE] = {"size", 0, "WxH", "size of the images"},
    [OPTION_NETWORK] = {"network", 0, NULL, "the bare network, for images in the network's space"},
    [OPTION_HDR] = {"hdr", 0, NULL, "the image is linear and unbounded (default for rt_hdr files)"},
    [OPTION_LDR] = {"ldr", 0, NULL, "the image is in [0, 1] (default for rt_ldr and rt_alb files)"},
    [OPTION_SRGB] = {"srgb", 0, NULL, "LDR, and encoded for display already"},
    [OPTION_LOG] = {"log", 0, NULL, "HDR: the logarithmic transfer, for directional lightmaps"},
    [OPTION_NORMALS] = {"normals", 0, NULL, "the image is one of normals (default for rt_nrm files)"},
    [OPTION_TILE] = {"tile", 0, "N", "the longest edge of a tile, 16 or more; default: one tile"},
    [OPTION_PRECISION] = {"precision", 0, "P", "auto (default: fp16 with the feature f16), fp32 or fp16"},
    [OPTION_KERNEL] = {"kernel", 0, "K", "auto (default), implicit-gemm, direct or subgroup-matrix"},
    [OPTION_EDGE] = {"edge", 0, "E", "beyond the image: repeat its edge (default), or zero"},
    [OPTION_INPUT_SCALE] = {"input-scale", 0, "S", "HDR: exposure that the program begins with; default 1"},
    [OPTION_FEATURES] = {"features", 0, "LIST",
                         "what the device will have, separated by commas: f16,\n"
                         "subgroups, subgroup-matrix, cooperative-matrix"},
    [OPTION_CAPS] = {"caps-from-device", 0, NULL, "features and limits of this machine's GPU"},
    [OPTION_LIBRARY] = {"library", 0, "FILE", "WebGPU library for --caps-from-device"},
};

typedef struct record_options {
    const char *output, *weights, *library;
    bool network, hdr, ldr, srgb, log, normals, caps_from_device;
    int precision, kernel, edge;
    rp_record_desc desc;
} record_options;

static bool parse_features(const char *text, uint32_t *features)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } known[] = {{"f16", RP_FEATURE_SHADER_F16},
                 {"shader-f16", RP_FEATURE_SHADER_F16},
                 {"subgroups", RP_FEATURE_SUBGROUPS},
                 {"subgroup-matrix", RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX},
                 {"cooperative-matrix", RP_FEATURE_WGPU_COOPERATIVE_MATRIX}};
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, ","), i = 0, count = sizeof known / sizeof *known;
        while (i < count && (strlen(known[i].name) != length || strncmp(known[i].name, word, length) != 0))
            i++;
        if (i == count) {
            cli_wrong(VERB, "--features: '%.*s' is not f16, subgroups, subgroup-matrix or cooperative-matrix",
                      (int)length, word);
            return false;
        }
        *features |= known[i].bit;
        word += length + (word[length] == ',');
    }
    return true;
}

static bool take_option(record_options *options, int index, const char *value)
{
    rp_record_desc *desc = &options->desc;
    switch (index) {
    case OPTION_OUTPUT:
        options->output = value;
        return true;
    case OPTION_WEIGHTS:
        options->weights = value;
        return true;
    case OPTION_LIBRARY:
        options->library = value;
        return true;
    case OPTION_SIZE:
        return cli_parse_size(VERB, "size", value, &desc->width, &desc->height);
    case OPTION_TILE:
        return cli_parse_count(VERB, "tile", value, 16, 1u << 24, &desc->max_tile_edge);
    case OPTION_PRECISION:
        return cli_parse_choice(VERB, "precision", value, cli_precision_names, &options->precision);
    case OPTION_KERNEL:
        return cli_parse_choice(VERB, "kernel", value, cli_kernel_names, &options->kernel);
    case OPTION_EDGE:
        return cli_parse_choice(VERB, "edge", value, cli_edge_names, &options->edge);
    case OPTION_INPUT_SCALE:
        return cli_parse_positive(VERB, "input-scale", value, &desc->input_scale);
    case OPTION_FEATURES:
        return parse_features(value, &desc->caps.features);
    default: {
        bool *flags[OPTION_COUNT] = {[OPTION_NETWORK] = &options->network,
                                     [OPTION_HDR] = &options->hdr,
                                     [OPTION_LDR] = &options->ldr,
                                     [OPTION_SRGB] = &options->srgb,
                                     [OPTION_LOG] = &options->log,
                                     [OPTION_NORMALS] = &options->normals,
                                     [OPTION_CAPS] = &options->caps_from_device};
        *flags[index] = true;
        return true;
    }
    }
}

// What the image is, where no option says it, by the names of Intel's weight files.
static int choose_range(record_options *options)
{
    const char *slash = strrchr(options->weights, '/');
    const char *name = slash ? slash + 1 : options->weights;
    bool hdr = options->hdr || options->log, ldr = options->ldr || options->srgb;
    if (hdr && ldr)
        return cli_wrong(VERB, "%s and %s exclude each other", options->hdr ? "--hdr" : "--log",
                         options->ldr ? "--ldr" : "--srgb");
    if (options->normals && (hdr || ldr))
        return cli_wrong(VERB, "--normals excludes --hdr, --log, --ldr and --srgb");
    if (!hdr && !ldr && !options->normals) {
        options->normals = strncmp(name, "rt_nrm", 6) == 0;
        ldr = strncmp(name, "rt_ldr", 6) == 0 || strncmp(name, "rt_alb", 6) == 0;
        hdr = !ldr && !options->normals;
    }
    rp_record_desc *desc = &options->desc;
    desc->hdr = hdr;
    desc->normal_alone = options->normals;
    desc->transfer = options->log                        ? RP_TRANSFER_LOG
                     : hdr                               ? RP_TRANSFER_PU
                     : options->srgb || options->normals ? RP_TRANSFER_NONE
                                                         : RP_TRANSFER_SRGB;
    if (desc->input_scale > 0.0f && !hdr && !options->network)
        return cli_wrong(VERB, "--input-scale is for HDR images");
    return CLI_DONE;
}

static int parse(int argc, char **argv, record_options *options, bool *help)
{
    cli_parser parser = {.verb = VERB,
                         .synopsis = "--weights FILE --size WxH -o PROGRAM [OPTION]...",
                         .about = "Records the denoising of images of one size as a program, which 'reprise replay' or "
                                  "any other host of the\nformat runs. The program takes and gives RGBA float images.",
                         .options = table,
                         .option_count = OPTION_COUNT,
                         .argc = argc,
                         .argv = argv};
    const char *value;
    int index;
    while ((index = cli_next(&parser, &value)) != CLI_END) {
        *help = index == CLI_HELP;
        if (index == CLI_HELP)
            return CLI_DONE;
        if (index == CLI_WRONG)
            return CLI_WRONG_USAGE;
        if (index == CLI_ARGUMENT)
            return cli_wrong(VERB, "'%s': what is this? Weights come with --weights", value);
        if (!take_option(options, index, value))
            return CLI_WRONG_USAGE;
    }
    if (!options->weights)
        return cli_wrong(VERB, "--weights is missing");
    if (options->desc.width == 0)
        return cli_wrong(VERB, "--size is missing");
    if (!options->output)
        return cli_wrong(VERB, "-o is missing: where does the program go?");
    options->desc.precision = (rp_precision)options->precision;
    options->desc.kernel = (rp_kernel)options->kernel;
    options->desc.edge = (rp_edge)options->edge;
    return choose_range(options);
}

static rp_status record(record_options *options, rp_error *error)
{
    rp_gpu *gpu = NULL;
    rp_model *model = NULL;
    rp_program *program = NULL;
    rp_status status = RP_STATUS_OK;
    if (options->caps_from_device) {
        uint32_t features = options->desc.caps.features;
        status = rp_gpu_create(&(rp_gpu_desc){.library = options->library, .software = true}, &gpu, error);
        if (status == RP_STATUS_OK) {
            options->desc.caps = rp_gpu_get_caps(gpu);
            options->desc.caps.features |= features;
        }
    }
    if (status == RP_STATUS_OK)
        status = rp_model_load(options->weights, NULL, &model, error);
    if (status == RP_STATUS_OK)
        status = options->network ? rp_record_network(model, &options->desc, &program, error)
                                  : rp_record_denoise(model, &options->desc, &program, error);
    if (status == RP_STATUS_OK)
        status = rp_program_save(program, options->output, error);
    rp_program_destroy(&program);
    rp_model_destroy(&model);
    rp_gpu_destroy(&gpu);
    return status;
}

int cli_record(int argc, char **argv, double process_begin)
{
    (void)process_begin;
    record_options options = {0};
    bool help = false;
    int code = parse(argc, argv, &options, &help);
    if (code != CLI_DONE || help)
        return code;
    if (!cli_check_target(options.output))
        return CLI_FAILED;
    rp_error error;
    if (record(&options, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    return CLI_DONE;
}
