// What the test files of this folder share.
#ifndef TESTS_IMAGE_TESTS_H
#define TESTS_IMAGE_TESTS_H

#include "image/image.h"

int run_exr_tests(void);

// Group fixtures: a folder for the files that tests write.
int make_folder(void **state);
int remove_folder(void **state);
// A path in it; the text stays until the slot (0 to 7) is asked for again.
const char *path_of(int slot, const char *extension);

// They fail the test with the library's message.
void read_well(const char *path, rp_image_file *file);
void write_well(const char *path, const rp_image_write_desc *desc);

// Same shape, and no value further apart than bound.
void compare(const rp_pixels *a, const rp_pixels *b, double bound);

#endif
