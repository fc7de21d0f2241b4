// Image files: PFM, OpenEXR, Radiance HDR, PNG, through their libraries.
#ifndef RP_IMAGE_IMAGE_H
#define RP_IMAGE_IMAGE_H

#include "base/memory.h"

// Pixels as floats, [height, width, channels], top row first, channels 1 to 4 (1 Y, 2 YA, 3 RGB, 4 RGBA).
typedef struct rp_pixels {
    uint32_t width, height, channels;
    float *data;
} rp_pixels;

typedef enum rp_file_kind { RP_FILE_PFM, RP_FILE_EXR, RP_FILE_HDR, RP_FILE_PNG } rp_file_kind;

// One opened and fully read image file. Layers are what the file's channel names mean; a missing one has data NULL.
typedef struct rp_image_file {
    rp_allocator allocator;
    rp_file_kind kind;
    char *path;
    bool display_referred; // values are display-encoded (PNG), not linear
    uint32_t bits;         // per channel as stored: 8, 16, 32
    bool half;             // EXR: stored as half
    rp_pixels color, albedo, normal;
    char *color_layer;           // EXR: name of the layer that colour came from, "" for the unnamed one
    struct rp_exr_template *exr; // what an EXR written from this one keeps; NULL for other kinds
} rp_image_file;

typedef struct rp_image_limits {
    uint32_t max_width, max_height; // 0: 65536
    uint64_t max_pixels;            // 0: 1 << 30
} rp_image_limits;

// The kind is told by content, not by name. limits may be NULL. Errors: IO, BAD_IMAGE, UNSUPPORTED, TOO_LARGE,
// OUT_OF_MEMORY; messages begin with the path. On failure *file is empty.
rp_status rp_image_read(const char *path, const rp_image_limits *limits, const rp_allocator *allocator,
                        rp_image_file *file, rp_error *error);
// The same from memory; `name` stands for the path. The bytes are copied.
rp_status rp_image_read_memory(const void *bytes, size_t size, const char *name, const rp_image_limits *limits,
                               const rp_allocator *allocator, rp_image_file *file, rp_error *error);
void rp_image_file_free(rp_image_file *file);

typedef struct rp_image_write_desc {
    const rp_pixels *pixels;
    const rp_image_file *like; // the file that the pixels came from: bit depth, channel names, EXR metadata; or NULL
    uint32_t png_bits;         // 8 or 16; 0: like's, else 8
    bool encode_srgb;          // PNG: pixels are linear, encode them; clamped to [0, 1] either way
} rp_image_write_desc;

// Kind by the path's extension (.pfm .exr .hdr .png); complete or not at all. Errors: IO, UNSUPPORTED (an extension
// that is not known, a channel count that the kind does not hold), OUT_OF_MEMORY.
rp_status rp_image_write(const char *path, const rp_image_write_desc *desc, const rp_allocator *allocator,
                         rp_error *error);

// True when rp_image_write would know what to do with this path: for checking before the work is done.
bool rp_image_can_write(const char *path);

#endif
