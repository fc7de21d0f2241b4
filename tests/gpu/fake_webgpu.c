// The made-up WebGPU. Answers are given from ProcessEvents only, in the order of the calls.
#include "gpu/fake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fake_webgpu fake;

static fake_answer answers[64];
static uint32_t answer_count;
static struct {
    uint32_t filter, type; // type 0: none caught
} scopes[16];
static WGPUDeviceLostCallbackInfo lost_info;
static WGPUUncapturedErrorCallbackInfo uncaptured_info;
static bool lost;
static const fake_adapter *adapter_of_device;

static const WGPUStringView wrong_message = {"made-up error\nof two lines", WGPU_STRLEN};

uint32_t fake_count(const char *function)
{
    uint32_t count = 0;
    size_t length = strlen(function);
    for (const char *line = fake.log; *line; line = strchr(line, '\n') + 1)
        count += !strncmp(line, function, length) && line[length] == '\n';
    return count;
}

bool fake_is_call(fake_call call, const char *function)
{
    return call.function && !strcmp(call.function, function) && fake_count(function) == call.nth;
}

static void raise_error(uint32_t type)
{
    for (int i = fake.scopes; i-- > 0 && !fake.uncaught;)
        if (scopes[i].filter + 1 == type) { // filters and types are numbered alike, one apart
            if (!scopes[i].type)
                scopes[i].type = type;
            return;
        }
    uncaptured_info.callback(NULL, type, wrong_message, uncaptured_info.userdata1, uncaptured_info.userdata2);
}

void fake_push_answer(fake_answer answer)
{
    if (answer_count < sizeof answers / sizeof *answers)
        answers[answer_count++] = answer;
}

static void lose_device(uint32_t reason)
{
    if (lost)
        return;
    lost = true;
    fake_push_answer((fake_answer){.kind = ANSWER_LOST, .type = reason});
}

// Every call comes through here. False: it is to fail.
bool fake_enter(const char *function)
{
    size_t used = strlen(fake.log);
    snprintf(fake.log + used, sizeof fake.log - used, "%s\n", function);
    if (fake_is_call(fake.wrong, function))
        raise_error(fake.wrong_type);
    if (fake_is_call(fake.lose, function))
        lose_device(WGPUDeviceLostReason_Unknown);
    return !fake_is_call(fake.refuse, function);
}

void *fake_make(fake_kind kind)
{
    fake_object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    object->kind = kind;
    fake.live[kind]++;
    return object;
}

void fake_drop(void *handle, fake_kind kind)
{
    fake_object *object = handle;
    if (!object || object->kind != kind) {
        fake.bad_handles++;
        return;
    }
    fake.live[kind]--;
    free(object->bytes);
    free(object);
}

fake_object *fake_check(void *handle, fake_kind kind)
{
    fake_object *object = handle;
    if (!object || object->kind != kind) {
        fake.bad_handles++;
        return NULL;
    }
    return object;
}

// ---- Instance, adapters, events

static WGPUInstance create_instance(const WGPUInstanceDescriptor *desc)
{
    (void)desc;
    return fake_enter("CreateInstance") ? fake_make(FAKE_INSTANCE) : NULL;
}

static WGPUFuture request_adapter(WGPUInstance instance, const WGPURequestAdapterOptions *options,
                                  WGPURequestAdapterCallbackInfo info)
{
    fake_check(instance, FAKE_INSTANCE);
    const fake_adapter *chosen = options->forceFallbackAdapter                                     ? fake.fallback
                                 : options->powerPreference == WGPUPowerPreference_HighPerformance ? fake.high
                                                                                                   : fake.low;
    if (!fake_enter("InstanceRequestAdapter"))
        chosen = NULL;
    void *object = NULL;
    if (chosen && !fake_is_call(fake.silent, "InstanceRequestAdapter")) {
        object = fake_make(FAKE_ADAPTER);
        ((fake_object *)object)->bytes = malloc(sizeof chosen);
        memcpy(((fake_object *)object)->bytes, &chosen, sizeof chosen);
    }
    if (!fake_is_call(fake.silent, "InstanceRequestAdapter"))
        fake_push_answer((fake_answer){ANSWER_ADAPTER, (void (*)(void))info.callback, info.userdata1, info.userdata2,
                                       object ? 1 : 3, 0, object});
    return (WGPUFuture){0};
}

static const fake_adapter *adapter_of(WGPUAdapter adapter)
{
    const fake_adapter *result = NULL;
    fake_object *object = fake_check(adapter, FAKE_ADAPTER);
    if (object)
        memcpy(&result, object->bytes, sizeof result);
    return result;
}

static void answer_one(const fake_answer *answer)
{
    // Each callback is called with its own type.
    switch (answer->kind) {
    case ANSWER_ADAPTER:
        ((WGPURequestAdapterCallback)answer->callback)(answer->status, answer->object, (WGPUStringView){0},
                                                       answer->user1, answer->user2);
        break;
    case ANSWER_DEVICE:
        ((WGPURequestDeviceCallback)answer->callback)(answer->status, answer->object, wrong_message, answer->user1,
                                                      answer->user2);
        break;
    case ANSWER_SCOPE:
        ((WGPUPopErrorScopeCallback)answer->callback)(answer->status, answer->type ? answer->type : 1,
                                                      answer->type ? wrong_message : (WGPUStringView){0}, answer->user1,
                                                      answer->user2);
        break;
    case ANSWER_MAP:
        ((WGPUBufferMapCallback)answer->callback)(answer->status, wrong_message, answer->user1, answer->user2);
        break;
    case ANSWER_WORK:
        ((WGPUQueueWorkDoneCallback)answer->callback)(answer->status, wrong_message, answer->user1, answer->user2);
        break;
    case ANSWER_INFO: {
        const WGPUCompilationMessage messages[] = {
            {.message = {"only a warning", WGPU_STRLEN}, .type = 2, .lineNum = 1, .linePos = 1},
            {.message = {"unresolved value", WGPU_STRLEN}, .type = 1, .lineNum = fake.compile_line, .linePos = 7}};
        WGPUCompilationInfo info = {.messageCount = fake.compile_line ? 2 : 1, .messages = messages};
        ((WGPUCompilationInfoCallback)answer->callback)(1, &info, answer->user1, answer->user2);
        break;
    }
    case ANSWER_LOST:
        if (lost_info.callback)
            lost_info.callback(NULL, answer->type, (WGPUStringView){"made-up loss", WGPU_STRLEN}, lost_info.userdata1,
                               lost_info.userdata2);
        break;
    }
}

static void process_events(WGPUInstance instance)
{
    fake_check(instance, FAKE_INSTANCE);
    fake_answer now[sizeof answers / sizeof *answers];
    uint32_t count = answer_count;
    memcpy(now, answers, count * sizeof *now);
    answer_count = 0;
    for (uint32_t i = 0; i < count; i++)
        answer_one(&now[i]);
}

static void instance_release(WGPUInstance instance)
{
    fake_enter("InstanceRelease");
    process_events(instance);
    fake_drop(instance, FAKE_INSTANCE);
}

static WGPUEnum get_info(WGPUAdapter adapter, WGPUAdapterInfo *info)
{
    const fake_adapter *is = adapter_of(adapter);
    info->device = (WGPUStringView){is->name, WGPU_STRLEN};
    info->vendor = (WGPUStringView){"maker", 3}; // a view need not end with a zero
    info->backendType = is->backend ? is->backend : WGPUBackendType_Vulkan;
    info->adapterType = is->type;
    info->subgroupMinSize = 8;
    info->subgroupMaxSize = 32;
    return fake_enter("AdapterGetInfo") ? WGPUStatus_Success : 2;
}

static void info_free(WGPUAdapterInfo info)
{
    (void)info;
    fake_enter("AdapterInfoFreeMembers");
}

static WGPUEnum get_limits(WGPUAdapter adapter, WGPULimits *limits)
{
    fake_check(adapter, FAKE_ADAPTER);
    *limits = fake.limits;
    return fake_enter("AdapterGetLimits") ? WGPUStatus_Success : 2;
}

static WGPUBool has_feature(WGPUAdapter adapter, WGPUEnum feature)
{
    return feature < 32 && (adapter_of(adapter)->features >> feature & 1);
}

static void adapter_release(WGPUAdapter adapter)
{
    fake_enter("AdapterRelease");
    fake_drop(adapter, FAKE_ADAPTER);
}

// ---- Device and queue

static WGPUFuture request_device(WGPUAdapter adapter, const WGPUDeviceDescriptor *desc,
                                 WGPURequestDeviceCallbackInfo info)
{
    adapter_of_device = adapter_of(adapter);
    bool good = fake_enter("AdapterRequestDevice");
    lost_info = desc->deviceLostCallbackInfo;
    uncaptured_info = desc->uncapturedErrorCallbackInfo;
    if (!good)
        fake_push_answer((fake_answer){.kind = ANSWER_LOST, .type = WGPUDeviceLostReason_FailedCreation});
    fake.device_features = 0;
    for (size_t i = 0; i < desc->requiredFeatureCount; i++)
        fake.device_features |= 1u << (desc->requiredFeatures[i] & 31);
    fake.device_max_workgroups = desc->requiredLimits->maxComputeWorkgroupsPerDimension;
    if (!fake_is_call(fake.silent, "AdapterRequestDevice"))
        fake_push_answer((fake_answer){ANSWER_DEVICE, (void (*)(void))info.callback, info.userdata1, info.userdata2,
                                       good ? 1 : 3, 0, good ? fake_make(FAKE_DEVICE) : NULL});
    return (WGPUFuture){0};
}

static WGPUEnum device_limits(WGPUDevice device, WGPULimits *limits)
{
    fake_check(device, FAKE_DEVICE);
    *limits = fake.limits;
    return fake_enter("DeviceGetLimits") ? WGPUStatus_Success : 2;
}

static WGPUQueue get_queue(WGPUDevice device)
{
    fake_check(device, FAKE_DEVICE);
    return fake_enter("DeviceGetQueue") ? fake_make(FAKE_QUEUE) : NULL;
}

static void push_scope(WGPUDevice device, WGPUEnum filter)
{
    fake_check(device, FAKE_DEVICE);
    fake_enter("DevicePushErrorScope");
    scopes[fake.scopes].filter = filter;
    scopes[fake.scopes++].type = 0;
}

static WGPUFuture pop_scope(WGPUDevice device, WGPUPopErrorScopeCallbackInfo info)
{
    fake_check(device, FAKE_DEVICE);
    bool good = fake_enter("DevicePopErrorScope");
    fake.scopes--;
    if (!fake_is_call(fake.silent, "DevicePopErrorScope"))
        fake_push_answer((fake_answer){ANSWER_SCOPE, (void (*)(void))info.callback, info.userdata1, info.userdata2,
                                       good ? 1 : 3, scopes[fake.scopes].type, NULL});
    return (WGPUFuture){0};
}

static void device_destroy(WGPUDevice device)
{
    fake_check(device, FAKE_DEVICE);
    fake_enter("DeviceDestroy");
    lose_device(WGPUDeviceLostReason_Destroyed);
}

static void device_release(WGPUDevice device)
{
    fake_enter("DeviceRelease");
    fake_drop(device, FAKE_DEVICE);
}

static void submit(WGPUQueue queue, size_t count, const WGPUCommandBuffer *commands)
{
    fake_check(queue, FAKE_QUEUE);
    for (size_t i = 0; i < count; i++)
        fake_check(commands[i], FAKE_COMMANDS);
    fake_enter("QueueSubmit");
}

static void write_buffer(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset, const void *data, size_t size)
{
    fake_check(queue, FAKE_QUEUE);
    fake_object *object = fake_check(buffer, FAKE_BUFFER);
    fake_enter("QueueWriteBuffer");
    if (object && offset <= object->size && size <= object->size - offset)
        memcpy(object->bytes + offset, data, size);
    else
        fake.bad_handles++;
}

static WGPUFuture work_done(WGPUQueue queue, WGPUQueueWorkDoneCallbackInfo info)
{
    fake_check(queue, FAKE_QUEUE);
    bool good = fake_enter("QueueOnSubmittedWorkDone");
    if (!fake_is_call(fake.silent, "QueueOnSubmittedWorkDone"))
        fake_push_answer((fake_answer){ANSWER_WORK, (void (*)(void))info.callback, info.userdata1, info.userdata2,
                                       good ? 1 : 3, 0, NULL});
    return (WGPUFuture){0};
}

static void queue_release(WGPUQueue queue)
{
    fake_enter("QueueRelease");
    fake_drop(queue, FAKE_QUEUE);
}

int fake_live(void)
{
    int live = 0;
    for (int i = 0; i < FAKE_KIND_COUNT; i++)
        live += fake.live[i];
    return live;
}

rp_library fake_library(void)
{
    static const fake_adapter usual = {.name = "Fake", .type = WGPUAdapterType_DiscreteGPU};
    fake = (fake_webgpu){.high = &usual,
                         .low = &usual,
                         .limits = {.maxBufferSize = 1 << 20,
                                    .maxUniformBufferBindingSize = 65536,
                                    .maxStorageBufferBindingSize = 1 << 19,
                                    .maxStorageBuffersPerShaderStage = 8,
                                    .minUniformBufferOffsetAlignment = 256,
                                    .minStorageBufferOffsetAlignment = 256,
                                    .maxComputeWorkgroupStorageSize = 16384,
                                    .maxComputeInvocationsPerWorkgroup = 256,
                                    .maxComputeWorkgroupSizeX = 256,
                                    .maxComputeWorkgroupSizeY = 255,
                                    .maxComputeWorkgroupSizeZ = 64,
                                    .maxComputeWorkgroupsPerDimension = 65535}};
    answer_count = 0;
    lost = false;
    lost_info = (WGPUDeviceLostCallbackInfo){0};
    rp_library library = {
        .path = "fake",
        .profile = {.name = "fake", .timestamp_query = 9, .shader_f16 = 11, .subgroups = 18, .compilation_info = true},
        .api = {.create_instance = create_instance,
                .instance_request_adapter = request_adapter,
                .instance_process_events = process_events,
                .instance_release = instance_release,
                .adapter_get_info = get_info,
                .adapter_info_free_members = info_free,
                .adapter_get_limits = get_limits,
                .adapter_has_feature = has_feature,
                .adapter_request_device = request_device,
                .adapter_release = adapter_release,
                .device_get_limits = device_limits,
                .device_get_queue = get_queue,
                .device_push_error_scope = push_scope,
                .device_pop_error_scope = pop_scope,
                .device_destroy = device_destroy,
                .device_release = device_release,
                .queue_submit = submit,
                .queue_write_buffer = write_buffer,
                .queue_on_submitted_work_done = work_done,
                .queue_release = queue_release}};
    fake_fill_objects(&library.api);
    return library;
}
