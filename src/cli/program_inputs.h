// The images that a program takes, from files.
#ifndef RP_CLI_PROGRAM_INPUTS_H
#define RP_CLI_PROGRAM_INPUTS_H

#include "image/image.h"
#include "reprise/program.h"

#define CLI_MAX_INPUTS 3

typedef struct cli_program_inputs {
    bool network_space; // the program is a bare network: values are taken as they are
    rp_image_file files[CLI_MAX_INPUTS];
    rp_pixels images[CLI_MAX_INPUTS]; // RGBA of the program's size
} cli_program_inputs;

// `arguments` are NAME=FILE: color, albedo, normal, the last part of an input buffer's label, or its number. Every
// input must be given once. Returns an exit code after having said what is wrong; free in any case.
int cli_read_program_inputs(const char *path, const rp_program *program, const char *const *arguments, uint32_t count,
                            cli_program_inputs *inputs);
void cli_free_program_inputs(cli_program_inputs *inputs);

// Leaves the first `channels` (1 to 4) of every pixel.
void cli_keep_channels(rp_pixels *pixels, uint32_t channels);

#endif
