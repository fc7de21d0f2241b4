// The options of reprise denoise: the table, the values, and what goes together.
#include "cli/denoise_options.h"

#include "cli/cli.h"
#include "image/image.h"

enum {
    OPTION_OUTPUT,
    OPTION_ALBEDO,
    OPTION_NORMAL,
    OPTION_NO_AUX,
    OPTION_HDR,
    OPTION_LDR,
    OPTION_SRGB,
    OPTION_QUALITY,
    OPTION_CLEAN_AUX,
    OPTION_WEIGHTS,
    OPTION_INPUT_SCALE,
    OPTION_DEVICE,
    OPTION_LIBRARY,
    OPTION_TILE,
    OPTION_EDGE,
    OPTION_PRECISION,
    OPTION_KERNEL,
    OPTION_THREADS,
    OPTION_PNG_BITS,
    OPTION_QUIET,
    OPTION_REPORT,
    OPTION_VERBOSE,
    OPTION_COUNT
};

static const cli_option table[OPTION_COUNT] = {
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "where the result goes: .exr, .pfm, .hdr or .png"},
    [OPTION_ALBEDO] = {"albedo", 0, "FILE", "albedo image; without a noisy image, the one to denoise"},
    [OPTION_NORMAL] = {"normal", 0, "FILE", "normals, likewise"},
    [OPTION_NO_AUX] = {"no-aux", 0, NULL, "leave albedo and normal layers of the noisy image's file alone"},
    [OPTION_HDR] = {"hdr", 0, NULL, "the image is linear and unbounded (default, but for PNG)"},
    [OPTION_LDR] = {"ldr", 0, NULL, "the image is in [0, 1] (default for PNG)"},
    [OPTION_SRGB] = {"srgb", 0, NULL, "LDR, and encoded for display already (default for PNG)"},
    [OPTION_QUALITY] = {"quality", 0, "Q", "high (default), balanced or fast: which network"},
    [OPTION_CLEAN_AUX] = {"clean-aux", 0, NULL, "albedo and normals are free of noise"},
    [OPTION_WEIGHTS] = {"weights", 0, "FILE", "a weight file (.tza) instead of the one that the settings choose"},
    [OPTION_INPUT_SCALE] = {"input-scale", 0, "S", "exposure of an HDR image; default: measured"},
    [OPTION_DEVICE] = {"device", 0, "D",
                       "auto (default): a GPU if there is one, else the CPU; cpu;\n"
                       "webgpu: a GPU, or software Vulkan where there is none"},
    [OPTION_LIBRARY] = {"library", 0, "FILE", "WebGPU library to load; default: $REPRISE_WEBGPU_LIBRARY"},
    [OPTION_TILE] = {"tile", 0, "N", "the longest edge of a tile, 16 or more; default: by memory"},
    [OPTION_EDGE] = {"edge", 0, "E", "beyond the image: repeat its edge (default), or zero"},
    [OPTION_PRECISION] = {"precision", 0, "P", "auto (default), fp32 or fp16 (GPU only)"},
    [OPTION_KERNEL] = {"kernel", 0, "K", "auto (default), implicit-gemm, direct or subgroup-matrix\n(GPU only)"},
    [OPTION_THREADS] = {"threads", 0, "N", "threads on the CPU; default: all cores"},
    [OPTION_PNG_BITS] = {"png-bits", 0, "N", "8 or 16 bits a channel in a PNG; default: as the input's"},
    [OPTION_QUIET] = {"quiet", 'q', NULL, "no notes and no progress bar"},
    [OPTION_REPORT] = {"report", 'v', NULL, "print device, weights, tiles, memory and times"},
    [OPTION_VERBOSE] = {"verbose", 0, NULL, "the same as --report"},
};

#define VERB "denoise"

static const char *const quality_names[] = {"high", "balanced", "fast", NULL};
static const char *const device_names[] = {"auto", "cpu", "webgpu", NULL};

static bool take_value(denoise_options *options, int index, const char *value)
{
    switch (index) {
    case OPTION_QUALITY:
        return cli_parse_choice(VERB, "quality", value, quality_names, &options->quality);
    case OPTION_INPUT_SCALE:
        return cli_parse_positive(VERB, "input-scale", value, &options->input_scale);
    case OPTION_DEVICE:
        return cli_parse_choice(VERB, "device", value, device_names, &options->device);
    case OPTION_TILE:
        return cli_parse_count(VERB, "tile", value, 16, RP_IMAGE_MAX_EDGE, &options->tile);
    case OPTION_EDGE:
        return cli_parse_choice(VERB, "edge", value, cli_edge_names, &options->edge);
    case OPTION_PRECISION:
        return cli_parse_choice(VERB, "precision", value, cli_precision_names, &options->precision);
    case OPTION_KERNEL:
        return cli_parse_choice(VERB, "kernel", value, cli_kernel_names, &options->kernel);
    case OPTION_THREADS:
        return cli_parse_count(VERB, "threads", value, 1, 1024, &options->threads);
    case OPTION_PNG_BITS:
        if (!cli_parse_count(VERB, "png-bits", value, 8, 16, &options->png_bits))
            return false;
        if (options->png_bits == 8 || options->png_bits == 16)
            return true;
        cli_wrong(VERB, "--png-bits: '%s' is not 8 or 16", value);
        return false;
    default:
        return true;
    }
}

static void take_text_or_flag(denoise_options *options, int index, const char *value)
{
    const char **texts[OPTION_COUNT] = {[OPTION_OUTPUT] = &options->output,
                                        [OPTION_ALBEDO] = &options->albedo,
                                        [OPTION_NORMAL] = &options->normal,
                                        [OPTION_WEIGHTS] = &options->weights,
                                        [OPTION_LIBRARY] = &options->library};
    bool *flags[OPTION_COUNT] = {[OPTION_NO_AUX] = &options->no_aux,
                                 [OPTION_HDR] = &options->hdr,
                                 [OPTION_LDR] = &options->ldr,
                                 [OPTION_SRGB] = &options->srgb,
                                 [OPTION_CLEAN_AUX] = &options->clean_aux,
                                 [OPTION_QUIET] = &options->quiet,
                                 [OPTION_REPORT] = &options->report,
                                 [OPTION_VERBOSE] = &options->report};
    if (texts[index])
        *texts[index] = value;
    if (flags[index])
        *flags[index] = true;
}

static int check_options(const denoise_options *options)
{
    if (!options->input && !options->albedo && !options->normal)
        return cli_wrong(VERB, "an image file is missing");
    if (!options->output)
        return cli_wrong(VERB, "-o is missing: where does the result go?");
    if (options->hdr && (options->ldr || options->srgb))
        return cli_wrong(VERB, "--hdr and %s exclude each other", options->ldr ? "--ldr" : "--srgb");
    if (!options->input && options->albedo && options->normal)
        return cli_wrong(VERB, "--albedo and --normal without a noisy image: denoise each by itself");
    if (!options->input && options->hdr)
        return cli_wrong(VERB, "--hdr is for a noisy image; %s by %s is LDR",
                         options->albedo ? "an albedo image" : "normals", options->albedo ? "itself" : "themselves");
    if (!options->input && options->normal && options->srgb)
        return cli_wrong(VERB, "--srgb with normals by themselves: normals are linear");
    if (options->input && options->normal && options->no_aux && !options->albedo)
        return cli_wrong(VERB, "--normal needs --albedo, too");
    if (!rp_image_can_write(options->output))
        return cli_wrong(VERB, "%s: not a kind of file that can be written (.exr, .pfm, .hdr, .png)", options->output);
    return CLI_DONE;
}

int denoise_parse(int argc, char **argv, denoise_options *options)
{
    cli_parser parser = {.verb = VERB,
                         .synopsis = "NOISY -o CLEAN [OPTION]...",
                         .about = "Denoises a rendered image with Intel Open Image Denoise's trained networks. Reads "
                                  "and writes OpenEXR,\nPFM, Radiance HDR and PNG. Albedo and normal layers in the "
                                  "same EXR are used. Ctrl-C stops at the next\ntile and leaves no file.",
                         .options = table,
                         .option_count = OPTION_COUNT,
                         .argc = argc,
                         .argv = argv};
    *options = (denoise_options){0};
    const char *value;
    for (;;) {
        int index = cli_next(&parser, &value);
        if (index == CLI_END)
            return check_options(options);
        if (index == CLI_HELP)
            options->help = true;
        if (index == CLI_HELP || index == CLI_WRONG)
            return index == CLI_HELP ? CLI_DONE : CLI_WRONG_USAGE;
        if (index == CLI_ARGUMENT) {
            if (options->input)
                return cli_wrong(VERB, "one image at a time: '%s' and '%s'", options->input, value);
            options->input = value;
            continue;
        }
        take_text_or_flag(options, index, value);
        if (!take_value(options, index, value))
            return CLI_WRONG_USAGE;
    }
}
