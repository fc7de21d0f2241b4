// EXR files for tests, written through OpenEXRCore and apart from the writer under test.
#ifndef TESTS_IMAGE_MAKE_EXR_H
#define TESTS_IMAGE_MAKE_EXR_H

#include <OpenEXR/openexr.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct made_channel {
    const char *name;
    exr_pixel_type_t type;
    int sampling; // 0: 1
} made_channel;

typedef struct made_part {
    const char *name;
    const made_channel *channels; // sorted by name, as the format wants them
    int channel_count;
} made_part;

typedef struct made_exr {
    const made_part *parts;
    int part_count;
    int width, height;
    int x, y; // of the data window's first pixel
    int tile; // edge of a tile; 0: scanlines
    exr_compression_t compression;
    bool long_names; // names above 31 bytes
    bool deep;       // headers of deep parts, without any pixels
} made_exr;

// The value that channel `channel` of part `part` holds at a pixel: small integers, exact in half and uint too.
float made_value(int part, int channel, int x, int y);

// Writes the file, with an attribute of every type on each part ("owner" = "somebody" among them). False when the
// library refuses.
int make_exr(const char *path, const made_exr *exr);

#endif
