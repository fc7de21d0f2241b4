// PFM images for tests: three channels, little-endian, as the reference data are.
#ifndef SUPPORT_PFM_H
#define SUPPORT_PFM_H

#include <stdint.h>

// The pixels, [height, width, 3], top row first, for free(); NULL when there is no such file or it is no such image.
float *pfm_read(const char *path, uint32_t *width, uint32_t *height);

#endif
