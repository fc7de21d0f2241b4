// reprise replay: a program file and its images in, an image out.
#include "reprise/replay.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/pictures.h"
#include "cli/program_inputs.h"
#include "denoise/clock.h"
#include "oidn/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "replay"

enum {
    OPTION_INPUT,
    OPTION_OUTPUT,
    OPTION_DEVICE,
    OPTION_LIBRARY,
    OPTION_INPUT_SCALE,
    OPTION_REPEAT,
    OPTION_QUIET,
    OPTION_COUNT
};

static const cli_option table[OPTION_COUNT] = {
    [OPTION_INPUT] = {"input", 'i', "NAME=FILE", "an image: color, albedo, normal, or an input's number from 0"},
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "where the result goes: .exr, .pfm, .hdr or .png"},
    [OPTION_DEVICE] = {"device", 0, "D",
                       "auto (default): a GPU; webgpu: software Vulkan, too; else\n"
                       "part of the name of an adapter ('reprise devices')"},
    [OPTION_LIBRARY] = {"library", 0, "FILE", "WebGPU library to load; default: $REPRISE_WEBGPU_LIBRARY"},
    [OPTION_INPUT_SCALE] = {"input-scale", 0, "S", "exposure for an HDR program, or auto; default: the\nprogram's"},
    [OPTION_REPEAT] = {"repeat", 0, "N", "run N times and print the median time"},
    [OPTION_QUIET] = {"quiet", 'q', NULL, "no notes and no progress bar"},
};

typedef struct replay_options {
    const char *program, *output, *device, *library;
    const char *inputs[CLI_MAX_INPUTS]; // NAME=FILE
    uint32_t input_count, repeat;
    float input_scale;
    bool measure_exposure, quiet;
} replay_options;

static bool take_option(replay_options *options, int index, const char *value)
{
    switch (index) {
    case OPTION_INPUT:
        if (options->input_count == CLI_MAX_INPUTS || !strchr(value, '=')) {
            cli_wrong(VERB, "--input: '%s' is not NAME=FILE, or one too many", value);
            return false;
        }
        options->inputs[options->input_count++] = value;
        return true;
    case OPTION_OUTPUT:
        options->output = value;
        return true;
    case OPTION_DEVICE:
        options->device = value;
        return true;
    case OPTION_LIBRARY:
        options->library = value;
        return true;
    case OPTION_INPUT_SCALE:
        options->measure_exposure = strcmp(value, "auto") == 0;
        return options->measure_exposure || cli_parse_positive(VERB, "input-scale", value, &options->input_scale);
    case OPTION_REPEAT:
        return cli_parse_count(VERB, "repeat", value, 1, 1000000, &options->repeat);
    default:
        options->quiet = true;
        return true;
    }
}

static int parse(int argc, char **argv, replay_options *options, bool *help)
{
    cli_parser parser = {.verb = VERB,
                         .synopsis = "PROGRAM --input color=FILE -o FILE [OPTION]...",
                         .about = "Runs a recorded program on a GPU. Images must have the program's size. The images "
                                  "of a bare network\n('reprise record --network') are in the network's space, as PFM "
                                  "or EXR.",
                         .options = table,
                         .option_count = OPTION_COUNT,
                         .argc = argc,
                         .argv = argv};
    const char *value;
    int index;
    options->device = "auto";
    options->repeat = 1;
    while ((index = cli_next(&parser, &value)) != CLI_END) {
        *help = index == CLI_HELP;
        if (index == CLI_HELP)
            return CLI_DONE;
        if (index == CLI_WRONG)
            return CLI_WRONG_USAGE;
        if (index == CLI_ARGUMENT) {
            if (options->program)
                return cli_wrong(VERB, "one program at a time: '%s' and '%s'", options->program, value);
            options->program = value;
            continue;
        }
        if (!take_option(options, index, value))
            return CLI_WRONG_USAGE;
    }
    if (!options->program)
        return cli_wrong(VERB, "a program file is missing");
    if (!options->output && options->repeat == 1)
        return cli_wrong(VERB, "-o is missing: where does the result go?");
    if (options->output && !rp_image_can_write(options->output))
        return cli_wrong(VERB, "%s: not a kind of file that can be written (.exr, .pfm, .hdr, .png)", options->output);
    return CLI_DONE;
}

typedef struct replay_work {
    const replay_options *options;
    rp_program *program;
    cli_program_inputs inputs;
    rp_gpu *gpu;
    rp_replay *replay;
    rp_pixels output; // RGBA
} replay_work;

static rp_status open_device(replay_work *work, rp_error *error)
{
    const char *device = work->options->device;
    bool automatic = strcmp(device, "auto") == 0, any = strcmp(device, "webgpu") == 0;
    rp_gpu_desc desc = {
        .library = work->options->library, .software = !automatic, .name = automatic || any ? NULL : device};
    rp_status status = rp_gpu_create(&desc, &work->gpu, error);
    if (status == RP_STATUS_NO_DEVICE && automatic)
        cli_note("no GPU answered; --device webgpu takes software Vulkan, too");
    return status;
}

static int compare_times(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static rp_status run_repeatedly(replay_work *work, double *times, rp_error *error)
{
    const replay_options *options = work->options;
    const void *images[CLI_MAX_INPUTS];
    for (uint32_t i = 0; i < work->program->input_count; i++)
        images[i] = work->inputs.images[i].data;
    cli_progress progress = cli_progress_begin(options->quiet);
    rp_replay_run_desc run = {.inputs = images,
                              .input_count = work->program->input_count,
                              .output = work->output.data,
                              .output_size_bytes = (uint64_t)work->output.width * work->output.height * 16,
                              .progress = cli_progress_step,
                              .user = &progress};
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i < options->repeat && status == RP_STATUS_OK; i++) {
        double begin = rp_clock_seconds();
        status = rp_replay_run(work->replay, &run, error);
        times[i] = rp_clock_seconds() - begin;
    }
    cli_progress_end(&progress);
    return status;
}

static rp_status replay(replay_work *work, rp_error *error)
{
    const replay_options *options = work->options;
    rp_status status = open_device(work, error);
    if (status == RP_STATUS_OK)
        status = rp_replay_create(work->gpu, work->program, &work->replay, error);
    float scale = options->input_scale;
    if (options->measure_exposure) {
        const rp_pixels *color = &work->inputs.images[0];
        scale = rp_autoexposure(color->data, color->width, color->height, 4, 4 * (size_t)color->width);
    }
    if (status == RP_STATUS_OK && scale > 0.0f)
        status = rp_replay_set_input_scale(work->replay, scale, error);
    if (status != RP_STATUS_OK)
        return status;
    double *times = rp_allocate(NULL, options->repeat, sizeof *times);
    if (!times) {
        cli_note("no memory for %u times", options->repeat);
        return RP_STATUS_OUT_OF_MEMORY;
    }
    status = run_repeatedly(work, times, error);
    if (status == RP_STATUS_OK && options->repeat > 1) {
        qsort(times, options->repeat, sizeof *times, compare_times);
        printf("median of %u runs: %.3f ms (least %.3f)\n", options->repeat, 1e3 * times[options->repeat / 2],
               1e3 * times[0]);
    }
    rp_free(NULL, times);
    return status;
}

static int write_output(replay_work *work)
{
    const char *path = work->options->output;
    const rp_image_file *like = &work->inputs.files[0];
    // The program gives RGBA; the file gets what its input had.
    uint32_t channels = work->program->output_channels < 4 || like->color.channels < 4 ? 3 : 4;
    cli_keep_channels(&work->output, channels);
    cli_interrupt_hold();
    if (cli_interrupted())
        return cli_fail("interrupted; %s is not written", path);
    cli_result result = {.pixels = &work->output,
                         .like = like,
                         .layer = CLI_COLOR,
                         .display_referred = like->display_referred || work->inputs.network_space};
    rp_error error;
    if (cli_write_result(path, &result, work->options->quiet, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    return CLI_DONE;
}

static int prepare(replay_work *work)
{
    const replay_options *options = work->options;
    rp_error error;
    if (rp_program_load(options->program, NULL, &work->program, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    int code =
        cli_read_program_inputs(options->program, work->program, options->inputs, options->input_count, &work->inputs);
    if (code != CLI_DONE)
        return code;
    work->output.width = work->program->output_width;
    work->output.height = work->program->output_height;
    work->output.channels = 4;
    work->output.data = rp_allocate(NULL, (size_t)work->output.width * work->output.height, 16);
    return work->output.data ? CLI_DONE : cli_fail("no memory for the output image");
}

int cli_replay(int argc, char **argv, double process_begin)
{
    (void)process_begin;
    replay_options options = {0};
    bool help = false;
    int code = parse(argc, argv, &options, &help);
    if (code != CLI_DONE || help)
        return code;
    if (options.output && !cli_check_target(options.output))
        return CLI_FAILED;
    cli_interrupt_watch();
    replay_work work = {.options = &options};
    code = prepare(&work);
    rp_error error = {0};
    if (code == CLI_DONE && replay(&work, &error) != RP_STATUS_OK)
        code = cli_interrupted() ? cli_fail("interrupted") : cli_fail("%s", error.message);
    if (code == CLI_DONE && options.output)
        code = write_output(&work);
    rp_replay_destroy(&work.replay);
    rp_gpu_destroy(&work.gpu);
    rp_program_destroy(&work.program);
    cli_free_program_inputs(&work.inputs);
    rp_free(NULL, work.output.data);
    if (code != CLI_DONE)
        cli_interrupt_finish();
    return code;
}
