// Instances and adapters. webgpu.h has no list of adapters: it is asked in every way that makes it choose differently.
#include "base/error.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

// Subgroup matrices count as unsafe in Dawn. The second toggle exists in newer builds only (f16 is hidden on NVIDIA
// without it); toggles that a build does not know are ignored by it.
static const char *const toggles[] = {"allow_unsafe_apis", "vulkan_enable_f16_on_nvidia"};

static WGPUDawnTogglesDescriptor dawn_toggles(void)
{
    return (WGPUDawnTogglesDescriptor){.chain = {.sType = WGPUSType_DawnTogglesDescriptor},
                                       .enabledToggleCount = sizeof(toggles) / sizeof(toggles[0]),
                                       .enabledToggles = toggles};
}

rp_status rp_instance_open(rp_gpu *gpu, rp_error *error)
{
    WGPUDawnTogglesDescriptor chain = dawn_toggles();
    WGPUInstanceDescriptor desc = {.nextInChain = gpu->library.profile.dawn ? &chain.chain : NULL};
    gpu->instance = gpu->library.api.create_instance(&desc);
    if (!gpu->instance)
        return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "'%s' gave no WebGPU instance", gpu->library.path);
    return RP_STATUS_OK;
}

void rp_limits_from(const WGPULimits *limits, rp_gpu_limits *result)
{
    *result = (rp_gpu_limits){.max_buffer_bytes = limits->maxBufferSize,
                              .max_storage_binding_bytes = limits->maxStorageBufferBindingSize,
                              .max_uniform_binding_bytes = limits->maxUniformBufferBindingSize,
                              .max_storage_buffers_per_stage = limits->maxStorageBuffersPerShaderStage,
                              .max_workgroups_per_dimension = limits->maxComputeWorkgroupsPerDimension,
                              .max_workgroup_storage_bytes = limits->maxComputeWorkgroupStorageSize,
                              .max_invocations_per_workgroup = limits->maxComputeInvocationsPerWorkgroup,
                              .max_workgroup_size_x = limits->maxComputeWorkgroupSizeX,
                              .max_workgroup_size_y = limits->maxComputeWorkgroupSizeY,
                              .max_workgroup_size_z = limits->maxComputeWorkgroupSizeZ,
                              .min_storage_offset_alignment = limits->minStorageBufferOffsetAlignment,
                              .min_uniform_offset_alignment = limits->minUniformBufferOffsetAlignment};
}

static const char *backend_name(WGPUEnum backend)
{
    static const char *const names[] = {"?",     "Null",   "WebGPU", "D3D11",    "D3D12",
                                        "Metal", "Vulkan", "OpenGL", "OpenGL ES"};
    return backend < sizeof(names) / sizeof(names[0]) ? names[backend] : "?";
}

static bool describe(const rp_gpu *gpu, WGPUAdapter adapter, rp_gpu_info *result)
{
    const rp_webgpu *api = &gpu->library.api;
    const rp_webgpu_profile *profile = &gpu->library.profile;
    WGPUAdapterInfo info = {0};
    WGPULimits limits = {0};
    if (api->adapter_get_limits(adapter, &limits) != WGPUStatus_Success ||
        api->adapter_get_info(adapter, &info) != WGPUStatus_Success)
        return false;
    *result =
        (rp_gpu_info){.kind = info.adapterType >= WGPUAdapterType_DiscreteGPU && info.adapterType <= WGPUAdapterType_CPU
                                  ? (rp_adapter_kind)info.adapterType
                                  : RP_ADAPTER_UNKNOWN,
                      .subgroup_min_size = info.subgroupMinSize,
                      .subgroup_max_size = info.subgroupMaxSize};
    snprintf(result->library, sizeof(result->library), "%s", gpu->library.path);
    rp_copy_view(result->name, sizeof(result->name), info.device);
    rp_copy_view(result->vendor, sizeof(result->vendor), info.vendor);
    rp_copy_view(result->architecture, sizeof(result->architecture), info.architecture);
    rp_copy_view(result->driver, sizeof(result->driver), info.description);
    snprintf(result->backend, sizeof(result->backend), "%s", backend_name(info.backendType));
    bool usable = info.backendType != WGPUBackendType_Null;
    api->adapter_info_free_members(info);
    rp_limits_from(&limits, &result->limits);
    const struct {
        uint32_t number, bit;
    } features[] = {{profile->shader_f16, RP_FEATURE_SHADER_F16},
                    {profile->subgroups, RP_FEATURE_SUBGROUPS},
                    {profile->subgroup_matrix, RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX}};
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
        if (features[i].number && api->adapter_has_feature(adapter, features[i].number))
            result->features |= features[i].bit;
    result->timestamp_query = profile->timestamp_query && api->adapter_has_feature(adapter, profile->timestamp_query);
    return usable;
}

static void adapter_answered(WGPUEnum status, WGPUAdapter adapter, WGPUStringView message, void *user1, void *user2)
{
    rp_request *request = user1;
    const rp_gpu *gpu = user2;
    if (request->abandoned && adapter)
        gpu->library.api.adapter_release(adapter);
    request->object = adapter;
    rp_request_answer(request, status, message);
}

static bool same_adapter(const rp_gpu_info *a, const rp_gpu_info *b)
{
    return a->kind == b->kind && !strcmp(a->name, b->name) && !strcmp(a->backend, b->backend) &&
           !strcmp(a->driver, b->driver) && !strcmp(a->vendor, b->vendor);
}

static int rank(rp_adapter_kind kind)
{
    return kind == RP_ADAPTER_DISCRETE ? 0 : kind == RP_ADAPTER_INTEGRATED ? 1 : kind == RP_ADAPTER_UNKNOWN ? 2 : 3;
}

// An adapter that is not in the list yet is added, any other released.
static void add_adapter(const rp_gpu *gpu, WGPUAdapter adapter, rp_adapters *adapters)
{
    rp_gpu_info info;
    bool keep = describe(gpu, adapter, &info);
    for (uint32_t i = 0; keep && i < adapters->count; i++)
        keep = !same_adapter(&adapters->infos[i], &info);
    if (!keep) {
        gpu->library.api.adapter_release(adapter);
        return;
    }
    uint32_t place = adapters->count++;
    while (place > 0 && rank(info.kind) < rank(adapters->infos[place - 1].kind)) {
        adapters->handles[place] = adapters->handles[place - 1];
        adapters->infos[place] = adapters->infos[place - 1];
        place--;
    }
    adapters->handles[place] = adapter;
    adapters->infos[place] = info;
}

rp_status rp_adapters_list(rp_gpu *gpu, rp_adapters *adapters, rp_error *error)
{
    static const WGPURequestAdapterOptions ways[] = {
        {.featureLevel = WGPUFeatureLevel_Core, .powerPreference = WGPUPowerPreference_HighPerformance},
        {.featureLevel = WGPUFeatureLevel_Core, .powerPreference = WGPUPowerPreference_LowPower},
        {.featureLevel = WGPUFeatureLevel_Core, .forceFallbackAdapter = 1},
    };
    *adapters = (rp_adapters){0};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        WGPUDawnTogglesDescriptor chain = dawn_toggles();
        WGPURequestAdapterOptions options = ways[i];
        options.nextInChain = gpu->library.profile.dawn ? &chain.chain : NULL;
        rp_request *request = rp_request_take(gpu);
        if (!request)
            return rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "asking for adapters: too many requests are unanswered");
        gpu->library.api.instance_request_adapter(
            gpu->instance, &options,
            (WGPURequestAdapterCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                             .callback = adapter_answered,
                                             .userdata1 = request,
                                             .userdata2 = gpu});
        rp_status status = rp_request_wait(gpu, request, gpu->answer_seconds, "asking for adapters", error);
        // That there is no adapter of a kind is no error.
        WGPUAdapter adapter = status == RP_STATUS_OK ? request->object : NULL;
        rp_request_give_back(request);
        if (adapter)
            add_adapter(gpu, adapter, adapters);
        if (status != RP_STATUS_OK) {
            rp_adapters_release(gpu, adapters);
            return status;
        }
    }
    return RP_STATUS_OK;
}

void rp_adapters_release(const rp_gpu *gpu, rp_adapters *adapters)
{
    for (uint32_t i = 0; i < adapters->count; i++)
        if (adapters->handles[i])
            gpu->library.api.adapter_release(adapters->handles[i]);
    *adapters = (rp_adapters){0};
}
