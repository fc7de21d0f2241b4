// Intel's tensor archive (TZA): reading, with every offset and size checked. Format: docs/weights.md.
#ifndef RP_OIDN_TZA_H
#define RP_OIDN_TZA_H

#include "base/memory.h"

typedef enum rp_tensor_type { RP_TENSOR_FLOAT = 0, RP_TENSOR_HALF = 1 } rp_tensor_type;
typedef enum rp_tensor_layout { RP_LAYOUT_X = 0, RP_LAYOUT_OIHW = 1 } rp_tensor_layout;

typedef struct rp_tza_tensor {
    const char *name; // zero-terminated, in the archive's arena; printable ASCII without spaces
    rp_tensor_layout layout;
    rp_tensor_type type;
    uint32_t dimension_count; // 1 for x, 4 for oihw
    uint32_t dimensions[4];   // each 1 or more
    size_t element_count;
    const uint8_t *data; // element_count little-endian elements, any alignment; borrowed from the archive's bytes
} rp_tza_tensor;

typedef struct rp_tza {
    uint32_t version_major, version_minor;
    uint32_t tensor_count;
    rp_tza_tensor *tensors; // in file order
} rp_tza;

// Tables go into the arena; tensor data stay in `bytes`, which must live as long as the archive is used. `name` begins
// every message. Errors: TRUNCATED, BAD_MAGIC, BAD_VERSION, BAD_COUNT, BAD_VALUE, BAD_RANGE, BAD_TEXT, DUPLICATE (two
// tensors of one name), TOO_LARGE, OUT_OF_MEMORY; error->offset is that of the field at fault.
rp_status rp_tza_parse(const void *bytes, size_t size, const char *name, rp_arena *arena, rp_tza *archive,
                       rp_error *error);

const rp_tza_tensor *rp_tza_find(const rp_tza *archive, const char *name);

// Element `index` as a float (exact).
float rp_tza_value(const rp_tza_tensor *tensor, size_t index);

#endif
