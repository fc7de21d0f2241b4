// How far two renders are from a converged one, and both as PNG. The distance is the peak signal-to-noise ratio of what
// a screen shows: values are cut to [0, 1] and encoded with sRGB; PSNR = -10 log10(mean of the squared differences).
#include "image/image.h"

#include <math.h>
#include <stdio.h>

static double shown(float linear)
{
    double value = linear > 0.0f ? linear : 0.0; // NaN becomes 0
    if (value > 1.0)
        value = 1.0;
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1.0 / 2.4) - 0.055;
}

static bool read_color(const char *path, rp_image_file *file)
{
    rp_error error;
    if (rp_image_read(path, NULL, NULL, file, &error) != RP_STATUS_OK) {
        fprintf(stderr, "sample_report: %s\n", error.message);
        return false;
    }
    if (!file->color.data || file->color.channels < 3) {
        fprintf(stderr, "sample_report: %s: no colour of three channels in it\n", path);
        return false;
    }
    return true;
}

static bool same_size(const rp_image_file *a, const rp_image_file *b)
{
    if (a->color.width == b->color.width && a->color.height == b->color.height)
        return true;
    fprintf(stderr, "sample_report: %s is %ux%u, %s is %ux%u\n", a->path, a->color.width, a->color.height, b->path,
            b->color.width, b->color.height);
    return false;
}

static double measure(const rp_pixels *image, const rp_pixels *reference)
{
    size_t pixels = (size_t)image->width * image->height;
    double sum = 0.0;
    for (size_t i = 0; i < pixels; i++) {
        for (size_t c = 0; c < 3; c++) {
            double difference =
                shown(image->data[i * image->channels + c]) - shown(reference->data[i * reference->channels + c]);
            sum += difference * difference;
        }
    }
    return -10.0 * log10(sum / (3.0 * (double)pixels));
}

static bool write_picture(const char *path, const rp_pixels *pixels)
{
    rp_error error;
    rp_image_write_desc desc = {.pixels = pixels, .png_bits = 8, .encode_srgb = true};
    if (rp_image_write(path, &desc, NULL, &error) == RP_STATUS_OK)
        return true;
    fprintf(stderr, "sample_report: %s\n", error.message);
    return false;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "Usage: sample_report NOISY CLEAN REFERENCE BEFORE.png AFTER.png\n");
        return 2;
    }
    rp_image_file noisy = {0}, clean = {0}, reference = {0};
    bool good = read_color(argv[1], &noisy) && read_color(argv[2], &clean) && read_color(argv[3], &reference) &&
                same_size(&noisy, &reference) && same_size(&clean, &reference) &&
                write_picture(argv[4], &noisy.color) && write_picture(argv[5], &clean.color);
    if (good)
        printf("PSNR against %s, of sRGB values in [0, 1]:\n  before %6.2f dB  %s\n  after  %6.2f dB  %s\n", argv[3],
               measure(&noisy.color, &reference.color), argv[4], measure(&clean.color, &reference.color), argv[5]);
    rp_image_file_free(&noisy);
    rp_image_file_free(&clean);
    rp_image_file_free(&reference);
    return good ? 0 : 1;
}
