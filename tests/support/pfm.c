// Reading a colour PFM: "PF", width, height, a negative scale (little-endian), then rows from the bottom up.
#include "support/pfm.h"

#include <stdio.h>
#include <stdlib.h>

float *pfm_read(const char *path, uint32_t *width, uint32_t *height)
{
    FILE *file = fopen(path, "rb");
    float *pixels = NULL;
    float scale;
    if (!file)
        return NULL;
    if (fscanf(file, "PF %u %u %f", width, height, &scale) != 3 || scale >= 0 || fgetc(file) != '\n' || *width == 0 ||
        *height == 0 || *width > 1 << 14 || *height > 1 << 14)
        goto done;
    size_t row = (size_t)*width * 3;
    pixels = malloc(row * *height * sizeof *pixels);
    for (uint32_t y = *height; y-- > 0 && pixels;)
        if (fread(pixels + y * row, sizeof *pixels, row, file) != row) {
            free(pixels);
            pixels = NULL;
        }
done:
    fclose(file);
    return pixels;
}
