// Writing images as PFM or OpenEXR. A file appears complete under its name, or not at all.
#ifndef PATHTRACER_IMAGE_FILE_H
#define PATHTRACER_IMAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum image_format { IMAGE_FORMAT_UNKNOWN, IMAGE_FORMAT_PFM, IMAGE_FORMAT_EXR } image_format;

typedef enum image_kind { IMAGE_COLOR, IMAGE_NORMAL } image_kind; // names the channels: R G B, or X Y Z

typedef struct image_layer {
    const char *name; // NULL: the main layer, whose channels have no prefix
    image_kind kind;
    const float *pixels; // width × height × 3, top row first
} image_layer;

enum { MAX_LAYERS = 4 };

typedef struct image_file {
    const char *path, *comment; // comment: one line about the image; EXR only, may be NULL
    uint32_t width, height;
    image_layer layers[MAX_LAYERS];
    uint32_t layer_count; // PFM: exactly 1
    char *temporary;      // owned; what image_file_prepare wrote
} image_file;

// By the file name's ending.
image_format image_file_format(const char *path);
// Whether the folder that a file would be written to can be written to; says why not on standard error.
bool image_file_may_write(const char *path);
// Writes all bytes to a temporary file beside the path. False, with a message on standard error and nothing left
// behind, when that fails.
bool image_file_prepare(image_file *file);
// Gives a prepared file its name. False, with a message, when that fails.
bool image_file_commit(image_file *file);
// Removes what is prepared and not committed; does nothing otherwise.
void image_file_discard(image_file *file);

#endif
