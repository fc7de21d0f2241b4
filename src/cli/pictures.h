// Image files as the verbs need them: picking layers, and fitting a result to the kind of file that is written.
#ifndef RP_CLI_PICTURES_H
#define RP_CLI_PICTURES_H

#include "image/image.h"

typedef enum cli_layer { CLI_COLOR, CLI_ALBEDO, CLI_NORMAL } cli_layer;

// The layer of a file: the one of that name; for albedo and normal, else the file's colour. Values are made what the
// denoiser expects: of display-referred files (PNG), normals are stretched to [-1, 1], and an albedo that goes along
// with a colour image (`linear`) is decoded. NULL after having said that the file has nothing to offer.
const rp_pixels *cli_pick_layer(rp_image_file *file, cli_layer layer, bool linear);

// Decodes display-referred colours (sRGB) to linear ones.
void cli_decode(rp_pixels *pixels);

// Says both sizes and returns false when they differ.
bool cli_same_size(const char *path, const rp_pixels *pixels, uint32_t width, uint32_t height, const char *of);

typedef struct cli_result {
    rp_pixels *pixels;         // changed in place as the kind of file needs
    const rp_image_file *like; // or NULL
    cli_layer layer;           // what the pixels are
    bool display_referred;     // the pixels are encoded already
    uint32_t png_bits;
} cli_result;

// Writes a result: what a PNG shows is display-referred, what the other kinds hold is linear when it came from a PNG;
// normals are put into a PNG as n × 0.5 + 0.5; alpha is left out where the kind has none, with a note unless quiet.
rp_status cli_write_result(const char *path, const cli_result *result, bool quiet, rp_error *error);

#endif
