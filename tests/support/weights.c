// Finding weight files for the tests.
#include "support/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const weight_files[WEIGHT_FILE_COUNT] = {
    "rt_alb",
    "rt_alb_large",
    "rt_hdr",
    "rt_hdr_alb",
    "rt_hdr_alb_nrm",
    "rt_hdr_alb_nrm_small",
    "rt_hdr_alb_small",
    "rt_hdr_calb_cnrm",
    "rt_hdr_calb_cnrm_large",
    "rt_hdr_calb_cnrm_small",
    "rt_hdr_small",
    "rt_ldr",
    "rt_ldr_alb",
    "rt_ldr_alb_nrm",
    "rt_ldr_alb_nrm_small",
    "rt_ldr_alb_small",
    "rt_ldr_calb_cnrm",
    "rt_ldr_calb_cnrm_small",
    "rt_ldr_small",
    "rt_nrm",
    "rt_nrm_large",
};

char *weights_path(const char *name)
{
    const char *folder = getenv("REPRISE_WEIGHTS");
    if (!folder || !*folder)
        folder = "build/weights";
    size_t size = strlen(folder) + strlen(name) + sizeof "/.tza";
    char *path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%s/%s.tza", folder, name);
    if (access(path, R_OK) == 0)
        return path;
    fprintf(stderr, "no weights at %s: set REPRISE_WEIGHTS\n", path);
    free(path);
    return NULL;
}
