// The CPU executor against the sum of oneDNN's own convolutions for the same layers, side by side in one run:
//     build/cpu_layers WEIGHTS.tza [WIDTH HEIGHT [ROUNDS]]
// Every round times each convolution alone, in the layout that oneDNN itself chooses for it, and then the whole
// network. Medians. DNNL_MAX_CPU_ISA=AVX2 shows what a processor without AVX-512 does.
#include "cpu/aligned.h"
#include "cpu/convolution.h"
#include "cpu/network.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_ROUNDS = 101 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void die(const rp_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

typedef struct layer {
    rp_convolution *convolution;
    rp_aligned input, output, scratch;
    double times[MOST_ROUNDS], flop;
} layer;

static void create_layer(rp_cpu_engine *engine, const rp_model *model, uint32_t index, uint32_t width, uint32_t height,
                         layer *target)
{
    rp_error error;
    const rp_layer *source = &model->layers[index];
    uint32_t level = model->tensors[source->source].level - (source->upsample ? 1 : 0);
    uint32_t inputs = source->source_channels + source->skip_channels;
    size_t pixels = (size_t)(width >> level) * (height >> level);
    // Times do not depend on the values, so that the weights need not be arranged for a layout.
    size_t weight_count = ((size_t)inputs + 7) * source->output_channels * 9;
    float *weights = malloc((weight_count + source->output_channels) * sizeof *weights);
    for (size_t i = 0; i < weight_count + source->output_channels; i++)
        weights[i] = (float)(i % 127) / 12700;
    rp_convolution_desc desc = {.width = width >> level,
                                .height = height >> level,
                                .input_channels = inputs,
                                .output_channels = source->output_channels,
                                .weights = weights,
                                .bias = weights + weight_count};
    if (rp_convolution_prefer(engine, &desc, &desc.block, &error) != RP_STATUS_OK)
        die(&error);
    if (desc.block)
        desc.input_channels = rp_ceil_divide(inputs, desc.block) * desc.block;
    if (rp_convolution_create(engine, &desc, &target->convolution, &error) != RP_STATUS_OK)
        die(&error);
    free(weights);
    uint32_t outputs =
        desc.block ? rp_ceil_divide(desc.output_channels, desc.block) * desc.block : desc.output_channels;
    if (!rp_aligned_allocate(NULL, pixels * desc.input_channels * 4, &target->input) ||
        !rp_aligned_allocate(NULL, pixels * outputs * 4, &target->output) ||
        !rp_aligned_allocate(NULL, rp_convolution_scratch_bytes(target->convolution), &target->scratch))
        abort();
    float *values = target->input.data;
    for (size_t i = 0; i < pixels * desc.input_channels; i++)
        values[i] = (float)(i % 251) / 251;
    target->flop = 2 * (double)rp_layer_multiply_adds(model, index, width, height);
}

int main(int argc, char **argv)
{
    rp_error error;
    rp_model *model;
    rp_cpu_engine *engine;
    rp_cpu_network *network;
    if (argc < 2) {
        fprintf(stderr, "usage: cpu_layers WEIGHTS.tza [WIDTH HEIGHT [ROUNDS]]\n");
        return 2;
    }
    uint32_t width = argc > 3 ? (uint32_t)atoi(argv[2]) : 1280, height = argc > 3 ? (uint32_t)atoi(argv[3]) : 720;
    int rounds = argc > 4 ? atoi(argv[4]) : 7;
    if (rounds < 1 || rounds > MOST_ROUNDS || width % 16 || height % 16) {
        fprintf(stderr, "cpu_layers: sizes are multiples of 16, rounds 1 to %d\n", MOST_ROUNDS);
        return 2;
    }
    if (rp_model_load(argv[1], NULL, &model, &error) != RP_STATUS_OK)
        die(&error);

    double begin = now();
    if (rp_cpu_network_create(&(rp_cpu_network_desc){.model = model, .width = width, .height = height}, &network,
                              &error) != RP_STATUS_OK)
        die(&error);
    double created = now() - begin;
    size_t inputs = (size_t)width * height * model->info.input_channels;
    for (size_t i = 0; i < inputs; i++)
        rp_cpu_network_input(network)[i] = (float)(i % 251) / 251;
    if (rp_cpu_network_run(network, &error) != RP_STATUS_OK)
        die(&error);
    double peak = peak_megabytes(); // before the separate layers take memory of their own

    if (rp_cpu_engine_create(NULL, &engine, &error) != RP_STATUS_OK)
        die(&error);
    static layer layers[RP_MAX_LAYERS];
    for (uint32_t i = 0; i < model->layer_count; i++)
        create_layer(engine, model, i, width, height, &layers[i]);
    static double whole[MOST_ROUNDS];
    for (int round = -1; round < rounds; round++) { // round -1 warms up
        for (uint32_t i = 0; i < model->layer_count; i++) {
            begin = now();
            if (rp_convolution_run(layers[i].convolution, layers[i].input.data, layers[i].output.data,
                                   layers[i].scratch.data, &error) != RP_STATUS_OK)
                die(&error);
            if (round >= 0)
                layers[i].times[round] = now() - begin;
        }
        begin = now();
        if (rp_cpu_network_run(network, &error) != RP_STATUS_OK)
            die(&error);
        if (round >= 0)
            whole[round] = now() - begin;
    }

    double sum = 0, flop = 0;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        double time = median(layers[i].times, rounds);
        sum += time;
        flop += layers[i].flop;
        printf("%-12s %8.2f ms %7.1f GFLOP/s  %s, in the network %s\n", model->layers[i].name, 1e3 * time,
               1e-9 * layers[i].flop / time, rp_convolution_kernel(layers[i].convolution),
               rp_cpu_network_kernel(network, i));
    }
    double run = median(whole, rounds);
    printf("convolutions %8.2f ms %7.1f GFLOP/s\n", 1e3 * sum, 1e-9 * flop / sum);
    printf("network      %8.2f ms %7.1f GFLOP/s, %.3f times the convolutions\n", 1e3 * run, 1e-9 * flop / run,
           run / sum);
    printf("%u x %u, medians of %d rounds; created in %.1f ms; network memory %.1f MB; peak resident %.1f MB\n", width,
           height, rounds, 1e3 * created, (double)rp_cpu_network_bytes(network) / 1e6, peak);
    return 0;
}
