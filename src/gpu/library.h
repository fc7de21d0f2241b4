// Finding and loading a webgpu.h shared library, and what is particular to it.
#ifndef RP_GPU_LIBRARY_H
#define RP_GPU_LIBRARY_H

#include "base/memory.h"
#include "gpu/webgpu.h"

// The numbers and habits in which implementations differ. A feature of 0 is unknown there and never asked for.
typedef struct rp_webgpu_profile {
    const char *name;
    uint32_t timestamp_query, shader_f16, subgroups, subgroup_matrix;
    bool compilation_info; // wgpuShaderModuleGetCompilationInfo may be called
    bool dawn;             // takes Dawn's toggles
} rp_webgpu_profile;

typedef struct rp_library {
    rp_webgpu api;
    rp_webgpu_profile profile;
    char path[256]; // as it was given to the loader
    // How long a request or submitted work may stay unanswered; 0: the limits of gpu.h. Only tests set them.
    double answer_seconds, work_seconds;
} rp_library;

// Loads `name` (a path or soname) or, when it is NULL, what $REPRISE_WEBGPU_LIBRARY names, or else the first usable one
// of the usual places. A library stays loaded until the process ends. Errors: NO_LIBRARY, which says what was tried.
rp_status rp_library_load(const char *name, rp_library *library, rp_error *error);

#endif
