// stb's Radiance HDR reader and writer, as stb.c builds them.
#ifndef RP_IMAGE_STB_H
#define RP_IMAGE_STB_H

#define STBI_ONLY_HDR
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#endif
