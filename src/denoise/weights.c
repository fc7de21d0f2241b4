// The table of weight files by inputs, range, quality and cleanliness, and the folders they are looked for in.
#include "denoise/weights.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef REPRISE_SHARE_DIR
#define REPRISE_SHARE_DIR "/usr/local/share/reprise"
#endif
#ifndef REPRISE_BUILD_DIR
#define REPRISE_BUILD_DIR "build"
#endif

// Combinations that no trained network serves.
static rp_status check_inputs(const rp_denoise_desc *desc, rp_error *error)
{
    bool color = desc->color.data, albedo = desc->albedo.data, normal = desc->normal.data;
    const char *fault = NULL;
    if (!color && !albedo && !normal)
        fault = "there is no image: color, albedo or normal must have data";
    else if (!color && albedo && normal)
        fault = "albedo and normal without color: denoise each by itself";
    else if (color && normal && !albedo)
        fault = "normal without albedo: color goes with albedo, or with both";
    else if (desc->hdr && desc->srgb)
        fault = "hdr and srgb are both set: an HDR image is linear";
    else if (!color && albedo && desc->hdr)
        fault = "hdr with albedo alone: albedo is in [0, 1]";
    else if (!color && normal && desc->hdr)
        fault = "hdr with normal alone: normals are in [-1, 1]";
    else if (!color && normal && desc->srgb)
        fault = "srgb with normal alone: normals are linear";
    else if (desc->clean_aux && !(color && albedo && normal))
        fault = "clean_aux without color, albedo and normal";
    if (fault)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%s", fault);
    return RP_STATUS_OK;
}

rp_status rp_weights_choose(const rp_denoise_desc *desc, char name[RP_WEIGHTS_NAME_BYTES], rp_error *error)
{
    rp_status status = check_inputs(desc, error);
    if (status != RP_STATUS_OK)
        return status;
    if (desc->quality != RP_QUALITY_HIGH && desc->quality != RP_QUALITY_BALANCED && desc->quality != RP_QUALITY_FAST)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT,
                       "quality is %d; it must be high (0), balanced (1) or fast (2)", (int)desc->quality);
    const char *base, *auxiliary = "";
    bool has_large = false, has_small = false;
    if (desc->color.data) {
        base = desc->hdr ? "rt_hdr" : "rt_ldr";
        has_small = true;
        if (desc->clean_aux) {
            auxiliary = "_calb_cnrm";
            has_large = desc->hdr;
        } else if (desc->normal.data) {
            auxiliary = "_alb_nrm";
        } else if (desc->albedo.data) {
            auxiliary = "_alb";
        }
    } else {
        base = desc->albedo.data ? "rt_alb" : "rt_nrm";
        has_large = true;
    }
    const char *size = "";
    if (desc->quality == RP_QUALITY_HIGH && has_large)
        size = "_large";
    else if (desc->quality == RP_QUALITY_FAST && has_small)
        size = "_small";
    snprintf(name, RP_WEIGHTS_NAME_BYTES, "%s%s%s.tza", base, auxiliary, size);
    return RP_STATUS_OK;
}

static char *join_path(const rp_allocator *allocator, const char *directory, const char *name)
{
    size_t size = strlen(directory) + 1 + strlen(name) + 1;
    char *path = rp_allocate(allocator, size, 1);
    if (path)
        snprintf(path, size, "%s/%s", directory, name);
    return path;
}

rp_status rp_weights_find(const char *directory, const char *name, const rp_allocator *allocator, char **path,
                          rp_error *error)
{
    const char *environment = getenv("REPRISE_WEIGHTS");
    const char *places[2] = {REPRISE_SHARE_DIR "/weights", REPRISE_BUILD_DIR "/weights"};
    size_t place_count = 2;
    *path = NULL;
    if (directory || (environment && *environment)) {
        places[0] = directory ? directory : environment;
        place_count = 1;
    }
    for (size_t i = 0; i < place_count; i++) {
        char *candidate = join_path(allocator, places[i], name);
        if (!candidate)
            return rp_fail_memory(error, strlen(places[i]) + strlen(name) + 2, "a weight file's path");
        if (access(candidate, R_OK) == 0) {
            *path = candidate;
            return RP_STATUS_OK;
        }
        rp_free(allocator, candidate);
    }
    if (place_count == 1)
        return rp_fail(error, RP_STATUS_IO, "no readable weight file %s in %s", name, places[0]);
    return rp_fail(error, RP_STATUS_IO, "no readable weight file %s in %s or %s; $REPRISE_WEIGHTS can name its folder",
                   name, places[0], places[1]);
}
