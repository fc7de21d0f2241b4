// Configuration words: the packet functions' way to say what to record. Format: docs/format.md.
#ifndef RP_OIDN_CONFIG_H
#define RP_OIDN_CONFIG_H

#include "base/memory.h"
#include "reprise/oidn.h"

// Reads `size` bytes of words into *desc (allocator untouched); matrix configurations go into the arena. `denoise` says
// whether the four words of a denoising follow. Words behind the last are ignored. Errors: TRUNCATED, BAD_VERSION,
// BAD_VALUE, BAD_COUNT, BAD_ALIGNMENT (a size that is no multiple of 4), OUT_OF_MEMORY.
rp_status rp_config_parse(const void *config, size_t size, bool denoise, rp_arena *arena, rp_record_desc *desc,
                          rp_error *error);

#endif
