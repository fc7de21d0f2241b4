// Program inputs by name, from image files, as RGBA floats of exactly the program's size.
#include "cli/program_inputs.h"

#include "cli/cli.h"
#include "cli/pictures.h"

#include <stdio.h>
#include <string.h>

static const char *const layer_names[CLI_MAX_INPUTS] = {"color", "albedo", "normal"};

// The last part of an input's label: "oidn/external/albedo" gives "albedo".
static void input_name(const rp_program *program, uint32_t input, char *name, size_t size)
{
    rp_text label = program->buffers[program->inputs[input]].label;
    const char *begin = label.data;
    for (uint32_t i = 0; i < label.size; i++)
        if (label.data[i] == '/')
            begin = label.data + i + 1;
    snprintf(name, size, "%.*s", (int)(label.data + label.size - begin), begin);
}

static uint32_t find_input(const rp_program *program, const char *name, size_t length)
{
    for (uint32_t i = 0; i < program->input_count && i < CLI_MAX_INPUTS; i++) {
        char label[64], number[12];
        input_name(program, i, label, sizeof label);
        snprintf(number, sizeof number, "%u", i);
        const char *names[] = {label, number};
        for (size_t k = 0; k < 2; k++)
            if (strlen(names[k]) == length && strncmp(names[k], name, length) == 0)
                return i;
    }
    // A bare network's inputs are numbered; the usual names stand for their order, where there are as many.
    for (uint32_t i = 0; i < program->input_count && i < CLI_MAX_INPUTS; i++)
        if (strlen(layer_names[i]) == length && strncmp(layer_names[i], name, length) == 0)
            return i;
    return RP_NO_ID;
}

static void to_rgba(const rp_pixels *from, rp_pixels *to)
{
    size_t count = (size_t)from->width * from->height;
    bool grey = from->channels < 3, alpha = from->channels % 2 == 0;
    for (size_t i = 0; i < count; i++) {
        const float *source = from->data + i * from->channels;
        float *target = to->data + i * 4;
        for (size_t channel = 0; channel < 3; channel++)
            target[channel] = source[grey ? 0 : channel];
        target[3] = alpha ? source[from->channels - 1] : 1.0f;
    }
}

static int read_input(const rp_program *program, uint32_t input, const char *path, cli_program_inputs *inputs)
{
    rp_error error;
    rp_image_file *file = &inputs->files[input];
    if (rp_image_read(path, NULL, NULL, file, &error) != RP_STATUS_OK)
        return cli_fail("%s", error.message);
    char name[64];
    input_name(program, input, name, sizeof name);
    cli_layer layer = strcmp(name, "albedo") == 0 ? CLI_ALBEDO : strcmp(name, "normal") == 0 ? CLI_NORMAL : CLI_COLOR;
    const rp_pixels *pixels =
        inputs->network_space && file->color.data ? &file->color : cli_pick_layer(file, layer, input > 0);
    if (!pixels || !cli_same_size(path, pixels, program->output_width, program->output_height, "the program"))
        return CLI_FAILED;
    inputs->images[input] = (rp_pixels){.width = pixels->width,
                                        .height = pixels->height,
                                        .channels = 4,
                                        .data = rp_allocate(NULL, (size_t)pixels->width * pixels->height, 16)};
    if (!inputs->images[input].data)
        return cli_fail("%s: no memory for the image", path);
    to_rgba(pixels, &inputs->images[input]);
    return CLI_DONE;
}

static int check_program(const char *path, const rp_program *program)
{
    uint64_t bytes = (uint64_t)program->output_width * program->output_height * 16;
    if (program->input_count == 0 || program->input_count > CLI_MAX_INPUTS)
        return cli_fail("%s: %u inputs; images are replayed with 1 to %d", path, program->input_count, CLI_MAX_INPUTS);
    for (uint32_t i = 0; i <= program->input_count; i++) {
        uint32_t buffer = i < program->input_count ? program->inputs[i] : program->output;
        if (program->buffers[buffer].size_bytes != bytes)
            return cli_fail("%s: buffer %u has %u bytes, not the %llu of an RGBA float image of %ux%u", path, buffer,
                            program->buffers[buffer].size_bytes, (unsigned long long)bytes, program->output_width,
                            program->output_height);
    }
    return CLI_DONE;
}

int cli_read_program_inputs(const char *path, const rp_program *program, const char *const *arguments, uint32_t count,
                            cli_program_inputs *inputs)
{
    int code = check_program(path, program);
    if (code != CLI_DONE)
        return code;
    inputs->network_space = program->meta.present && program->meta.tile_count == 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *equals = strchr(arguments[i], '=');
        size_t length = (size_t)(equals - arguments[i]);
        uint32_t input = find_input(program, arguments[i], length);
        if (input == RP_NO_ID || inputs->images[input].data)
            return cli_wrong("replay", "--input %s: %s", arguments[i],
                             input == RP_NO_ID ? "the program has no such input" : "given twice");
        code = read_input(program, input, equals + 1, inputs);
        if (code != CLI_DONE)
            return code;
    }
    for (uint32_t i = 0; i < program->input_count; i++) {
        char name[64];
        input_name(program, i, name, sizeof name);
        if (!inputs->images[i].data)
            return cli_wrong("replay", "%s needs --input %s=FILE", path, name);
    }
    return CLI_DONE;
}

void cli_free_program_inputs(cli_program_inputs *inputs)
{
    for (size_t i = 0; i < CLI_MAX_INPUTS; i++) {
        rp_image_file_free(&inputs->files[i]);
        rp_free(NULL, inputs->images[i].data);
    }
}

void cli_keep_channels(rp_pixels *pixels, uint32_t channels)
{
    size_t count = (size_t)pixels->width * pixels->height;
    for (size_t i = 0; i < count; i++)
        memmove(pixels->data + i * channels, pixels->data + i * pixels->channels, channels * sizeof(float));
    pixels->channels = channels;
}
