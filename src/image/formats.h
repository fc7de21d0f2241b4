// The readers and writers behind image.h, one file a format.
#ifndef RP_IMAGE_FORMATS_H
#define RP_IMAGE_FORMATS_H

#include "image/image.h"

#include <stdio.h>

// What a reader works on. Limits are resolved (no zeros).
typedef struct rp_image_source {
    const uint8_t *bytes;
    size_t size;
    rp_image_limits limits;
    const rp_allocator *allocator;
} rp_image_source;

// They fill in pixels, bits, half, display_referred; messages do not name the file yet. On failure the caller frees
// *file.
rp_status rp_pfm_read(const rp_image_source *source, rp_image_file *file, rp_error *error);
rp_status rp_png_read(const rp_image_source *source, rp_image_file *file, rp_error *error);
rp_status rp_hdr_read(const rp_image_source *source, rp_image_file *file, rp_error *error);
// Takes *bytes over (sets it to NULL) when the file is to be kept as a template.
rp_status rp_exr_read(const rp_image_source *source, uint8_t **bytes, rp_image_file *file, rp_error *error);
void rp_exr_template_free(const rp_allocator *allocator, struct rp_exr_template *exr);

// They write to an open stream; a failed stream is found by the caller's commit.
rp_status rp_pfm_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error);
rp_status rp_png_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error);
rp_status rp_hdr_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error);
rp_status rp_exr_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error);

// Holds a size against the limits. Errors: BAD_IMAGE (no pixels), TOO_LARGE.
rp_status rp_image_check_size(const rp_image_source *source, uint32_t width, uint32_t height, rp_error *error);

// The same, then allocates width × height × channels floats. Errors: also OUT_OF_MEMORY.
rp_status rp_pixels_allocate(const rp_image_source *source, uint32_t width, uint32_t height, uint32_t channels,
                             rp_pixels *pixels, rp_error *error);

// The sRGB curve (IEC 61966-2-1), from linear to display values.
float rp_srgb_encode(float linear);

#endif
