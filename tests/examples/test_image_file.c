// The example's image files: what was written is read back with OpenEXRCore, or byte by byte.
#include "image_file.h"

#include "examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openexr.h>

// More rows than the 16 of one ZIP chunk, and not a multiple of them.
enum { WIDTH = 5, HEIGHT = 37, VALUES = WIDTH * HEIGHT * 3 };

typedef struct fixture {
    char folder[64], path[96];
    float layers[3][VALUES];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->folder, "/tmp/reprise_examples_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    for (size_t layer = 0; layer < 3; layer++)
        for (size_t i = 0; i < VALUES; i++)
            f->layers[layer][i] = (float)layer * 1000 + (float)i * 0.37f - 20;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    unlink(f->path);
    int left = rmdir(f->folder); // fails when a temporary file was left
    free(f);
    return left;
}

static image_file make_file(fixture *f, const char *name)
{
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    return (image_file){.path = f->path,
                        .width = WIDTH,
                        .height = HEIGHT,
                        .layers = {{NULL, IMAGE_COLOR, f->layers[0]}},
                        .layer_count = 1};
}

static void pfm_has_its_rows_from_the_bottom(void **state)
{
    fixture *f = *state;
    image_file file = make_file(f, "image.pfm");
    assert_true(image_file_prepare(&file));
    assert_int_equal(access(f->path, F_OK), -1);
    assert_true(image_file_commit(&file));
    FILE *stream = fopen(f->path, "rb");
    assert_non_null(stream);
    unsigned char bytes[32 + VALUES * 4];
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    const char header[] = "PF\n5 37\n-1.0\n";
    assert_int_equal(size, strlen(header) + VALUES * 4);
    assert_memory_equal(bytes, header, strlen(header));
    for (size_t i = 0; i < VALUES; i++) {
        const unsigned char *b = bytes + strlen(header) + i * 4;
        uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        size_t row = HEIGHT - 1 - i / (WIDTH * 3);
        assert_memory_equal(&bits, &f->layers[0][row * WIDTH * 3 + i % (WIDTH * 3)], 4);
    }
}

static const float *expected_pixel(const fixture *f, const char *channel, size_t pixel)
{
    static const char *const names[3][3] = {
        {"R", "G", "B"}, {"albedo.R", "albedo.G", "albedo.B"}, {"normal.X", "normal.Y", "normal.Z"}};
    for (size_t layer = 0; layer < 3; layer++)
        for (size_t c = 0; c < 3; c++)
            if (strcmp(names[layer][c], channel) == 0)
                return &f->layers[layer][pixel * 3 + c];
    fail_msg("unexpected channel '%s'", channel);
    return NULL;
}

static void check_chunk(const fixture *f, exr_context_t context, int32_t first_row)
{
    exr_chunk_info_t chunk;
    exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
    float rows[9][16][WIDTH];
    assert_int_equal(exr_read_scanline_chunk_info(context, 0, first_row, &chunk), EXR_ERR_SUCCESS);
    assert_int_equal(exr_decoding_initialize(context, 0, &chunk, &decoder), EXR_ERR_SUCCESS);
    assert_int_equal(decoder.channel_count, 9);
    assert_true(chunk.height <= 16);
    for (int16_t c = 0; c < 9; c++) {
        assert_int_equal(decoder.channels[c].data_type, EXR_PIXEL_FLOAT);
        decoder.channels[c].decode_to_ptr = (uint8_t *)rows[c];
        decoder.channels[c].user_bytes_per_element = 4;
        decoder.channels[c].user_data_type = EXR_PIXEL_FLOAT;
        decoder.channels[c].user_pixel_stride = 4;
        decoder.channels[c].user_line_stride = WIDTH * 4;
    }
    assert_int_equal(exr_decoding_choose_default_routines(context, 0, &decoder), EXR_ERR_SUCCESS);
    assert_int_equal(exr_decoding_run(context, 0, &decoder), EXR_ERR_SUCCESS);
    for (size_t c = 0; c < 9; c++)
        for (size_t y = 0; y < (size_t)chunk.height; y++)
            for (size_t x = 0; x < WIDTH; x++) {
                size_t pixel = ((size_t)first_row + y) * WIDTH + x;
                assert_memory_equal(&rows[c][y][x], expected_pixel(f, decoder.channels[c].channel_name, pixel), 4);
            }
    exr_decoding_destroy(context, &decoder);
}

static void exr_has_all_layers_and_their_values(void **state)
{
    fixture *f = *state;
    image_file file = make_file(f, "image.exr");
    file.comment = "a comment";
    file.layers[1] = (image_layer){"albedo", IMAGE_COLOR, f->layers[1]};
    file.layers[2] = (image_layer){"normal", IMAGE_NORMAL, f->layers[2]};
    file.layer_count = 3;
    assert_true(image_file_prepare(&file));
    assert_true(image_file_commit(&file));

    exr_context_t context = NULL;
    assert_int_equal(exr_start_read(&context, f->path, NULL), EXR_ERR_SUCCESS);
    const exr_attr_chlist_t *channels = NULL;
    assert_int_equal(exr_get_channels(context, 0, &channels), EXR_ERR_SUCCESS);
    static const char *const names[] = {"B",        "G",        "R",        "albedo.B", "albedo.G",
                                        "albedo.R", "normal.X", "normal.Y", "normal.Z"};
    assert_int_equal(channels->num_channels, 9);
    for (int c = 0; c < 9; c++)
        assert_string_equal(channels->entries[c].name.str, names[c]);
    exr_attr_box2i_t window;
    assert_int_equal(exr_get_data_window(context, 0, &window), EXR_ERR_SUCCESS);
    assert_int_equal(window.max.x - window.min.x + 1, WIDTH);
    assert_int_equal(window.max.y - window.min.y + 1, HEIGHT);
    for (int32_t y = 0; y < HEIGHT; y += 16)
        check_chunk(f, context, y);
    assert_int_equal(exr_finish(&context), EXR_ERR_SUCCESS);
}

static void a_discarded_file_leaves_the_old_one(void **state)
{
    fixture *f = *state;
    image_file file = make_file(f, "image.pfm");
    FILE *stream = fopen(f->path, "wb");
    assert_non_null(stream);
    fputs("old", stream);
    fclose(stream);
    assert_true(image_file_prepare(&file));
    image_file_discard(&file);
    char text[8] = "";
    stream = fopen(f->path, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(text, 1, sizeof text, stream), 3);
    fclose(stream);
    assert_string_equal(text, "old");
}

static void a_missing_folder_is_told_of_before_anything_is_rendered(void **state)
{
    fixture *f = *state;
    image_file file = make_file(f, "none/image.exr");
    assert_false(image_file_may_write(file.path));
    assert_false(image_file_prepare(&file));
    assert_null(file.temporary);
    assert_false(image_file_may_write(f->folder));
    make_file(f, "image.exr");
    assert_true(image_file_may_write(f->path));
}

int run_image_file_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pfm_has_its_rows_from_the_bottom, set_up, tear_down),
        cmocka_unit_test_setup_teardown(exr_has_all_layers_and_their_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_discarded_file_leaves_the_old_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_folder_is_told_of_before_anything_is_rendered, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("image files", tests, NULL, NULL);
}
