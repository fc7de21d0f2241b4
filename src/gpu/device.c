// Opening a device: the best adapter that fits, every feature that programs can use, the adapter's own limits.
#include "base/error.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

static void device_answered(WGPUEnum status, WGPUDevice device, WGPUStringView message, void *user1, void *user2)
{
    rp_request *request = user1;
    const rp_gpu *gpu = user2;
    if (request->abandoned && device)
        gpu->library.api.device_release(device);
    request->object = device;
    rp_request_answer(request, status, message);
}

static void device_lost(const WGPUDevice *device, WGPUEnum reason, WGPUStringView message, void *user1, void *user2)
{
    rp_gpu *gpu = user1;
    char text[sizeof(gpu->lost_message) - 32];
    (void)device;
    (void)user2;
    // A device that was never made is told of by the request for it.
    if (gpu->lost || reason == WGPUDeviceLostReason_FailedCreation)
        return;
    gpu->lost = true;
    rp_copy_view(text, sizeof(text), message);
    snprintf(gpu->lost_message, sizeof(gpu->lost_message), "the device was %s: %s",
             reason == WGPUDeviceLostReason_Destroyed ? "destroyed" : "lost", text);
}

static void error_uncaught(const WGPUDevice *device, WGPUEnum type, WGPUStringView message, void *user1, void *user2)
{
    rp_gpu *gpu = user1;
    (void)device;
    (void)user2;
    if (gpu->uncaptured != RP_STATUS_OK || type == WGPUErrorType_NoError)
        return;
    gpu->uncaptured = type == WGPUErrorType_OutOfMemory  ? RP_STATUS_DEVICE_MEMORY
                      : type == WGPUErrorType_Validation ? RP_STATUS_DEVICE_VALIDATION
                                                         : RP_STATUS_DEVICE_INTERNAL;
    rp_copy_view(gpu->uncaptured_message, sizeof(gpu->uncaptured_message), message);
}

static bool acceptable(const rp_gpu_desc *desc, const rp_gpu_info *info)
{
    if (info->kind == RP_ADAPTER_CPU && !desc->software)
        return false;
    return !desc->name || strstr(info->name, desc->name);
}

static rp_status no_adapter(const rp_gpu *gpu, const rp_gpu_desc *desc, const rp_adapters *adapters, rp_error *error)
{
    char found[300] = "none";
    size_t length = 0;
    for (uint32_t i = 0; i < adapters->count && length < sizeof(found) - 1; i++) {
        const rp_gpu_info *info = &adapters->infos[i];
        int written = snprintf(found + length, sizeof(found) - length, "%s'%.80s'%s", i ? ", " : "", info->name,
                               info->kind == RP_ADAPTER_CPU ? " (software)" : "");
        length += written > 0 ? (size_t)written : 0;
    }
    return rp_fail(error, RP_STATUS_NO_DEVICE, "no %s%s%s%s%s; adapters of %.80s: %s",
                   desc->software ? "adapter" : "GPU", desc->name ? " named '" : "", desc->name ? desc->name : "",
                   desc->name ? "'" : "", adapters->count ? " fits" : " answered", gpu->library.path, found);
}

static rp_status request_device(rp_gpu *gpu, bool experimental, const WGPULimits *limits, rp_error *error)
{
    const rp_webgpu *api = &gpu->library.api;
    const rp_webgpu_profile *profile = &gpu->library.profile;
    const uint32_t wanted[] = {profile->timestamp_query, profile->shader_f16, profile->subgroups,
                               experimental ? profile->subgroup_matrix : 0};
    WGPUEnum features[sizeof(wanted) / sizeof(wanted[0])];
    size_t feature_count = 0;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (wanted[i] && api->adapter_has_feature(gpu->adapter, wanted[i]))
            features[feature_count++] = wanted[i];
    WGPUDeviceDescriptor desc = {.label = {"reprise", WGPU_STRLEN},
                                 .requiredFeatureCount = feature_count,
                                 .requiredFeatures = features,
                                 .requiredLimits = limits,
                                 .deviceLostCallbackInfo = {.mode = WGPUCallbackMode_AllowProcessEvents,
                                                            .callback = device_lost,
                                                            .userdata1 = gpu},
                                 .uncapturedErrorCallbackInfo = {.callback = error_uncaught, .userdata1 = gpu}};
    rp_request *request = rp_request_take(gpu);
    if (!request)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "asking for a device: too many requests are unanswered");
    api->adapter_request_device(gpu->adapter, &desc,
                                (WGPURequestDeviceCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                                                .callback = device_answered,
                                                                .userdata1 = request,
                                                                .userdata2 = gpu});
    rp_status status = rp_request_wait(gpu, request, gpu->answer_seconds, "asking for a device", error);
    if (status == RP_STATUS_OK) {
        gpu->device = request->object;
        if (!gpu->device || request->status != WGPURequestStatus_Success)
            status = rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "'%s' gave no device (status %u): %s", gpu->info.name,
                             request->status, request->message);
    }
    rp_request_give_back(request);
    return status;
}

// With everything that the adapter has; if that fails, without what is experimental.
static rp_status request_best_device(rp_gpu *gpu, rp_error *error)
{
    WGPULimits limits = {0};
    if (gpu->library.api.adapter_get_limits(gpu->adapter, &limits) != WGPUStatus_Success)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "'%s' does not tell its limits", gpu->info.name);
    limits.nextInChain = NULL;
    rp_status status = request_device(gpu, true, &limits, error);
    if (status != RP_STATUS_DEVICE_INTERNAL || !(gpu->info.features & RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX))
        return status;
    gpu->info.features &= ~(uint32_t)RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX;
    return request_device(gpu, false, &limits, error);
}

static rp_status open_device(rp_gpu *gpu, const rp_gpu_desc *desc, rp_error *error)
{
    const rp_webgpu *api = &gpu->library.api;
    rp_status status = rp_instance_open(gpu, error);
    if (status != RP_STATUS_OK)
        return status;
    rp_adapters adapters;
    status = rp_adapters_list(gpu, &adapters, error);
    if (status != RP_STATUS_OK)
        return status;
    uint32_t chosen = 0;
    while (chosen < adapters.count && !acceptable(desc, &adapters.infos[chosen]))
        chosen++;
    if (chosen == adapters.count) {
        status = no_adapter(gpu, desc, &adapters, error);
    } else {
        gpu->adapter = adapters.handles[chosen];
        gpu->info = adapters.infos[chosen];
        adapters.handles[chosen] = NULL;
    }
    rp_adapters_release(gpu, &adapters);
    if (status == RP_STATUS_OK)
        status = request_best_device(gpu, error);
    if (status != RP_STATUS_OK)
        return status;
    WGPULimits limits = {0};
    if (api->device_get_limits(gpu->device, &limits) != WGPUStatus_Success)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "'%s' does not tell its device's limits", gpu->info.name);
    rp_limits_from(&limits, &gpu->info.limits);
    gpu->queue = api->device_get_queue(gpu->device);
    if (!gpu->queue)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "'%s' gave no queue", gpu->info.name);
    return rp_gpu_check(gpu, "opening the device", error);
}

static rp_gpu *make(const rp_library *library, const rp_gpu_desc *desc)
{
    rp_allocator allocator = rp_allocator_or_default(desc->allocator);
    rp_gpu *gpu = rp_allocate(&allocator, 1, sizeof(*gpu));
    if (!gpu)
        return NULL;
    gpu->allocator = allocator;
    gpu->library = *library;
    gpu->max_bytes = desc->max_bytes;
    gpu->answer_seconds = library->answer_seconds > 0 ? library->answer_seconds : RP_ANSWER_SECONDS;
    gpu->work_seconds = library->work_seconds > 0 ? library->work_seconds : RP_WORK_SECONDS;
    return gpu;
}

rp_status rp_gpu_create_with(const rp_library *library, const rp_gpu_desc *desc, rp_gpu **gpu, rp_error *error)
{
    *gpu = make(library, desc);
    if (!*gpu)
        return rp_fail_memory(error, sizeof(**gpu), "a GPU device");
    rp_status status = open_device(*gpu, desc, error);
    if (status != RP_STATUS_OK)
        rp_gpu_destroy(gpu);
    return status;
}

rp_status rp_gpu_create(const rp_gpu_desc *desc, rp_gpu **gpu, rp_error *error)
{
    static const rp_gpu_desc defaults;
    rp_library library;
    *gpu = NULL;
    rp_status status = rp_library_load(desc ? desc->library : NULL, &library, error);
    if (status != RP_STATUS_OK)
        return status;
    return rp_gpu_create_with(&library, desc ? desc : &defaults, gpu, error);
}

void rp_gpu_destroy(rp_gpu **gpu)
{
    if (!gpu || !*gpu)
        return;
    rp_gpu *self = *gpu;
    const rp_webgpu *api = &self->library.api;
    if (self->queue)
        api->queue_release(self->queue);
    // Releasing alone is not enough: some implementations keep a device alive as long as work is pending.
    if (self->device) {
        api->device_destroy(self->device);
        api->device_release(self->device);
    }
    if (self->adapter)
        api->adapter_release(self->adapter);
    // Last: it answers what is still open, and the answers go into this rp_gpu.
    if (self->instance) {
        api->instance_process_events(self->instance);
        api->instance_release(self->instance);
    }
    rp_allocator allocator = self->allocator;
    rp_free(&allocator, self);
    *gpu = NULL;
}

const rp_gpu_info *rp_gpu_get_info(const rp_gpu *gpu)
{
    return &gpu->info;
}

rp_device_caps rp_gpu_get_caps(const rp_gpu *gpu)
{
    const rp_gpu_limits *limits = &gpu->info.limits;
    return (rp_device_caps){.features = gpu->info.features,
                            .max_workgroup_storage_bytes = limits->max_workgroup_storage_bytes,
                            .max_invocations_per_workgroup = limits->max_invocations_per_workgroup,
                            .max_workgroup_size_x = limits->max_workgroup_size_x,
                            .max_workgroup_size_y = limits->max_workgroup_size_y,
                            .max_workgroups_per_dimension = limits->max_workgroups_per_dimension,
                            .subgroup_min_size = gpu->info.subgroup_min_size,
                            .subgroup_max_size = gpu->info.subgroup_max_size};
}

rp_status rp_gpu_enumerate_with(const rp_library *library, const rp_gpu_desc *desc, rp_gpu_info **infos,
                                uint32_t *count, rp_error *error)
{
    *infos = NULL;
    *count = 0;
    rp_gpu *gpu = make(library, desc);
    if (!gpu)
        return rp_fail_memory(error, sizeof(*gpu), "a list of adapters");
    rp_adapters adapters = {0};
    rp_status status = rp_instance_open(gpu, error);
    if (status == RP_STATUS_OK)
        status = rp_adapters_list(gpu, &adapters, error);
    if (status == RP_STATUS_OK) {
        *infos = rp_allocate(&gpu->allocator, adapters.count, sizeof(**infos));
        if (!*infos)
            status = rp_fail_memory(error, adapters.count * sizeof(**infos), "a list of adapters");
    }
    if (status == RP_STATUS_OK) {
        *count = adapters.count;
        memcpy(*infos, adapters.infos, adapters.count * sizeof(**infos));
    }
    rp_adapters_release(gpu, &adapters);
    rp_gpu_destroy(&gpu);
    return status;
}

rp_status rp_gpu_enumerate(const rp_gpu_desc *desc, rp_gpu_info **infos, uint32_t *count, rp_error *error)
{
    static const rp_gpu_desc defaults;
    rp_library library;
    *infos = NULL;
    *count = 0;
    rp_status status = rp_library_load(desc ? desc->library : NULL, &library, error);
    if (status != RP_STATUS_OK)
        return status;
    return rp_gpu_enumerate_with(&library, desc ? desc : &defaults, infos, count, error);
}
