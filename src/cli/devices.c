// reprise devices: what programs can run on here.
#include "cli/cli.h"
#include "reprise/denoise.h"
#include "reprise/replay.h"

#include <stdio.h>

#define VERB "devices"

enum { OPTION_LIBRARY, OPTION_COUNT };

static const cli_option table[OPTION_COUNT] = {
    [OPTION_LIBRARY] = {"library", 0, "FILE",
                        "WebGPU library to load; default: $REPRISE_WEBGPU_LIBRARY,\n"
                        "then the usual names and places"},
};

static const char *kind_name(rp_adapter_kind kind)
{
    switch (kind) {
    case RP_ADAPTER_DISCRETE:
        return "discrete GPU";
    case RP_ADAPTER_INTEGRATED:
        return "integrated GPU";
    case RP_ADAPTER_CPU:
        return "software";
    default:
        return "unknown kind";
    }
}

static void print_features(const rp_gpu_info *info)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{RP_FEATURE_SHADER_F16, "shader-f16"},
                 {RP_FEATURE_SUBGROUPS, "subgroups"},
                 {RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX, "subgroup-matrix"},
                 {RP_FEATURE_WGPU_COOPERATIVE_MATRIX, "cooperative-matrix"}};
    printf("  features  ");
    bool any = info->timestamp_query;
    printf("%s", any ? "timestamp-query" : "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(info->features & names[i].bit))
            continue;
        printf("%s%s", any ? ", " : "", names[i].name);
        any = true;
    }
    if (info->subgroup_max_size)
        printf("; subgroups of %u to %u", info->subgroup_min_size, info->subgroup_max_size);
    puts(any ? "" : "none that matter here");
}

static void print_adapter(const rp_gpu_info *info)
{
    const rp_gpu_limits *limits = &info->limits;
    printf("%s\n", info->name);
    printf("  kind      %s, %s%s%s%s%s\n", kind_name(info->kind), info->backend, info->vendor[0] ? ", " : "",
           info->vendor, info->architecture[0] ? ", " : "", info->architecture);
    printf("  driver    %s\n", info->driver);
    print_features(info);
    printf("  limits    buffer %llu MiB, storage binding %llu MiB, workgroups %u a dimension\n",
           (unsigned long long)(limits->max_buffer_bytes >> 20),
           (unsigned long long)(limits->max_storage_binding_bytes >> 20), limits->max_workgroups_per_dimension);
    printf("            workgroup %u invocations (%u x %u x %u), %u bytes of storage, %u storage buffers\n",
           limits->max_invocations_per_workgroup, limits->max_workgroup_size_x, limits->max_workgroup_size_y,
           limits->max_workgroup_size_z, limits->max_workgroup_storage_bytes, limits->max_storage_buffers_per_stage);
}

static int list_devices(const char *library)
{
    rp_denoiser *denoiser = NULL;
    rp_error error;
    if (rp_denoiser_create(&(rp_denoiser_desc){.device = RP_DEVICE_CPU}, &denoiser, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    printf("%s\n", rp_denoiser_device(denoiser));
    rp_denoiser_destroy(&denoiser);

    rp_gpu_info *infos = NULL;
    uint32_t count = 0;
    rp_status status = rp_gpu_enumerate(&(rp_gpu_desc){.library = library}, &infos, &count, &error);
    if (status == RP_STATUS_NO_LIBRARY && !library) {
        printf("\nno WebGPU library: %s\n", error.message);
        return CLI_DONE;
    }
    if (status != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    if (count)
        printf("\nWebGPU library %s\n", infos[0].library);
    else
        printf("\na WebGPU library, but no adapter\n");
    for (uint32_t i = 0; i < count; i++) {
        putchar('\n');
        print_adapter(&infos[i]);
    }
    rp_free(NULL, infos);
    return CLI_DONE;
}

int cli_devices(int argc, char **argv, double process_begin)
{
    (void)process_begin;
    const char *library = NULL, *value;
    cli_parser parser = {.verb = VERB,
                         .synopsis = "[OPTION]...",
                         .about = "Lists what images can be denoised and programs replayed on: the CPU, and every "
                                  "adapter of the WebGPU\nlibrary that is found.",
                         .options = table,
                         .option_count = OPTION_COUNT,
                         .argc = argc,
                         .argv = argv};
    int index;
    while ((index = cli_next(&parser, &value)) != CLI_END) {
        if (index == CLI_HELP)
            return CLI_DONE;
        if (index == CLI_WRONG)
            return CLI_WRONG_USAGE;
        if (index == CLI_ARGUMENT)
            return cli_wrong(VERB, "'%s': this verb takes no files", value);
        library = value;
    }
    return list_devices(library);
}
