// Any bytes as an image file of any kind; what is read is written as EXR and PNG like its source.
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rp_image_limits limits = {.max_width = 512, .max_height = 512, .max_pixels = 65536};
    rp_image_file file;
    if (rp_image_read_memory(data, size, "fuzz", &limits, NULL, &file, NULL) != RP_STATUS_OK)
        return 0;
    rp_image_write_desc desc = {.pixels = file.color.data ? &file.color : &file.albedo, .like = &file};
    if (desc.pixels->data) {
        (void)rp_image_write("/tmp/reprise-fuzz.exr", &desc, NULL, NULL);
        (void)rp_image_write("/tmp/reprise-fuzz.png", &desc, NULL, NULL);
    }
    rp_image_file_free(&file);
    return 0;
}
