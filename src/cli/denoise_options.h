// The options of reprise denoise.
#ifndef RP_CLI_DENOISE_OPTIONS_H
#define RP_CLI_DENOISE_OPTIONS_H

#include "reprise/denoise.h"

typedef struct denoise_options {
    bool help; // was printed; there is nothing to do
    const char *input, *output, *albedo, *normal, *weights, *library;
    bool hdr, ldr, srgb, clean_aux, no_aux, quiet, report;
    int quality, device, edge, precision, kernel; // their enums' values
    uint32_t tile, threads, png_bits;
    float input_scale;
} denoise_options;

// Checks what can be checked without reading a file. Returns an exit code, after having said what is wrong.
int denoise_parse(int argc, char **argv, denoise_options *options);

#endif
