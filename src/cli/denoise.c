// reprise denoise: one image file in, one out.
#include "cli/cli.h"
#include "cli/denoise_options.h"
#include "cli/interrupt.h"
#include "cli/pictures.h"
#include "denoise/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef struct timeline {
    double read, create, write; // seconds each took
} timeline;

typedef struct work {
    const denoise_options *options;
    rp_image_file files[3]; // the noisy image, then what --albedo and --normal name
    const rp_pixels *images[3];
    cli_layer layer; // what is denoised
    bool hdr, srgb;
    rp_denoiser *denoiser;
    timeline times;
} work;

static int read_file(work *work, size_t slot, const char *path)
{
    rp_error error;
    if (rp_image_read(path, NULL, NULL, &work->files[slot], &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    return CLI_DONE;
}

// Albedo and normal that lie in the noisy image's own file, where they make a combination that there are weights for.
static void use_own_layers(work *work)
{
    const denoise_options *options = work->options;
    rp_image_file *file = &work->files[0];
    if (options->no_aux)
        return;
    if (!work->images[CLI_ALBEDO] && file->albedo.data)
        work->images[CLI_ALBEDO] = &file->albedo;
    if (!work->images[CLI_NORMAL] && file->normal.data) {
        if (work->images[CLI_ALBEDO])
            work->images[CLI_NORMAL] = &file->normal;
        else if (!options->quiet)
            cli_note("%s: its normals are not used: they need an albedo image, too", file->path);
    }
}

static int read_images(work *work)
{
    const denoise_options *options = work->options;
    const char *paths[3] = {options->input, options->albedo, options->normal};
    double begin = rp_clock_seconds();
    for (size_t i = 0; i < 3; i++) {
        if (!paths[i])
            continue;
        int code = read_file(work, i, paths[i]);
        if (code != CLI_DONE)
            return code;
        work->images[i] = cli_pick_layer(&work->files[i], (cli_layer)i, options->input != NULL);
        if (!work->images[i])
            return CLI_FAILED;
    }
    work->layer = options->input ? CLI_COLOR : options->albedo ? CLI_ALBEDO : CLI_NORMAL;
    if (options->input)
        use_own_layers(work);
    const rp_pixels *image = work->images[work->layer];
    for (size_t i = 0; i < 3; i++)
        if (paths[i] && !cli_same_size(paths[i], work->images[i], image->width, image->height, paths[work->layer]))
            return CLI_FAILED;
    work->times.read = rp_clock_seconds() - begin;
    return CLI_DONE;
}

// HDR or LDR, and how the values are encoded: by the options, else by the kind of file.
static int choose_range(work *work)
{
    const denoise_options *options = work->options;
    rp_image_file *file = &work->files[work->layer];
    bool encoded = file->display_referred && work->layer != CLI_NORMAL;
    work->hdr = work->layer == CLI_COLOR && !options->ldr && !options->srgb && (options->hdr || !encoded);
    work->srgb = options->srgb || (encoded && !work->hdr);
    if (work->hdr && encoded)
        cli_decode(&file->color);
    if (options->input_scale > 0.0f && !work->hdr)
        return cli_wrong("denoise", "--input-scale is for HDR images; %s counts as LDR", file->path);
    if (options->clean_aux && !(work->images[CLI_COLOR] && work->images[CLI_ALBEDO] && work->images[CLI_NORMAL]))
        return cli_wrong("denoise", "--clean-aux needs a noisy image, its albedo and its normals");
    return CLI_DONE;
}

static rp_image image_of(const rp_pixels *pixels)
{
    if (!pixels)
        return (rp_image){0};
    return (rp_image){.data = pixels->data, .channels = pixels->channels};
}

static int run(work *work)
{
    const denoise_options *options = work->options;
    rp_error error;
    double begin = rp_clock_seconds();
    rp_denoiser_desc denoiser_desc = {.device = (rp_device_choice)options->device,
                                      .webgpu_library = options->library,
                                      .precision = (rp_precision)options->precision,
                                      .kernel = (rp_kernel)options->kernel,
                                      .thread_count = options->threads};
    if (rp_denoiser_create(&denoiser_desc, &work->denoiser, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    work->times.create = rp_clock_seconds() - begin;

    const rp_pixels *image = work->images[work->layer];
    cli_progress progress = cli_progress_begin(options->quiet);
    rp_denoise_desc desc = {.width = image->width,
                            .height = image->height,
                            .color = image_of(work->images[CLI_COLOR]),
                            .albedo = image_of(work->images[CLI_ALBEDO]),
                            .normal = image_of(work->images[CLI_NORMAL]),
                            .output = image_of(image), // in place: the noisy image is not needed any more
                            .hdr = work->hdr,
                            .srgb = work->srgb,
                            .clean_aux = options->clean_aux,
                            .quality = (rp_quality)options->quality,
                            .input_scale = options->input_scale,
                            .max_tile_edge = options->tile,
                            .edge = (rp_edge)options->edge,
                            .weights = options->weights,
                            .progress = cli_progress_step,
                            .user = &progress};
    rp_status status = rp_denoiser_run(work->denoiser, &desc, &error);
    cli_progress_end(&progress);
    if (cli_interrupted())
        return cli_fail("interrupted; %s is not written", options->output);
    if (status != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    return CLI_DONE;
}

static int write_result(work *work)
{
    const denoise_options *options = work->options;
    rp_image_file *file = &work->files[work->layer];
    double begin = rp_clock_seconds();
    rp_error error;
    cli_result result = {.pixels = (rp_pixels *)work->images[work->layer],
                         .like = file,
                         .layer = work->layer,
                         .display_referred = work->srgb,
                         .png_bits = options->png_bits};
    cli_interrupt_hold();
    if (cli_interrupted())
        return cli_fail("interrupted; %s is not written", options->output);
    if (cli_write_result(options->output, &result, options->quiet, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    work->times.write = rp_clock_seconds() - begin;
    return CLI_DONE;
}

static void print_report(const work *work, double process_begin)
{
    rp_denoise_report report = rp_denoiser_get_report(work->denoiser);
    const rp_pixels *image = work->images[work->layer];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("device   %s\n", rp_denoiser_device(work->denoiser));
    printf("weights  %s\n", report.weights);
    printf("image    %ux%u:%s%s%s; %s", image->width, image->height, work->images[CLI_COLOR] ? " colour" : "",
           work->images[CLI_ALBEDO] ? " albedo" : "", work->images[CLI_NORMAL] ? " normal" : "",
           work->hdr                   ? "HDR"
           : work->layer == CLI_NORMAL ? "normals"
           : work->srgb                ? "LDR, display-referred"
                                       : "LDR, linear");
    if (work->hdr)
        printf(", input scale %.6g", (double)report.input_scale);
    printf("\ntiles    %u of %ux%u\n", report.tile_count, report.tile_width, report.tile_height);
    printf("memory   %.1f MB for the network, %.1f MB the process at its peak\n", (double)report.bytes * 1e-6,
           (double)usage.ru_maxrss * 1024e-6);
    printf("time     %.1f ms since main: read %.1f, device %.1f, load %.1f, prepare %.1f, exposure %.1f, input %.1f, "
           "network %.1f, output %.1f, write %.1f\n",
           1e3 * (rp_clock_seconds() - process_begin), 1e3 * work->times.read, 1e3 * work->times.create,
           1e3 * report.load_seconds, 1e3 * (report.prepare_seconds - report.load_seconds),
           1e3 * report.exposure_seconds, 1e3 * report.input_seconds, 1e3 * report.network_seconds,
           1e3 * report.output_seconds, 1e3 * work->times.write);
}

int cli_denoise(int argc, char **argv, double process_begin)
{
    denoise_options options;
    int code = denoise_parse(argc, argv, &options);
    if (code != CLI_DONE || options.help)
        return code;
    if (!cli_check_target(options.output))
        return CLI_FAILED;
    cli_interrupt_watch();
    work work = {.options = &options};
    code = read_images(&work);
    if (code == CLI_DONE)
        code = choose_range(&work);
    if (code == CLI_DONE)
        code = run(&work);
    if (code == CLI_DONE)
        code = write_result(&work);
    if (code == CLI_DONE && options.report)
        print_report(&work, process_begin);
    rp_denoiser_destroy(&work.denoiser);
    for (size_t i = 0; i < 3; i++)
        rp_image_file_free(&work.files[i]);
    if (code != CLI_DONE)
        cli_interrupt_finish();
    return code;
}
