// The command line: renders the sample scene and writes what a denoiser takes, and a converged image to compare with.
#include "image_file.h"
#include "render.h"
#ifdef PATHTRACER_DENOISE
#include "denoise.h"
#endif

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum { MAX_EDGE = 16384, MAX_PIXELS = 1 << 26, MAX_SAMPLES = 1 << 20, MAX_THREAD_OPTION = 256, MAX_FILES = 4 };

// Samples of the reference are numbered from here: it shares none with the noisy image.
#define REFERENCE_FIRST_SAMPLE (UINT64_C(1) << 32)

typedef struct options {
    uint32_t width, height, samples, reference_samples, threads;
    uint64_t seed;
    bool denoise, help;
    const char *output, *albedo, *normal, *reference;
} options;

static const char usage_text[] =
    "Usage: pathtracer [OPTION]... --output FILE\n"
    "Renders the sample scene with few samples a pixel, for a denoiser to clean.\n"
    "\n"
    "  --output FILE             noisy linear colour; an .exr also gets the layers albedo and normal\n"
    "  --albedo FILE             albedo of what is first seen (through glass), in [0, 1]\n"
    "  --normal FILE             its world-space normal, in [-1, 1]\n"
    "  --reference FILE          the same view with many samples\n"
    "  --size WxH                in pixels, up to 16384 each (default 1280x720)\n"
    "  --samples N               a pixel (default 4)\n"
    "  --reference-samples N     a pixel of the reference (default 1024)\n"
    "  --seed N                  another noise (default 1); the same seed gives the same file\n"
    "  --denoise                 denoise with reprise: the output's colour is the clean one, and an .exr keeps the\n"
    "                            noisy one as its layer noisy; weights come from $REPRISE_WEIGHTS\n"
    "  --threads N               up to 256 (default: one a core)\n"
    "  --help                    this text\n"
    "\n"
    "FILE ends in .exr (OpenEXR, 32-bit float) or .pfm. Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static bool fail_usage(const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "pathtracer: --%s '%s': %s\nTry 'pathtracer --help'.\n", option, value, wanted);
    return false;
}

// A decimal number without sign or space that is all of the text up to `end`.
static bool read_number(const char *text, char end, uint64_t low, uint64_t high, uint64_t *number, const char **rest)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *stop;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    if (errno != 0 || *stop != end || value < low || value > high)
        return false;
    *number = value;
    if (rest != NULL)
        *rest = stop + 1;
    return true;
}

static bool read_count(const char *option, const char *text, uint32_t high, uint32_t *count)
{
    uint64_t number;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "a whole number from 1 to %u is wanted", high);
    if (!read_number(text, '\0', 1, high, &number, NULL))
        return fail_usage(option, text, wanted);
    *count = (uint32_t)number;
    return true;
}

static bool read_size(const char *text, options *o)
{
    uint64_t width, height;
    const char *rest;
    if (!read_number(text, 'x', 1, MAX_EDGE, &width, &rest) || !read_number(rest, '\0', 1, MAX_EDGE, &height, NULL) ||
        width * height > MAX_PIXELS)
        return fail_usage("size", text, "WIDTHxHEIGHT is wanted, 1 to 16384 each and at most 67108864 pixels");
    o->width = (uint32_t)width;
    o->height = (uint32_t)height;
    return true;
}

static bool read_path(const char *option, const char *text, const char **path)
{
    if (image_file_format(text) == IMAGE_FORMAT_UNKNOWN)
        return fail_usage(option, text, "a file name that ends in .exr or .pfm is wanted");
    *path = text;
    return true;
}

static bool check_options(const options *o, bool reference_samples_given)
{
    const char *paths[MAX_FILES] = {o->output, o->albedo, o->normal, o->reference};
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_FILES; i++) {
        count += paths[i] != NULL;
        for (uint32_t j = 0; j < i; j++)
            if (paths[i] != NULL && paths[j] != NULL && strcmp(paths[i], paths[j]) == 0)
                return fail_usage("output", paths[i], "this file is named twice");
    }
    if (count == 0)
        fprintf(stderr, "pathtracer: nothing to write; name a file with --output FILE\nTry 'pathtracer --help'.\n");
    else if (reference_samples_given && o->reference == NULL)
        fprintf(stderr, "pathtracer: --reference-samples needs --reference FILE\nTry 'pathtracer --help'.\n");
    else if (o->denoise && o->output == NULL)
        fprintf(stderr, "pathtracer: --denoise needs --output FILE\nTry 'pathtracer --help'.\n");
    else
        return true;
    return false;
}

static bool read_options(int count, char **arguments, options *o)
{
    static const struct option known[] = {
        {"output", required_argument, NULL, 'o'},  {"albedo", required_argument, NULL, 'a'},
        {"normal", required_argument, NULL, 'n'},  {"reference", required_argument, NULL, 'r'},
        {"size", required_argument, NULL, 's'},    {"samples", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 'e'},    {"reference-samples", required_argument, NULL, 'R'},
        {"threads", required_argument, NULL, 't'}, {"denoise", no_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    *o = (options){.width = 1280, .height = 720, .samples = 4, .reference_samples = 1024, .seed = 1};
    bool reference_samples_given = false;
    bool good = true;
    int letter;
    while (good && (letter = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (letter) {
        case 'o':
            good = read_path("output", optarg, &o->output);
            break;
        case 'a':
            good = read_path("albedo", optarg, &o->albedo);
            break;
        case 'n':
            good = read_path("normal", optarg, &o->normal);
            break;
        case 'r':
            good = read_path("reference", optarg, &o->reference);
            break;
        case 's':
            good = read_size(optarg, o);
            break;
        case 'c':
            good = read_count("samples", optarg, MAX_SAMPLES, &o->samples);
            break;
        case 'R':
            good = read_count("reference-samples", optarg, MAX_SAMPLES, &o->reference_samples);
            reference_samples_given = true;
            break;
        case 't':
            good = read_count("threads", optarg, MAX_THREAD_OPTION, &o->threads);
            break;
        case 'e':
            good = read_number(optarg, '\0', 0, UINT64_MAX, &o->seed, NULL) ||
                   fail_usage("seed", optarg, "a whole number from 0 to 18446744073709551615 is wanted");
            break;
        case 'd':
            o->denoise = true;
            break;
        case 'h':
            o->help = true;
            return true;
        default: // getopt_long has printed why
            fprintf(stderr, "Try 'pathtracer --help'.\n");
            return false;
        }
    }
    if (good && optind < count) {
        fprintf(stderr, "pathtracer: '%s': no such argument\nTry 'pathtracer --help'.\n", arguments[optind]);
        return false;
    }
    return good && check_options(o, reference_samples_given);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct progress {
    const char *what;
    double start, last;
    bool shown;
} progress;

// Shows a percentage on a terminal, once half a second has gone by.
static void show_progress(void *user, uint32_t done, uint32_t total)
{
    progress *p = user;
    double now = seconds_now();
    if (now - p->start < 0.5 || now - p->last < 0.1 || !isatty(STDERR_FILENO))
        return;
    p->last = now;
    p->shown = true;
    fprintf(stderr, "\r%s %3u %%", p->what, (uint32_t)((uint64_t)done * 100 / total));
}

static void render_timed(render_desc *desc, const char *what)
{
    progress p = {.what = what, .start = seconds_now()};
    desc->progress = show_progress;
    desc->user = &p;
    render_image(desc);
    if (p.shown)
        fprintf(stderr, "\r\x1b[K");
    printf("%s: %ux%u, %u samples a pixel, %.2f s\n", what, desc->width, desc->height, desc->sample_count,
           seconds_now() - p.start);
    fflush(stdout);
}

// Every file or none: all are written under temporary names before the first gets its own.
static bool write_files(image_file *files, uint32_t count)
{
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        good = image_file_prepare(&files[i]);
    for (uint32_t i = 0; i < count && good; i++)
        good = image_file_commit(&files[i]);
    for (uint32_t i = 0; i < count; i++)
        image_file_discard(&files[i]);
    return good;
}

static void add_file(image_file *files, uint32_t *count, const options *o, const char *path, const image_layer *layer,
                     const char *comment)
{
    if (path != NULL)
        files[(*count)++] = (image_file){.path = path,
                                         .comment = comment,
                                         .width = o->width,
                                         .height = o->height,
                                         .layers = {*layer},
                                         .layer_count = 1};
}

// `images` has room for five images, one after the other.
static bool run(const options *o, float *images)
{
    size_t values = (size_t)o->width * o->height * 3;
    float *color = images;
    float *albedo = images + values;
    float *normal = images + 2 * values;
    float *reference = images + 3 * values;
    float *clean = images + 4 * values;
    scene scene;
    make_sample_scene(&scene);
    render_desc desc = {.scene = &scene,
                        .width = o->width,
                        .height = o->height,
                        .sample_count = o->samples,
                        .thread_count = o->threads,
                        .seed = o->seed,
                        .color = color,
                        .albedo = albedo,
                        .normal = normal};
    if (o->output != NULL || o->albedo != NULL || o->normal != NULL)
        render_timed(&desc, "noisy image");
    if (o->reference != NULL) {
        render_desc converged = desc;
        converged.sample_count = o->reference_samples;
        converged.first_sample = REFERENCE_FIRST_SAMPLE;
        converged.color = reference;
        converged.albedo = NULL;
        converged.normal = NULL;
        render_timed(&converged, "reference");
    }
#ifdef PATHTRACER_DENOISE
    if (o->denoise && !denoise_image(o->width, o->height, color, albedo, normal, clean, o->threads))
        return false;
#endif
    char comment[128], reference_comment[128];
    snprintf(comment, sizeof comment, "%u samples a pixel, seed %llu%s", o->samples, (unsigned long long)o->seed,
             o->denoise ? ", denoised" : "");
    snprintf(reference_comment, sizeof reference_comment, "%u samples a pixel, seed %llu", o->reference_samples,
             (unsigned long long)o->seed);
    image_file files[MAX_FILES];
    uint32_t count = 0;
    const image_layer albedo_layer = {"albedo", IMAGE_COLOR, albedo};
    const image_layer normal_layer = {"normal", IMAGE_NORMAL, normal};
    add_file(files, &count, o, o->output, &(image_layer){NULL, IMAGE_COLOR, o->denoise ? clean : color}, comment);
    if (count == 1 && image_file_format(o->output) == IMAGE_FORMAT_EXR) {
        files[0].layers[files[0].layer_count++] = albedo_layer;
        files[0].layers[files[0].layer_count++] = normal_layer;
        if (o->denoise)
            files[0].layers[files[0].layer_count++] = (image_layer){"noisy", IMAGE_COLOR, color};
    }
    add_file(files, &count, o, o->albedo, &albedo_layer, comment);
    add_file(files, &count, o, o->normal, &normal_layer, comment);
    add_file(files, &count, o, o->reference, &(image_layer){NULL, IMAGE_COLOR, reference}, reference_comment);
    return write_files(files, count);
}

int main(int count, char **arguments)
{
    options o;
    if (!read_options(count, arguments, &o))
        return EXIT_USAGE;
    if (o.help)
        return fputs(usage_text, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILED : EXIT_DONE;
#ifndef PATHTRACER_DENOISE
    if (o.denoise) {
        fprintf(stderr, "pathtracer: --denoise: this program was built without the reprise library\n");
        return EXIT_FAILED;
    }
#endif
    const char *paths[MAX_FILES] = {o.output, o.albedo, o.normal, o.reference};
    for (uint32_t i = 0; i < MAX_FILES; i++)
        if (paths[i] != NULL && !image_file_may_write(paths[i]))
            return EXIT_FAILED;
    float *images = calloc((size_t)o.width * o.height, 5 * 3 * sizeof(float));
    if (images == NULL) {
        fprintf(stderr, "pathtracer: out of memory for images of %ux%u\n", o.width, o.height);
        return EXIT_FAILED;
    }
    bool good = run(&o, images);
    free(images);
    return good ? EXIT_DONE : EXIT_FAILED;
}
