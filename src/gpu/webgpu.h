// The part of the webgpu.h C interface that reprise calls, written by hand: no header of an implementation is needed to
// build. Names are those of webgpu.h; layouts and numbers are facts taken from the webgpu-headers project's header
// (version 1.0) and from index.js of the npm package bun-webgpu, which describes the Dawn build of April 2025. Both
// agree on everything here; where they differ the number is in rp_webgpu_profile (library.h), not here.
#ifndef RP_GPU_WEBGPU_H
#define RP_GPU_WEBGPU_H

#include <stddef.h>
#include <stdint.h>

typedef struct WGPUInstanceImpl *WGPUInstance;
typedef struct WGPUAdapterImpl *WGPUAdapter;
typedef struct WGPUDeviceImpl *WGPUDevice;
typedef struct WGPUQueueImpl *WGPUQueue;
typedef struct WGPUBufferImpl *WGPUBuffer;
typedef struct WGPUShaderModuleImpl *WGPUShaderModule;
typedef struct WGPUComputePipelineImpl *WGPUComputePipeline;
typedef struct WGPUBindGroupLayoutImpl *WGPUBindGroupLayout;
typedef struct WGPUBindGroupImpl *WGPUBindGroup;
typedef struct WGPUCommandEncoderImpl *WGPUCommandEncoder;
typedef struct WGPUComputePassEncoderImpl *WGPUComputePassEncoder;
typedef struct WGPUCommandBufferImpl *WGPUCommandBuffer;

typedef uint32_t WGPUBool;
typedef uint32_t WGPUEnum; // every enumeration of webgpu.h is 32 bits wide

#define WGPU_STRLEN SIZE_MAX

enum { WGPUStatus_Success = 1 };
enum { WGPUCallbackMode_AllowProcessEvents = 2 };
enum { WGPUFeatureLevel_Core = 2 };
enum { WGPUPowerPreference_LowPower = 1, WGPUPowerPreference_HighPerformance = 2 };
enum { WGPUErrorFilter_Validation = 1, WGPUErrorFilter_OutOfMemory = 2, WGPUErrorFilter_Internal = 3 };
enum {
    WGPUErrorType_NoError = 1,
    WGPUErrorType_Validation = 2,
    WGPUErrorType_OutOfMemory = 3,
    WGPUErrorType_Internal = 4
};
enum {
    WGPUAdapterType_DiscreteGPU = 1,
    WGPUAdapterType_IntegratedGPU = 2,
    WGPUAdapterType_CPU = 3,
    WGPUAdapterType_Unknown = 4
};
enum {
    WGPUBackendType_Null = 1,
    WGPUBackendType_WebGPU = 2,
    WGPUBackendType_D3D11 = 3,
    WGPUBackendType_D3D12 = 4,
    WGPUBackendType_Metal = 5,
    WGPUBackendType_Vulkan = 6,
    WGPUBackendType_OpenGL = 7,
    WGPUBackendType_OpenGLES = 8
};
// The status of every kind of request: 1 is success. Other numbers only go into messages.
enum { WGPURequestStatus_Success = 1 };
enum { WGPUDeviceLostReason_Unknown = 1, WGPUDeviceLostReason_Destroyed = 2, WGPUDeviceLostReason_FailedCreation = 4 };
enum { WGPUCompilationMessageType_Error = 1 };
enum { WGPUMapMode_Read = 1 };
enum {
    WGPUSType_ShaderSourceWGSL = 2,
    // Dawn's own range; these have kept their numbers from 2024 to 2026.
    WGPUSType_DawnTogglesDescriptor = 0x5000A
};

typedef struct WGPUChainedStruct {
    struct WGPUChainedStruct *next;
    WGPUEnum sType;
} WGPUChainedStruct;

typedef struct WGPUStringView {
    const char *data;
    size_t length; // WGPU_STRLEN: zero-terminated
} WGPUStringView;

typedef struct WGPUFuture {
    uint64_t id;
} WGPUFuture;

// Instance. Its members after the chain differ between the two profiles; all zeros mean "nothing special" in both.
typedef struct WGPUInstanceDescriptor {
    WGPUChainedStruct *nextInChain;
    uint64_t zeros[6];
} WGPUInstanceDescriptor;

typedef struct WGPUDawnTogglesDescriptor {
    WGPUChainedStruct chain;
    size_t enabledToggleCount;
    const char *const *enabledToggles;
    size_t disabledToggleCount;
    const char *const *disabledToggles;
} WGPUDawnTogglesDescriptor;

typedef struct WGPURequestAdapterOptions {
    WGPUChainedStruct *nextInChain;
    WGPUEnum featureLevel;
    WGPUEnum powerPreference;
    WGPUBool forceFallbackAdapter;
    WGPUEnum backendType;
    void *compatibleSurface;
} WGPURequestAdapterOptions;

typedef void (*WGPURequestAdapterCallback)(WGPUEnum status, WGPUAdapter adapter, WGPUStringView message, void *user1,
                                           void *user2);
typedef void (*WGPURequestDeviceCallback)(WGPUEnum status, WGPUDevice device, WGPUStringView message, void *user1,
                                          void *user2);
typedef void (*WGPUDeviceLostCallback)(const WGPUDevice *device, WGPUEnum reason, WGPUStringView message, void *user1,
                                       void *user2);
typedef void (*WGPUUncapturedErrorCallback)(const WGPUDevice *device, WGPUEnum type, WGPUStringView message,
                                            void *user1, void *user2);
typedef void (*WGPUPopErrorScopeCallback)(WGPUEnum status, WGPUEnum type, WGPUStringView message, void *user1,
                                          void *user2);
typedef void (*WGPUBufferMapCallback)(WGPUEnum status, WGPUStringView message, void *user1, void *user2);
struct WGPUCompilationInfo;
typedef void (*WGPUCompilationInfoCallback)(WGPUEnum status, const struct WGPUCompilationInfo *info, void *user1,
                                            void *user2);
// The build of April 2025 passes the message too, although its JavaScript package declares the callback without.
typedef void (*WGPUQueueWorkDoneCallback)(WGPUEnum status, WGPUStringView message, void *user1, void *user2);

typedef struct WGPURequestAdapterCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPURequestAdapterCallback callback;
    void *userdata1, *userdata2;
} WGPURequestAdapterCallbackInfo;

typedef struct WGPURequestDeviceCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPURequestDeviceCallback callback;
    void *userdata1, *userdata2;
} WGPURequestDeviceCallbackInfo;

typedef struct WGPUDeviceLostCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPUDeviceLostCallback callback;
    void *userdata1, *userdata2;
} WGPUDeviceLostCallbackInfo;

typedef struct WGPUUncapturedErrorCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUUncapturedErrorCallback callback;
    void *userdata1, *userdata2;
} WGPUUncapturedErrorCallbackInfo;

typedef struct WGPUPopErrorScopeCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPUPopErrorScopeCallback callback;
    void *userdata1, *userdata2;
} WGPUPopErrorScopeCallbackInfo;

typedef struct WGPUBufferMapCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPUBufferMapCallback callback;
    void *userdata1, *userdata2;
} WGPUBufferMapCallbackInfo;

typedef struct WGPUCompilationInfoCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPUCompilationInfoCallback callback;
    void *userdata1, *userdata2;
} WGPUCompilationInfoCallbackInfo;

typedef struct WGPUQueueWorkDoneCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUEnum mode;
    WGPUQueueWorkDoneCallback callback;
    void *userdata1, *userdata2;
} WGPUQueueWorkDoneCallbackInfo;

// What an implementation allocates is given back with wgpuAdapterInfoFreeMembers. `reserved` keeps room for members
// that later versions append.
typedef struct WGPUAdapterInfo {
    WGPUChainedStruct *nextInChain;
    WGPUStringView vendor, architecture, device, description;
    WGPUEnum backendType, adapterType;
    uint32_t vendorID, deviceID;
    uint32_t subgroupMinSize, subgroupMaxSize;
    uint64_t reserved[8];
} WGPUAdapterInfo;

typedef struct WGPULimits {
    WGPUChainedStruct *nextInChain;
    uint32_t maxTextureDimension1D, maxTextureDimension2D, maxTextureDimension3D, maxTextureArrayLayers;
    uint32_t maxBindGroups, maxBindGroupsPlusVertexBuffers, maxBindingsPerBindGroup;
    uint32_t maxDynamicUniformBuffersPerPipelineLayout, maxDynamicStorageBuffersPerPipelineLayout;
    uint32_t maxSampledTexturesPerShaderStage, maxSamplersPerShaderStage;
    uint32_t maxStorageBuffersPerShaderStage, maxStorageTexturesPerShaderStage, maxUniformBuffersPerShaderStage;
    uint64_t maxUniformBufferBindingSize, maxStorageBufferBindingSize;
    uint32_t minUniformBufferOffsetAlignment, minStorageBufferOffsetAlignment;
    uint32_t maxVertexBuffers;
    uint64_t maxBufferSize;
    uint32_t maxVertexAttributes, maxVertexBufferArrayStride, maxInterStageShaderVariables;
    uint32_t maxColorAttachments, maxColorAttachmentBytesPerSample;
    uint32_t maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup;
    uint32_t maxComputeWorkgroupSizeX, maxComputeWorkgroupSizeY, maxComputeWorkgroupSizeZ;
    uint32_t maxComputeWorkgroupsPerDimension;
    // webgpu.h 1.0 goes on with one 32-bit member, the build of April 2025 with five. They are only passed on.
    uint32_t reserved[24];
} WGPULimits;

typedef struct WGPUQueueDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
} WGPUQueueDescriptor;

typedef struct WGPUDeviceDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    size_t requiredFeatureCount;
    const WGPUEnum *requiredFeatures;
    const WGPULimits *requiredLimits;
    WGPUQueueDescriptor defaultQueue;
    WGPUDeviceLostCallbackInfo deviceLostCallbackInfo;
    WGPUUncapturedErrorCallbackInfo uncapturedErrorCallbackInfo;
} WGPUDeviceDescriptor;

typedef struct WGPUBufferDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    uint64_t usage;
    uint64_t size;
    WGPUBool mappedAtCreation;
} WGPUBufferDescriptor;

typedef struct WGPUShaderSourceWGSL {
    WGPUChainedStruct chain;
    WGPUStringView code;
} WGPUShaderSourceWGSL;

typedef struct WGPUShaderModuleDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
} WGPUShaderModuleDescriptor;

typedef struct WGPUCompilationMessage {
    WGPUChainedStruct *nextInChain;
    WGPUStringView message;
    WGPUEnum type;
    uint64_t lineNum, linePos; // from 1; linePos in bytes
    uint64_t offset, length;
} WGPUCompilationMessage;

typedef struct WGPUCompilationInfo {
    WGPUChainedStruct *nextInChain;
    size_t messageCount;
    const WGPUCompilationMessage *messages;
} WGPUCompilationInfo;

typedef struct WGPUComputeState {
    WGPUChainedStruct *nextInChain;
    WGPUShaderModule module;
    WGPUStringView entryPoint;
    size_t constantCount;
    const void *constants;
} WGPUComputeState;

typedef struct WGPUComputePipelineDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    void *layout; // NULL: auto
    WGPUComputeState compute;
} WGPUComputePipelineDescriptor;

typedef struct WGPUBindGroupEntry {
    WGPUChainedStruct *nextInChain;
    uint32_t binding;
    WGPUBuffer buffer;
    uint64_t offset, size;
    void *sampler, *textureView;
} WGPUBindGroupEntry;

typedef struct WGPUBindGroupDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    WGPUBindGroupLayout layout;
    size_t entryCount;
    const WGPUBindGroupEntry *entries;
} WGPUBindGroupDescriptor;

typedef struct WGPUCommandEncoderDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
} WGPUCommandEncoderDescriptor;

typedef struct WGPUComputePassDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    const void *timestampWrites;
} WGPUComputePassDescriptor;

typedef struct WGPUCommandBufferDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
} WGPUCommandBufferDescriptor;

// Every function that reprise calls: result, member of rp_webgpu, name after "wgpu", parameters.
#define RP_WEBGPU_FUNCTIONS(X)                                                                                         \
    X(WGPUInstance, create_instance, CreateInstance, (const WGPUInstanceDescriptor *))                                 \
    X(WGPUFuture, instance_request_adapter, InstanceRequestAdapter,                                                    \
      (WGPUInstance, const WGPURequestAdapterOptions *, WGPURequestAdapterCallbackInfo))                               \
    X(void, instance_process_events, InstanceProcessEvents, (WGPUInstance))                                            \
    X(void, instance_release, InstanceRelease, (WGPUInstance))                                                         \
    X(WGPUEnum, adapter_get_info, AdapterGetInfo, (WGPUAdapter, WGPUAdapterInfo *))                                    \
    X(void, adapter_info_free_members, AdapterInfoFreeMembers, (WGPUAdapterInfo))                                      \
    X(WGPUEnum, adapter_get_limits, AdapterGetLimits, (WGPUAdapter, WGPULimits *))                                     \
    X(WGPUBool, adapter_has_feature, AdapterHasFeature, (WGPUAdapter, WGPUEnum))                                       \
    X(WGPUFuture, adapter_request_device, AdapterRequestDevice,                                                        \
      (WGPUAdapter, const WGPUDeviceDescriptor *, WGPURequestDeviceCallbackInfo))                                      \
    X(void, adapter_release, AdapterRelease, (WGPUAdapter))                                                            \
    X(WGPUEnum, device_get_limits, DeviceGetLimits, (WGPUDevice, WGPULimits *))                                        \
    X(WGPUQueue, device_get_queue, DeviceGetQueue, (WGPUDevice))                                                       \
    X(void, device_push_error_scope, DevicePushErrorScope, (WGPUDevice, WGPUEnum))                                     \
    X(WGPUFuture, device_pop_error_scope, DevicePopErrorScope, (WGPUDevice, WGPUPopErrorScopeCallbackInfo))            \
    X(WGPUBuffer, device_create_buffer, DeviceCreateBuffer, (WGPUDevice, const WGPUBufferDescriptor *))                \
    X(WGPUShaderModule, device_create_shader_module, DeviceCreateShaderModule,                                         \
      (WGPUDevice, const WGPUShaderModuleDescriptor *))                                                                \
    X(WGPUComputePipeline, device_create_compute_pipeline, DeviceCreateComputePipeline,                                \
      (WGPUDevice, const WGPUComputePipelineDescriptor *))                                                             \
    X(WGPUBindGroup, device_create_bind_group, DeviceCreateBindGroup, (WGPUDevice, const WGPUBindGroupDescriptor *))   \
    X(WGPUCommandEncoder, device_create_command_encoder, DeviceCreateCommandEncoder,                                   \
      (WGPUDevice, const WGPUCommandEncoderDescriptor *))                                                              \
    X(void, device_destroy, DeviceDestroy, (WGPUDevice))                                                               \
    X(void, device_release, DeviceRelease, (WGPUDevice))                                                               \
    X(void, queue_submit, QueueSubmit, (WGPUQueue, size_t, const WGPUCommandBuffer *))                                 \
    X(void, queue_write_buffer, QueueWriteBuffer, (WGPUQueue, WGPUBuffer, uint64_t, const void *, size_t))             \
    X(WGPUFuture, queue_on_submitted_work_done, QueueOnSubmittedWorkDone, (WGPUQueue, WGPUQueueWorkDoneCallbackInfo))  \
    X(void, queue_release, QueueRelease, (WGPUQueue))                                                                  \
    X(WGPUFuture, buffer_map_async, BufferMapAsync,                                                                    \
      (WGPUBuffer, uint64_t mode, size_t offset, size_t size, WGPUBufferMapCallbackInfo))                              \
    X(void *, buffer_get_mapped_range, BufferGetMappedRange, (WGPUBuffer, size_t, size_t))                             \
    X(const void *, buffer_get_const_mapped_range, BufferGetConstMappedRange, (WGPUBuffer, size_t, size_t))            \
    X(void, buffer_unmap, BufferUnmap, (WGPUBuffer))                                                                   \
    X(void, buffer_destroy, BufferDestroy, (WGPUBuffer))                                                               \
    X(void, buffer_release, BufferRelease, (WGPUBuffer))                                                               \
    X(WGPUFuture, shader_module_get_compilation_info, ShaderModuleGetCompilationInfo,                                  \
      (WGPUShaderModule, WGPUCompilationInfoCallbackInfo))                                                             \
    X(void, shader_module_release, ShaderModuleRelease, (WGPUShaderModule))                                            \
    X(WGPUBindGroupLayout, compute_pipeline_get_bind_group_layout, ComputePipelineGetBindGroupLayout,                  \
      (WGPUComputePipeline, uint32_t))                                                                                 \
    X(void, compute_pipeline_release, ComputePipelineRelease, (WGPUComputePipeline))                                   \
    X(void, bind_group_layout_release, BindGroupLayoutRelease, (WGPUBindGroupLayout))                                  \
    X(void, bind_group_release, BindGroupRelease, (WGPUBindGroup))                                                     \
    X(WGPUComputePassEncoder, command_encoder_begin_compute_pass, CommandEncoderBeginComputePass,                      \
      (WGPUCommandEncoder, const WGPUComputePassDescriptor *))                                                         \
    X(void, command_encoder_copy_buffer_to_buffer, CommandEncoderCopyBufferToBuffer,                                   \
      (WGPUCommandEncoder, WGPUBuffer, uint64_t, WGPUBuffer, uint64_t, uint64_t))                                      \
    X(WGPUCommandBuffer, command_encoder_finish, CommandEncoderFinish,                                                 \
      (WGPUCommandEncoder, const WGPUCommandBufferDescriptor *))                                                       \
    X(void, command_encoder_release, CommandEncoderRelease, (WGPUCommandEncoder))                                      \
    X(void, command_buffer_release, CommandBufferRelease, (WGPUCommandBuffer))                                         \
    X(void, compute_pass_encoder_set_pipeline, ComputePassEncoderSetPipeline,                                          \
      (WGPUComputePassEncoder, WGPUComputePipeline))                                                                   \
    X(void, compute_pass_encoder_set_bind_group, ComputePassEncoderSetBindGroup,                                       \
      (WGPUComputePassEncoder, uint32_t, WGPUBindGroup, size_t, const uint32_t *))                                     \
    X(void, compute_pass_encoder_dispatch_workgroups, ComputePassEncoderDispatchWorkgroups,                            \
      (WGPUComputePassEncoder, uint32_t, uint32_t, uint32_t))                                                          \
    X(void, compute_pass_encoder_end, ComputePassEncoderEnd, (WGPUComputePassEncoder))                                 \
    X(void, compute_pass_encoder_release, ComputePassEncoderRelease, (WGPUComputePassEncoder))

// The functions as loaded, or as a test makes them up.
typedef struct rp_webgpu {
#define RP_WEBGPU_MEMBER(result, member, name, parameters) result(*member) parameters;
    RP_WEBGPU_FUNCTIONS(RP_WEBGPU_MEMBER)
#undef RP_WEBGPU_MEMBER
} rp_webgpu;

#endif
