// Any bytes as an image file of any kind; what is read is written as every kind, like its source.
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argument_count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUTPUTS = 4 };
static const char *const extensions[OUTPUTS] = {"exr", "png", "hdr", "pfm"};
static char folder[] = "/tmp/reprise-fuzz-XXXXXX";
static char outputs[OUTPUTS][sizeof folder + 8];

static void remove_outputs(void)
{
    for (int i = 0; i < OUTPUTS; i++)
        unlink(outputs[i]);
    rmdir(folder);
}

// The names that results get lead to the null device: the kind comes from the name, and no disk is waited for.
int LLVMFuzzerInitialize(int *argument_count, char ***arguments)
{
    (void)argument_count;
    (void)arguments;
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < OUTPUTS; i++) {
        snprintf(outputs[i], sizeof outputs[i], "%s/0.%s", folder, extensions[i]);
        if (symlink("/dev/null", outputs[i]) != 0)
            abort();
    }
    return atexit(remove_outputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rp_image_limits limits = {.max_width = 512, .max_height = 512, .max_pixels = 65536};
    rp_image_file file;
    if (rp_image_read_memory(data, size, "fuzz", &limits, NULL, &file, NULL) != RP_STATUS_OK) {
        if (file.color.data || file.albedo.data || file.normal.data || file.path)
            abort(); // on failure the file is empty
        return 0;
    }
    const rp_pixels *pixels = file.color.data ? &file.color : file.albedo.data ? &file.albedo : &file.normal;
    rp_image_write_desc desc = {.pixels = pixels, .like = &file};
    for (int i = 0; i < OUTPUTS; i++)
        (void)rp_image_write(outputs[i], &desc, NULL, NULL);
    rp_image_file_free(&file);
    return 0;
}
