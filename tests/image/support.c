// A folder for files, and reading, writing and comparing that fail the test with a message.
#include "tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char folder[40];
static char path_text[8][200];

const char *path_of(int slot, const char *extension)
{
    snprintf(path_text[slot], sizeof path_text[slot], "%s/%d%s", folder, slot, extension);
    return path_text[slot];
}

int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/reprise-image-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

void read_well(const char *path, rp_image_file *file)
{
    rp_error error;
    if (rp_image_read(path, NULL, NULL, file, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

void write_well(const char *path, const rp_image_write_desc *desc)
{
    rp_error error;
    if (rp_image_write(path, desc, NULL, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

void compare(const rp_pixels *a, const rp_pixels *b, double bound)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->channels, b->channels);
    for (size_t i = 0; i < (size_t)a->width * a->height * a->channels; i++)
        if (!(fabs((double)a->data[i] - (double)b->data[i]) <= bound))
            fail_msg("value %zu: %.9g and %.9g", i, (double)a->data[i], (double)b->data[i]);
}
