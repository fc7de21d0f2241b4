// Models: both topologies, all weight files, and every way in which tensors can fail to be a network.
#include "build_tza.h"
#include "tests.h"

#include "oidn/model.h"
#include "oidn/tile.h"
#include "support/failing_allocator.h"
#include "support/reference_network.h"
#include "support/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void every_weight_file_loads(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WEIGHT_FILE_COUNT; i++) {
        const char *name = weight_files[i];
        char *path = weights_path(name);
        if (!path)
            skip();
        rp_model *model;
        rp_error error;
        if (rp_model_load(path, NULL, &model, &error) != RP_STATUS_OK)
            fail_msg("%s", error.message);
        const rp_model_info *info = rp_model_get_info(model);
        bool large = strstr(name, "_large") != NULL, small = strstr(name, "_small") != NULL;
        uint32_t images = strstr(name, "nrm") && strcmp(name, "rt_nrm") != 0 && strcmp(name, "rt_nrm_large") != 0 ? 3
                          : strstr(name, "hdr_alb") || strstr(name, "ldr_alb")                                    ? 2
                                                                                                                  : 1;
        assert_int_equal(info->topology, large ? RP_TOPOLOGY_LARGE : RP_TOPOLOGY_BASE);
        assert_int_equal(info->receptive_field, large ? 202 : 174);
        assert_int_equal(info->input_channels, 3 * images);
        assert_int_equal(info->output_channels, 3);
        assert_int_equal(info->layer_count, large ? 19 : 16);
        assert_int_equal(info->tensor_count, large ? 38 : 32);
        // Parameters: the three-image base network's, counted from its shapes; fewer images spare input weights of the
        // first and of the last-but-two layer.
        uint32_t missing = 3 * (3 - images);
        uint64_t expected = large   ? 3848387 - missing * 9 * (64 + 64)
                            : small ? 320035 - missing * 9 * (32 + 32)
                                    : 919811 - missing * 9 * (32 + 64);
        if (strstr(name, "alb_large") || strstr(name, "rt_nrm_large") || strcmp(name, "rt_alb") == 0)
            assert_int_equal(images, 1);
        assert_int_equal(info->parameter_count, expected);
        rp_model_destroy(&model);
        assert_null(model);
        free(path);
    }
}

static void the_graph_is_that_of_the_base_network(void **state)
{
    (void)state;
    rp_model *model = build_model(RP_TOPOLOGY_BASE, 6, 8);
    static const uint32_t levels[] = {0, 0, 1, 2, 3, 4, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0};
    static const uint32_t last_uses[] = {13, 1, 11, 9, 7, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    assert_int_equal(model->layer_count, 16);
    for (uint32_t i = 0; i <= 16; i++) {
        assert_int_equal(model->tensors[i].channels, i == 0 ? 6 : i == 16 ? 3 : 8);
        assert_int_equal(model->tensors[i].level, levels[i]);
        assert_int_equal(model->tensors[i].first_use, i == 0 ? 0 : i - 1);
        assert_int_equal(model->tensors[i].last_use, last_uses[i]);
    }
    assert_string_equal(model->layers[13].name, "dec_conv1a");
    assert_int_equal(model->layers[13].skip, 0);
    assert_true(model->layers[13].upsample);
    assert_int_equal(model->layers[13].skip_channels, 6);
    assert_string_equal(model->layers[7].name, "dec_conv4a");
    assert_int_equal(model->layers[7].skip, 4); // what enc_conv3 made, pooled
    assert_true(model->layers[4].pool);
    // enc_conv1 works at full resolution and is pooled after: 32 × 16 × 9 × 8 × 8; enc_conv5b at 2 × 1.
    assert_int_equal(rp_layer_multiply_adds(model, 1, 32, 16), 32 * 16 * 9 * 8 * 8);
    assert_int_equal(rp_layer_multiply_adds(model, 6, 32, 16), 2 * 1 * 9 * 8 * 8);
    assert_int_equal(rp_layer_multiply_adds(model, 13, 32, 16), 32 * 16 * 9 * (8 + 6) * 8);
    rp_model_destroy(&model);
}

static void the_graph_is_that_of_the_large_network(void **state)
{
    (void)state;
    rp_model *model = build_model(RP_TOPOLOGY_LARGE, 9, 4);
    static const uint32_t levels[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0};
    static const uint32_t last_uses[] = {16, 1, 14, 3, 12, 5, 10, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    assert_int_equal(model->layer_count, 19);
    for (uint32_t i = 0; i <= 19; i++) {
        assert_int_equal(model->tensors[i].level, levels[i]);
        assert_int_equal(model->tensors[i].last_use, last_uses[i]);
    }
    rp_model_destroy(&model);
}

// Runs the reference network on a strip with one bright pixel: how far does it reach?
static void an_image_feels_a_pixel_no_farther_than_the_tile_overlap(void **state)
{
    (void)state;
    enum { WIDTH = 512, HEIGHT = 16, CHANNELS = 3 };
    double *input = calloc(WIDTH * HEIGHT * CHANNELS, sizeof *input), *dark = calloc(WIDTH * HEIGHT * 3, sizeof *dark);
    double *output = calloc(WIDTH * HEIGHT * 3, sizeof *output);
    for (int topology = 0; topology < 2; topology++) {
        rp_model *model = build_model((rp_topology)topology, CHANNELS, 4); // positive weights: nothing is lost in ReLU
        uint32_t farthest = 0;
        assert_true(reference_network(model, input, WIDTH, HEIGHT, dark));
        for (uint32_t phase = 0; phase < 16; phase++) {
            uint32_t bright = 256 + phase;
            input[bright * CHANNELS] = 1e6;
            assert_true(reference_network(model, input, WIDTH, HEIGHT, output));
            input[bright * CHANNELS] = 0;
            for (uint32_t x = 0; x < WIDTH; x++)
                for (uint32_t y = 0; y < HEIGHT; y++) {
                    size_t at = ((size_t)y * WIDTH + x) * 3;
                    uint32_t distance = x < bright ? bright - x : x - bright;
                    if (output[at] > dark[at] && distance > farthest)
                        farthest = distance;
                }
        }
        uint32_t field = model->info.receptive_field;
        print_message("%s network: a pixel reaches %u pixels far, receptive field %u, overlap %u\n",
                      topology == 0 ? "base" : "large", farthest, field, rp_tile_overlap(field));
        assert_true(farthest <= rp_tile_overlap(field));
        assert_true(farthest > rp_tile_overlap(field) - 32); // the bright pixel did reach that far
        rp_model_destroy(&model);
    }
    free(input);
    free(dark);
    free(output);
}

// ---- Faults --------------------------------------------------------------------------------------------------------

static void must_fail(const tensor_spec *specs, uint32_t count, const char *named, const char *found)
{
    built_tza file = build_tza(specs, count);
    rp_model *model = (rp_model *)1;
    rp_error error;
    rp_model_desc desc = {.name = "some.tza"};
    assert_int_equal(rp_model_create(file.bytes, file.size, &desc, &model, &error), RP_STATUS_BAD_MODEL);
    assert_null(model);
    assert_memory_equal(error.message, "some.tza: ", 10);
    if (!strstr(error.message, named) || !strstr(error.message, found))
        fail_msg("'%s' and '%s' are not both in: %s", named, found, error.message);
    assert_int_equal(error.offset, RP_NO_OFFSET);
    free(file.bytes);
}

static uint32_t find(const tensor_spec *specs, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(specs[i].name, name) == 0)
            return i;
    fail_msg("no %s", name);
    return 0;
}

// A base network of 3 and 4 channels with one tensor's shape changed.
static void must_fail_with_shape(const char *name, tensor_spec shape, const char *found)
{
    tensor_spec specs[MAX_SPECS];
    uint32_t count = network_specs(RP_TOPOLOGY_BASE, 3, 4, specs), at = find(specs, count, name);
    strcpy(shape.name, name);
    specs[at] = shape;
    must_fail(specs, count, name, found);
}

static void a_missing_or_foreign_tensor_is_named(void **state)
{
    (void)state;
    tensor_spec specs[MAX_SPECS];
    for (int topology = 0; topology < 2; topology++) {
        uint32_t count = network_specs((rp_topology)topology, 3, 4, specs);
        for (uint32_t i = 0; i < count; i++) { // every single one is needed
            tensor_spec fewer[MAX_SPECS];
            memcpy(fewer, specs, sizeof fewer);
            memmove(fewer + i, fewer + i + 1, (count - i - 1) * sizeof *fewer);
            must_fail(fewer, count - 1, specs[i].name, "missing");
        }
        specs[count] = (tensor_spec){"extra.weight", 1, {1}, 'h'};
        must_fail(specs, count + 1, "extra.weight", "network");
        specs[count] = (tensor_spec){"enc_conv5a.weights", 1, {1}, 'h'};
        must_fail(specs, count + 1, "enc_conv5a.weights", "network");
    }
    // A layer of the other topology.
    uint32_t count = network_specs(RP_TOPOLOGY_BASE, 3, 4, specs);
    specs[count] = (tensor_spec){"dec_conv1c.bias", 1, {3}, 'h'};
    must_fail(specs, count + 1, "dec_conv1c.bias", "base");
    must_fail(specs, 0, "some.tza", "0 tensors");
    specs[0] = (tensor_spec){"other", 1, {3}, 'h'};
    must_fail(specs, 1, "some.tza", "1 tensors");
}

static void a_shape_that_does_not_fit_is_named_with_both_values(void **state)
{
    (void)state;
    static const uint32_t wrong_inputs[] = {1, 4, 5, 12};
    for (size_t i = 0; i < 4; i++)
        must_fail_with_shape("enc_conv0.weight", (tensor_spec){"", 4, {4, wrong_inputs[i], 3, 3}, 'h'}, "3, 6 or 9");
    must_fail_with_shape("enc_conv0.weight", (tensor_spec){"", 1, {4}, 'h'}, "[4]");
    must_fail_with_shape("enc_conv1.weight", (tensor_spec){"", 4, {4, 8, 3, 3}, 'h'}, "[4, 8, 3, 3]");
    must_fail_with_shape("enc_conv1.weight", (tensor_spec){"", 4, {4, 4, 1, 3}, 'h'}, "[4, 4, 1, 3]");
    must_fail_with_shape("enc_conv1.weight", (tensor_spec){"", 4, {4, 4, 3, 5}, 'h'}, "[4, 4, 3, 5]");
    must_fail_with_shape("enc_conv1.weight", (tensor_spec){"", 1, {4}, 'h'}, "[4]");
    must_fail_with_shape("dec_conv4a.weight", (tensor_spec){"", 4, {4, 4, 3, 3}, 'h'}, "8, 3, 3]"); // 4 ++ 4
    must_fail_with_shape("dec_conv1a.weight", (tensor_spec){"", 4, {4, 8, 3, 3}, 'h'}, "7, 3, 3]"); // 4 ++ 3
    must_fail_with_shape("dec_conv0.weight", (tensor_spec){"", 4, {4, 4, 3, 3}, 'h'}, "[3, 4, 3, 3]");
    must_fail_with_shape("enc_conv5a.weight", (tensor_spec){"", 4, {6, 4, 3, 3}, 'h'}, "multiple of 4");
    must_fail_with_shape("enc_conv5a.bias", (tensor_spec){"", 1, {8}, 'h'}, "[8], expected [4]");
    must_fail_with_shape("dec_conv0.bias", (tensor_spec){"", 1, {4}, 'h'}, "[4], expected [3]");
    must_fail_with_shape("enc_conv5a.bias", (tensor_spec){"", 4, {4, 1, 1, 1}, 'h'}, "expected [4]");
}

static void a_file_of_single_precision_is_a_model_too(void **state)
{
    (void)state;
    tensor_spec specs[MAX_SPECS];
    uint32_t count = network_specs(RP_TOPOLOGY_BASE, 3, 4, specs);
    for (uint32_t i = 0; i < count; i += 2)
        specs[i].type = 'f';
    built_tza file = build_tza(specs, count);
    rp_model *model;
    assert_int_equal(rp_model_create(file.bytes, file.size, NULL, &model, NULL), RP_STATUS_OK);
    memset(file.bytes, 0xff, file.size); // the model has its own copy
    assert_true(rp_tza_value(model->layers[3].weight, 7) == 1.0f / 64);
    rp_model_destroy(&model);
    free(file.bytes);
}

static void every_truncated_model_is_refused(void **state)
{
    (void)state;
    tensor_spec specs[MAX_SPECS];
    built_tza file = build_tza(specs, network_specs(RP_TOPOLOGY_BASE, 3, 4, specs));
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *exact = malloc(size ? size : 1);
        rp_model *model;
        memcpy(exact, file.bytes, size);
        rp_status status = rp_model_create(exact, size, NULL, &model, NULL);
        assert_true(status == RP_STATUS_TRUNCATED || status == RP_STATUS_BAD_RANGE || status == RP_STATUS_BAD_COUNT);
        assert_null(model);
        free(exact);
    }
    free(file.bytes);
}

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    rp_model *model;
    rp_error error;
    assert_int_equal(rp_model_load("/nonexistent/rt_hdr.tza", NULL, &model, &error), RP_STATUS_IO);
    assert_null(model);
    assert_non_null(strstr(error.message, "/nonexistent/rt_hdr.tza"));
    assert_int_equal(rp_model_load("tests/oidn/test_model.c", NULL, &model, &error), RP_STATUS_BAD_MAGIC);
    assert_non_null(strstr(error.message, "tests/oidn/test_model.c"));
    assert_null(model);
    rp_model_destroy(&model);
    rp_model_destroy(NULL);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    tensor_spec specs[MAX_SPECS];
    built_tza file = build_tza(specs, network_specs(RP_TOPOLOGY_LARGE, 9, 4, specs));
    for (size_t n = 1;; n++) {
        failing_allocator failing;
        failing_allocator_init(&failing, n);
        rp_model_desc desc = {.allocator = &failing.hook};
        rp_model *model = NULL;
        rp_error error;
        char *text = NULL;
        size_t size;
        rp_status status = rp_model_create(file.bytes, file.size, &desc, &model, &error);
        if (status == RP_STATUS_OK)
            status = rp_model_describe(model, &failing.hook, &text, &size, &error);
        if (status != RP_STATUS_OK) {
            assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
            assert_int_equal(error.status, RP_STATUS_OUT_OF_MEMORY);
            assert_null(text);
        }
        rp_free(&failing.hook, text);
        rp_model_destroy(&model);
        assert_int_equal(failing.live, 0);
        if (status == RP_STATUS_OK) {
            assert_true(n > 4);
            break;
        }
    }
    free(file.bytes);
}

static void a_listing_names_layers_and_tensors(void **state)
{
    (void)state;
    rp_model *model = build_model(RP_TOPOLOGY_BASE, 9, 8);
    char *text;
    size_t size;
    assert_int_equal(rp_model_describe(model, NULL, &text, &size, NULL), RP_STATUS_OK);
    assert_int_equal(strlen(text), size);
    static const char *const parts[] = {"base network",     "receptive field 174", "colour, albedo, normal",
                                        "16 layers",        "enc_conv4 ",          "dec_conv1a ",
                                        "enc_conv0.weight", "[8, 9, 3, 3]",        "1/16"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i]))
            fail_msg("'%s' is not in the listing", parts[i]);
    uint32_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 2 + 2 + 16 + 2 + 32);
    rp_free(NULL, text);
    rp_model_destroy(&model);
}

int test_model(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight_file_loads),
        cmocka_unit_test(the_graph_is_that_of_the_base_network),
        cmocka_unit_test(the_graph_is_that_of_the_large_network),
        cmocka_unit_test(an_image_feels_a_pixel_no_farther_than_the_tile_overlap),
        cmocka_unit_test(a_missing_or_foreign_tensor_is_named),
        cmocka_unit_test(a_shape_that_does_not_fit_is_named_with_both_values),
        cmocka_unit_test(a_file_of_single_precision_is_a_model_too),
        cmocka_unit_test(every_truncated_model_is_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_listing_names_layers_and_tensors),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
