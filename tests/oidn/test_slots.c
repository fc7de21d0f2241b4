// Slots: tensors that are alive together never share one, and sharing saves.
#include "build_tza.h"
#include "tests.h"

#include "oidn/slots.h"
#include "support/weights.h"

#include <stdlib.h>

// Lifetimes worked out here from who reads what: tensor i + 1 is made by layer i, the output is never let go.
static void lifetime(const rp_model *model, uint32_t tensor, uint32_t *first, uint32_t *last)
{
    *first = tensor == 0 ? 0 : tensor - 1;
    *last = *first;
    for (uint32_t i = 0; i < model->layer_count; i++)
        if (model->layers[i].source == tensor || model->layers[i].skip == tensor)
            *last = i;
    if (tensor == model->layer_count)
        *last = model->layer_count;
}

static void check_plan(const rp_model *model, const uint64_t *bytes, uint64_t most_percent)
{
    rp_slot_plan plan;
    uint64_t unshared = 0, total = 0, peak = 0;
    rp_plan_slots(model, bytes, &plan);
    for (uint32_t a = 0; a <= model->layer_count; a++) {
        unshared += bytes[a];
        if (bytes[a] == 0) {
            assert_int_equal(plan.tensor_slot[a], RP_NO_TENSOR);
            continue;
        }
        assert_true(plan.tensor_slot[a] < plan.slot_count);
        assert_true(plan.slot_bytes[plan.tensor_slot[a]] >= bytes[a]);
        uint32_t first_a, last_a, first_b, last_b;
        lifetime(model, a, &first_a, &last_a);
        assert_int_equal(model->tensors[a].first_use, first_a);
        assert_int_equal(model->tensors[a].last_use, last_a);
        for (uint32_t b = 0; b < a; b++) {
            lifetime(model, b, &first_b, &last_b);
            if (first_a <= last_b && first_b <= last_a)
                assert_int_not_equal(plan.tensor_slot[a], plan.tensor_slot[b]);
        }
    }
    for (uint32_t slot = 0; slot < plan.slot_count; slot++)
        total += plan.slot_bytes[slot];
    for (uint32_t layer = 0; layer < model->layer_count; layer++) {
        uint64_t alive = 0;
        for (uint32_t i = 0; i <= model->layer_count; i++) {
            uint32_t first, last;
            lifetime(model, i, &first, &last);
            alive += first <= layer && layer <= last ? bytes[i] : 0;
        }
        peak = alive > peak ? alive : peak;
    }
    assert_int_equal(plan.total_bytes, total);
    assert_int_equal(plan.unshared_bytes, unshared);
    assert_true(total < unshared);
    assert_true(total >= peak);
    assert_true(total * 100 <= peak * most_percent);
}

// The slots may take at most this much of what is alive at once at the fullest moment.
static void check_sizes(const rp_model *model, uint32_t width, uint32_t height, uint64_t most_percent)
{
    uint64_t bytes[RP_MAX_LAYERS + 1];
    for (uint32_t i = 0; i <= model->layer_count; i++) {
        const rp_graph_tensor *tensor = &model->tensors[i];
        bytes[i] = (uint64_t)((tensor->channels + 3) / 4) * 16 * (width >> tensor->level) * (height >> tensor->level);
    }
    check_plan(model, bytes, most_percent);
}

static void live_tensors_never_share_a_slot(void **state)
{
    (void)state;
    for (int topology = 0; topology < 2; topology++) {
        rp_model *model = build_model((rp_topology)topology, 9, 32);
        check_sizes(model, 16, 16, 150);
        check_sizes(model, 1280, 720, 150);
        rp_model_destroy(&model);
    }
}

static void a_tensor_of_no_bytes_has_no_slot(void **state)
{
    (void)state;
    rp_model *model = build_model(RP_TOPOLOGY_BASE, 3, 4);
    uint64_t bytes[RP_MAX_LAYERS + 1];
    for (uint32_t i = 0; i <= model->layer_count; i++)
        bytes[i] = i == 0 || i == model->layer_count ? 0 : 100;
    rp_slot_plan plan;
    rp_plan_slots(model, bytes, &plan);
    assert_int_equal(plan.tensor_slot[0], RP_NO_TENSOR);
    assert_int_equal(plan.tensor_slot[model->layer_count], RP_NO_TENSOR);
    assert_int_equal(plan.tensor_slot[1], 0);
    assert_int_equal(plan.unshared_bytes, 1500);
    rp_model_destroy(&model);
}

static void real_networks_share_their_slots(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WEIGHT_FILE_COUNT; i++) {
        char *path = weights_path(weight_files[i]);
        if (!path)
            skip();
        rp_model *model;
        assert_int_equal(rp_model_load(path, NULL, &model, NULL), RP_STATUS_OK);
        check_sizes(model, 1280, 720, 134); // found when this was written: 113 to 133
        check_sizes(model, 208, 176, 134);
        rp_model_destroy(&model);
        free(path);
    }
}

int test_slots(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_tensors_never_share_a_slot),
        cmocka_unit_test(a_tensor_of_no_bytes_has_no_slot),
        cmocka_unit_test(real_networks_share_their_slots),
    };
    return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
