// Opening devices, on the made-up WebGPU: which adapter is chosen, what the device is asked for, and that every failure
// has its status and leaves nothing behind.
#include "gpu/tests.h"

#include "gpu/fake_webgpu.h"
#include "gpu/gpu.h"
#include "support/failing_allocator.h"

#include <string.h>

static const fake_adapter discrete = {.name = "Big", .type = WGPUAdapterType_DiscreteGPU},
                          integrated = {.name = "Small", .type = WGPUAdapterType_IntegratedGPU},
                          software = {.name = "Soft", .type = WGPUAdapterType_CPU},
                          unknown = {.name = "Odd", .type = WGPUAdapterType_Unknown},
                          null_backend = {.name = "Null", .type = WGPUAdapterType_CPU, .backend = WGPUBackendType_Null};

static rp_gpu *must_create(const rp_library *library, const rp_gpu_desc *desc)
{
    rp_gpu *gpu = NULL;
    rp_error error;
    if (rp_gpu_create_with(library, desc, &gpu, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    return gpu;
}

static void nothing_is_left(void)
{
    for (int i = 0; i < FAKE_KIND_COUNT; i++)
        if (fake.live[i] != 0)
            fail_msg("%d objects of kind %d are left", fake.live[i], i);
    assert_int_equal(fake.bad_handles, 0);
    assert_int_equal(fake_count("AdapterGetInfo"), fake_count("AdapterInfoFreeMembers"));
}

static void expect_choice(const fake_adapter *high, const fake_adapter *low, const fake_adapter *fallback,
                          rp_gpu_desc desc, const char *name)
{
    rp_library library = fake_library();
    fake.high = high, fake.low = low, fake.fallback = fallback;
    rp_gpu *gpu = NULL;
    rp_error error;
    rp_status status = rp_gpu_create_with(&library, &desc, &gpu, &error);
    if (name) {
        assert_int_equal(status, RP_STATUS_OK);
        assert_string_equal(rp_gpu_get_info(gpu)->name, name);
    } else {
        assert_int_equal(status, RP_STATUS_NO_DEVICE);
        assert_null(gpu);
    }
    rp_gpu_destroy(&gpu);
    assert_null(gpu);
    nothing_is_left();
}

static void real_gpus_go_first_and_software_only_when_asked(void **state)
{
    (void)state;
    const rp_gpu_desc plain = {0}, soft = {.software = true};
    expect_choice(&discrete, &integrated, &software, plain, "Big");
    expect_choice(&integrated, &discrete, &software, plain, "Big");
    expect_choice(&software, &integrated, &software, soft, "Small");
    expect_choice(&software, &unknown, NULL, soft, "Odd");
    expect_choice(&software, &software, &software, soft, "Soft");
    expect_choice(NULL, NULL, &software, soft, "Soft");
    expect_choice(&software, &software, &software, plain, NULL);
    expect_choice(NULL, NULL, NULL, soft, NULL);
    expect_choice(&null_backend, NULL, NULL, soft, NULL);
}

static void a_name_narrows_the_choice(void **state)
{
    (void)state;
    expect_choice(&discrete, &integrated, &software, (rp_gpu_desc){.name = "mal"}, "Small");
    expect_choice(&discrete, &integrated, &software, (rp_gpu_desc){.name = "Soft"}, NULL);
    expect_choice(&discrete, &integrated, &software, (rp_gpu_desc){.name = "Soft", .software = true}, "Soft");
    expect_choice(&discrete, &integrated, &software, (rp_gpu_desc){.name = "Medium", .software = true}, NULL);
}

static void a_refusal_lists_what_there_is(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.high = fake.low = fake.fallback = &software;
    rp_gpu *gpu = NULL;
    rp_error error;
    assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){.name = "RTX"}, &gpu, &error), RP_STATUS_NO_DEVICE);
    assert_non_null(strstr(error.message, "'RTX'"));
    assert_non_null(strstr(error.message, "'Soft' (software)"));
}

// The device is opened with what the adapter has, and only that; the numbers are those of the library's profile.
static void features_and_limits_are_those_of_the_adapter(void **state)
{
    (void)state;
    rp_library library = fake_library();
    const fake_adapter able = {.name = "Able", .type = WGPUAdapterType_DiscreteGPU, .features = 1u << 11 | 1u << 9};
    fake.high = &able;
    fake.limits.maxComputeWorkgroupsPerDimension = 12345;
    rp_gpu *gpu = must_create(&library, &(rp_gpu_desc){0});
    const rp_gpu_info *info = rp_gpu_get_info(gpu);
    assert_int_equal(fake.device_features, 1u << 11 | 1u << 9);
    assert_int_equal(fake.device_max_workgroups, 12345);
    assert_int_equal(info->features, RP_FEATURE_SHADER_F16);
    assert_true(info->timestamp_query);
    assert_string_equal(info->vendor, "mak");
    assert_string_equal(info->backend, "Vulkan");
    assert_string_equal(info->library, "fake");
    rp_device_caps caps = rp_gpu_get_caps(gpu);
    assert_int_equal(caps.features, RP_FEATURE_SHADER_F16);
    assert_int_equal(caps.max_workgroup_storage_bytes, 16384);
    assert_int_equal(caps.max_invocations_per_workgroup, 256);
    assert_int_equal(caps.max_workgroup_size_x, 256);
    assert_int_equal(caps.max_workgroup_size_y, 255);
    assert_int_equal(caps.max_workgroups_per_dimension, 12345);
    assert_int_equal(caps.subgroup_min_size, 8);
    assert_int_equal(caps.subgroup_max_size, 32);
    rp_gpu_destroy(&gpu);
    nothing_is_left();
}

static void enumeration_lists_each_adapter_once(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.high = &integrated, fake.low = &integrated, fake.fallback = &software;
    rp_gpu_info *infos = NULL;
    uint32_t count = 0;
    rp_error error;
    assert_int_equal(rp_gpu_enumerate_with(&library, &(rp_gpu_desc){0}, &infos, &count, &error), RP_STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(infos[0].name, "Small");
    assert_int_equal(infos[0].kind, RP_ADAPTER_INTEGRATED);
    assert_string_equal(infos[1].name, "Soft");
    assert_int_equal(infos[1].kind, RP_ADAPTER_CPU);
    rp_free(NULL, infos);
    nothing_is_left();
}

static void an_empty_list_is_no_error(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.high = fake.low = NULL;
    rp_gpu_info *infos = NULL;
    uint32_t count = 7;
    rp_error error;
    assert_int_equal(rp_gpu_enumerate_with(&library, &(rp_gpu_desc){0}, &infos, &count, &error), RP_STATUS_OK);
    assert_int_equal(count, 0);
    rp_free(NULL, infos);
    nothing_is_left();
}

static void every_refused_call_fails_the_opening(void **state)
{
    (void)state;
    const struct {
        fake_call call;
        rp_status status;
    } cases[] = {{{"CreateInstance", 1}, RP_STATUS_DEVICE_INTERNAL},
                 {{"AdapterRequestDevice", 1}, RP_STATUS_DEVICE_INTERNAL},
                 {{"DeviceGetLimits", 1}, RP_STATUS_DEVICE_INTERNAL},
                 {{"DeviceGetQueue", 1}, RP_STATUS_DEVICE_INTERNAL},
                 // The limits are asked for once an adapter that is listed (here two), then for the device.
                 {{"AdapterGetLimits", 3}, RP_STATUS_DEVICE_INTERNAL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_library library = fake_library();
        fake.refuse = cases[i].call;
        rp_gpu *gpu = NULL;
        rp_error error;
        rp_status status = rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &gpu, &error);
        if (status != cases[i].status)
            fail_msg("%s refused gives %s", cases[i].call.function, rp_status_name(status));
        assert_null(gpu);
        nothing_is_left();
    }
}

// A device without experimental features is better than none; f16 and the rest stay.
static void an_experimental_feature_is_given_up_for_a_device(void **state)
{
    (void)state;
    const fake_adapter able = {.name = "Able", .type = WGPUAdapterType_DiscreteGPU, .features = 1u << 11 | 1u << 20};
    for (int refused = 0; refused < 2; refused++) {
        rp_library library = fake_library();
        library.profile.subgroup_matrix = 20;
        fake.high = &able;
        fake.refuse = (fake_call){"AdapterRequestDevice", refused ? 1 : 0};
        rp_gpu *gpu = must_create(&library, &(rp_gpu_desc){0});
        uint32_t features = RP_FEATURE_SHADER_F16 | (refused ? 0 : RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX);
        assert_int_equal(rp_gpu_get_info(gpu)->features, features);
        assert_int_equal(fake.device_features, 1u << 11 | (refused ? 0 : 1u << 20));
        rp_gpu_destroy(&gpu);
        nothing_is_left();
    }
}

// An adapter that cannot even describe itself is passed over.
static void a_broken_adapter_is_passed_over(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.high = &discrete, fake.low = &integrated;
    fake.refuse = (fake_call){"AdapterGetLimits", 1};
    rp_gpu *gpu = must_create(&library, &(rp_gpu_desc){0});
    assert_string_equal(rp_gpu_get_info(gpu)->name, "Small");
    rp_gpu_destroy(&gpu);
    nothing_is_left();
}

static void a_silent_implementation_does_not_hang(void **state)
{
    (void)state;
    const char *const functions[] = {"InstanceRequestAdapter", "AdapterRequestDevice"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        rp_library library = fake_library();
        library.answer_seconds = 0.01;
        fake.silent = (fake_call){functions[i], 1};
        rp_gpu *gpu = NULL;
        rp_error error;
        assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &gpu, &error), RP_STATUS_DEVICE_LOST);
        assert_non_null(strstr(error.message, "0.01 s"));
        assert_null(gpu);
        nothing_is_left();
    }
}

static void a_device_lost_at_once_is_told(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.lose = (fake_call){"AdapterRequestDevice", 1};
    rp_gpu *gpu = NULL;
    rp_error error;
    assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &gpu, &error), RP_STATUS_DEVICE_LOST);
    assert_non_null(strstr(error.message, "made-up loss"));
    nothing_is_left();
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        rp_library library = fake_library();
        failing_allocator allocator;
        failing_allocator_init(&allocator, n);
        rp_gpu_desc desc = {.allocator = &allocator.hook};
        rp_gpu *gpu = NULL;
        rp_gpu_info *infos = NULL;
        uint32_t count;
        rp_error error;
        rp_status status = rp_gpu_create_with(&library, &desc, &gpu, &error);
        rp_gpu_destroy(&gpu);
        if (status == RP_STATUS_OK)
            status = rp_gpu_enumerate_with(&library, &desc, &infos, &count, &error);
        rp_free(&allocator.hook, infos);
        assert_int_equal(allocator.live, 0);
        nothing_is_left();
        if (status == RP_STATUS_OK) {
            assert_true(n > 2);
            return;
        }
        assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
    }
}

int test_fake_device(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_gpus_go_first_and_software_only_when_asked),
        cmocka_unit_test(a_name_narrows_the_choice),
        cmocka_unit_test(a_refusal_lists_what_there_is),
        cmocka_unit_test(features_and_limits_are_those_of_the_adapter),
        cmocka_unit_test(enumeration_lists_each_adapter_once),
        cmocka_unit_test(an_empty_list_is_no_error),
        cmocka_unit_test(every_refused_call_fails_the_opening),
        cmocka_unit_test(an_experimental_feature_is_given_up_for_a_device),
        cmocka_unit_test(a_broken_adapter_is_passed_over),
        cmocka_unit_test(a_silent_implementation_does_not_hang),
        cmocka_unit_test(a_device_lost_at_once_is_told),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("device on a made-up WebGPU", tests, NULL, NULL);
}
