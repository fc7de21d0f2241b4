// Layers in, results out: the conversions between what image files hold and what the denoiser takes.
#include "cli/pictures.h"

#include "cli/cli.h"
#include "oidn/transfer.h"

#include <string.h>
#include <strings.h>

static size_t color_channels(const rp_pixels *pixels)
{
    return pixels->channels < 3 ? 1 : 3;
}

static size_t pixel_count(const rp_pixels *pixels)
{
    return (size_t)pixels->width * pixels->height;
}

// Applies value × scale + offset, or the decoding of sRGB when scale is 0, to every channel but alpha.
static void map_colors(rp_pixels *pixels, float scale, float offset)
{
    size_t count = pixel_count(pixels), colors = color_channels(pixels);
    for (size_t i = 0; i < count; i++) {
        float *pixel = pixels->data + i * pixels->channels;
        for (size_t channel = 0; channel < colors; channel++)
            pixel[channel] =
                scale != 0.0f ? pixel[channel] * scale + offset : rp_transfer_inverse(RP_TRANSFER_SRGB, pixel[channel]);
    }
}

void cli_decode(rp_pixels *pixels)
{
    map_colors(pixels, 0.0f, 0.0f);
}

const rp_pixels *cli_pick_layer(rp_image_file *file, cli_layer layer, bool linear)
{
    rp_pixels *pixels = layer == CLI_ALBEDO ? &file->albedo : layer == CLI_NORMAL ? &file->normal : &file->color;
    static const char *const names[] = {"colour", "albedo", "normal"};
    if (!pixels->data && layer != CLI_COLOR)
        pixels = &file->color;
    if (!pixels->data) {
        cli_fail("%s: no %s image in this file", file->path, names[layer]);
        return NULL;
    }
    if (layer == CLI_NORMAL && pixels->channels < 3) {
        cli_fail("%s: a normal image has three channels, this one has %u", file->path, pixels->channels);
        return NULL;
    }
    if (file->display_referred && layer == CLI_NORMAL)
        map_colors(pixels, 2.0f, -1.0f);
    else if (file->display_referred && layer == CLI_ALBEDO && linear)
        cli_decode(pixels);
    return pixels;
}

bool cli_same_size(const char *path, const rp_pixels *pixels, uint32_t width, uint32_t height, const char *of)
{
    if (pixels->width == width && pixels->height == height)
        return true;
    cli_fail("%s: the image is %ux%u, %s is %ux%u", path, pixels->width, pixels->height, of, width, height);
    return false;
}

static bool has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), tail = strlen(extension);
    return length >= tail && strcasecmp(path + length - tail, extension) == 0;
}

static void drop_alpha(rp_pixels *pixels)
{
    size_t count = pixel_count(pixels), colors = color_channels(pixels);
    for (size_t i = 0; i < count; i++)
        memmove(pixels->data + i * colors, pixels->data + i * pixels->channels, colors * sizeof(float));
    pixels->channels = (uint32_t)colors;
}

rp_status cli_write_result(const char *path, const cli_result *result, bool quiet, rp_error *error)
{
    rp_pixels *pixels = result->pixels;
    bool png = has_extension(path, ".png");
    if (png && result->layer == CLI_NORMAL)
        map_colors(pixels, 0.5f, 0.5f);
    else if (!png && result->display_referred && result->like && result->like->display_referred)
        cli_decode(pixels);
    if ((has_extension(path, ".pfm") || has_extension(path, ".hdr")) && pixels->channels % 2 == 0) {
        drop_alpha(pixels);
        if (!quiet)
            cli_note("%s: this kind of file holds no alpha, which is left out", path);
    }
    rp_image_write_desc desc = {.pixels = pixels,
                                .like = result->like,
                                .png_bits = result->png_bits,
                                .encode_srgb = png && !result->display_referred && result->layer != CLI_NORMAL};
    return rp_image_write(path, &desc, NULL, error);
}
