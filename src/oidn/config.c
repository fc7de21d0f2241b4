// Parsing configuration words (the format's origin: native/program.ts, createNativeExecutor).
#include "oidn/config.h"
#include "base/bytes.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

enum { MATRIX_CONFIG_WORDS = 5 };

// A word that may be 0 to `last`.
static uint32_t choice(rp_reader *reader, uint32_t last, const char *name, rp_status *status, rp_error *error)
{
    size_t offset = rp_reader_offset(reader);
    uint32_t value = rp_read_u32(reader);
    if (*status == RP_STATUS_OK && value > last)
        *status = rp_fail_at(error, RP_STATUS_BAD_VALUE, offset, "configuration: %s %u is above %u", name, value, last);
    return value;
}

static rp_status read_matrix_configs(rp_reader *reader, rp_arena *arena, rp_device_caps *caps, rp_error *error)
{
    size_t offset = rp_reader_offset(reader);
    uint32_t count = rp_read_u32(reader);
    if (count > rp_reader_left(reader) / (4 * MATRIX_CONFIG_WORDS))
        return rp_fail_at(error, RP_STATUS_BAD_COUNT, offset,
                          "configuration: %u matrix configurations do not fit the %zu bytes left", count,
                          rp_reader_left(reader));
    rp_matrix_config *configs = rp_arena_allocate(arena, count, sizeof *configs);
    if (!configs)
        return rp_fail_memory(error, count * sizeof *configs, "matrix configurations");
    rp_status status = RP_STATUS_OK;
    for (uint32_t i = 0; i < count; i++) {
        configs[i].component_f16 = choice(reader, 1, "component type", &status, error) == 1;
        configs[i].result_f16 = choice(reader, 1, "result type", &status, error) == 1;
        configs[i].m = rp_read_u32(reader);
        configs[i].n = rp_read_u32(reader);
        configs[i].k = rp_read_u32(reader);
    }
    caps->matrix_config_count = count;
    caps->matrix_configs = configs;
    return status;
}

static float read_scale(rp_reader *reader, rp_status *status, rp_error *error)
{
    size_t offset = rp_reader_offset(reader);
    uint32_t bits = rp_read_u32(reader);
    float scale;
    memcpy(&scale, &bits, 4);
    if (*status == RP_STATUS_OK && bits != 0 && !(scale > 0 && isfinite(scale)))
        *status = rp_fail_at(error, RP_STATUS_BAD_VALUE, offset,
                             "configuration: input scale %g is not finite and above 0", (double)scale);
    return bits ? scale : 0;
}

rp_status rp_config_parse(const void *config, size_t size, bool denoise, rp_arena *arena, rp_record_desc *desc,
                          rp_error *error)
{
    if (size % 4)
        return rp_fail(error, RP_STATUS_BAD_ALIGNMENT, "configuration: %zu bytes are no whole words", size);
    rp_reader reader = rp_reader_make(config, size);
    rp_status status = RP_STATUS_OK;
    uint32_t version = rp_read_u32(&reader);
    if (!reader.failed && version != 1)
        return rp_fail_at(error, RP_STATUS_BAD_VERSION, 0, "configuration: version %u, expected 1", version);
    desc->width = rp_read_u32(&reader);
    desc->height = rp_read_u32(&reader);
    desc->precision = (rp_precision)choice(&reader, RP_PRECISION_FP16, "precision", &status, error);
    desc->kernel = (rp_kernel)choice(&reader, RP_KERNEL_SETTING_SUBGROUP_MATRIX, "kernel", &status, error);
    rp_device_caps *caps = &desc->caps;
    caps->features = rp_read_u32(&reader); // bits that are not known are features that are not used
    caps->max_workgroup_storage_bytes = rp_read_u32(&reader);
    caps->max_invocations_per_workgroup = rp_read_u32(&reader);
    caps->max_workgroup_size_x = rp_read_u32(&reader);
    caps->max_workgroup_size_y = rp_read_u32(&reader);
    caps->max_workgroups_per_dimension = rp_read_u32(&reader);
    caps->subgroup_min_size = rp_read_u32(&reader);
    caps->subgroup_max_size = rp_read_u32(&reader);
    if (status == RP_STATUS_OK && !reader.failed)
        status = read_matrix_configs(&reader, arena, caps, error);
    if (status != RP_STATUS_OK)
        return status;
    desc->double_buffering = choice(&reader, 2, "double buffering", &status, error);
    desc->accumulate_f16 = choice(&reader, 1, "accumulation", &status, error) == 1;
    desc->sub_pixel_decoders_off = choice(&reader, 1, "sub-pixel decoders", &status, error) == 1;
    if (denoise) {
        desc->hdr = choice(&reader, 1, "hdr", &status, error) == 1;
        uint32_t transfer = choice(&reader, 1, "transfer", &status, error);
        desc->transfer = desc->hdr ? (rp_transfer)transfer : RP_TRANSFER_NONE;
        desc->max_tile_edge = rp_read_u32(&reader);
        desc->input_scale = read_scale(&reader, &status, error);
    }
    if (reader.failed)
        return rp_fail_at(error, RP_STATUS_TRUNCATED, size, "configuration: it ends after %zu words", size / 4);
    return status;
}
