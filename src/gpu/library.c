// Loading webgpu.h libraries with dlopen, and telling them apart by what they export.
#include "gpu/library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Feature numbers: see webgpu.h. Dawn's subgroup-matrix feature moves between builds, so that only the build whose
// number is known is asked for it.
static const rp_webgpu_profile dawn_april_2025 = {.name = "Dawn of April 2025",
                                                  .timestamp_query = 3,
                                                  .shader_f16 = 10,
                                                  .subgroups = 17,
                                                  .subgroup_matrix = 0x50038,
                                                  .compilation_info = true,
                                                  .dawn = true};
static const rp_webgpu_profile version_1 = {
    .name = "webgpu.h 1.0", .timestamp_query = 9, .shader_f16 = 11, .subgroups = 18, .compilation_info = true};

typedef struct symbol {
    const char *name;
    size_t offset; // in rp_webgpu
} symbol;

static const symbol symbols[] = {
#define SYMBOL(result, member, name, parameters) {"wgpu" #name, offsetof(rp_webgpu, member)},
    RP_WEBGPU_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

// NULL, or the name of a function that the library lacks.
static const char *resolve(void *handle, rp_webgpu *api)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address)
            return symbols[i].name;
        // A cast from void * to a function pointer is no ISO C; POSIX guarantees the representation.
        memcpy((char *)api + symbols[i].offset, &address, sizeof(address));
    }
    return NULL;
}

static bool exports(void *handle, const char *name)
{
    return dlsym(handle, name) != NULL;
}

// NULL, or why the library cannot be used (text of the caller's buffer).
static const char *load(const char *name, rp_library *library, char *reason, size_t reason_size)
{
    if (strlen(name) >= sizeof(library->path)) {
        snprintf(reason, reason_size, "'%.40s…' is %zu bytes long, the limit is %zu", name, strlen(name),
                 sizeof(library->path) - 1);
        return reason;
    }
    // Never closed again: Dawn and the drivers that it loads keep threads and exit handlers of their own, which must
    // not lose their code. Loading the same library again gives the same handle.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *text = dlerror();
        snprintf(reason, reason_size, "%s", text ? text : "cannot be loaded");
        return reason;
    }
    // wgpu-native aborts the process in functions that it exports but has not written; which these are changes with its
    // version. It is taken once it has been tried.
    if (exports(handle, "wgpuDevicePoll") && exports(handle, "wgpuGetVersion")) {
        snprintf(reason, reason_size, "'%s' is wgpu-native, which is not supported yet; take a build of Dawn", name);
        return reason;
    }
    const char *missing = resolve(handle, &library->api);
    if (missing) {
        snprintf(reason, reason_size, "'%s' lacks %s", name, missing);
        return reason;
    }
    if (exports(handle, "wgpuGetInstanceFeatures"))
        library->profile = version_1;
    else if (exports(handle, "wgpuGetInstanceCapabilities") && exports(handle, "wgpuDeviceTick"))
        library->profile = dawn_april_2025;
    else {
        snprintf(reason, reason_size, "'%s' is of a version of webgpu.h that is not known", name);
        return reason;
    }
    if (exports(handle, "wgpuDeviceTick"))
        library->profile.dawn = true;
    snprintf(library->path, sizeof(library->path), "%s", name);
    return NULL;
}

static rp_status load_named(const char *name, const char *source, rp_library *library, rp_error *error)
{
    char reason[400];
    if (!load(name, library, reason, sizeof(reason)))
        return RP_STATUS_OK;
    return rp_fail(error, RP_STATUS_NO_LIBRARY, "WebGPU library '%.100s' (%s): %s", name, source, reason);
}

// "directory of the running program" + relative; false when there is none.
static bool beside_program(const char *relative, char *path, size_t size)
{
    char program[200];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (length <= 0 || (size_t)length >= sizeof(program) - 1)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    int written = snprintf(path, size, "%s/%s", program, relative);
    return written > 0 && (size_t)written < size;
}

rp_status rp_library_load(const char *name, rp_library *library, rp_error *error)
{
    *library = (rp_library){0};
    if (name)
        return load_named(name, "as asked for", library, error);
    const char *variable = getenv("REPRISE_WEBGPU_LIBRARY");
    if (variable && *variable)
        return load_named(variable, "$REPRISE_WEBGPU_LIBRARY", library, error);

    char built[256], installed[256];
    const char *candidates[5];
    size_t count = 0;
    if (beside_program("webgpu/libwebgpu_wrapper.so", built, sizeof(built)) && access(built, F_OK) == 0)
        candidates[count++] = built;
    if (beside_program("../lib/reprise/libwebgpu_wrapper.so", installed, sizeof(installed)) &&
        access(installed, F_OK) == 0)
        candidates[count++] = installed;
#ifdef REPRISE_WEBGPU_DIR
    if (access(REPRISE_WEBGPU_DIR "/libwebgpu_wrapper.so", F_OK) == 0)
        candidates[count++] = REPRISE_WEBGPU_DIR "/libwebgpu_wrapper.so";
#endif
    candidates[count++] = "libwebgpu_dawn.so";
    candidates[count++] = "libwebgpu_wrapper.so";
    // The first reason is the one to tell: it is that of the file that was expected to do.
    char reason[400] = "", other[400];
    for (size_t i = 0; i < count; i++)
        if (!load(candidates[i], library, *reason ? other : reason, sizeof(reason)))
            return RP_STATUS_OK;
    return rp_fail(error, RP_STATUS_NO_LIBRARY,
                   "no WebGPU library: %s; name one with $REPRISE_WEBGPU_LIBRARY or an option", reason);
}
