// Which weight file a denoising needs, and where it is.
#ifndef RP_DENOISE_WEIGHTS_H
#define RP_DENOISE_WEIGHTS_H

#include "base/memory.h"
#include "reprise/denoise.h"

// Checks that the images and flags of *desc go together, by the rules of Intel's library (docs/denoising.md), and gives
// the name of the weight file, "rt_hdr_alb_nrm.tza". Errors: INVALID_ARGUMENT.
#define RP_WEIGHTS_NAME_BYTES 64
rp_status rp_weights_choose(const rp_denoise_desc *desc, char name[RP_WEIGHTS_NAME_BYTES], rp_error *error);

// Finds the file: in `directory`, when given; else in $REPRISE_WEIGHTS, when set; else in the installed share folder,
// else in the build's. *path is the caller's, to free with rp_free. Errors: IO (naming every place looked at),
// OUT_OF_MEMORY.
rp_status rp_weights_find(const char *directory, const char *name, const rp_allocator *allocator, char **path,
                          rp_error *error);

#endif
