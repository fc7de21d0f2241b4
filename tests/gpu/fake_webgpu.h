// A made-up WebGPU for tests: it logs every call, counts its objects, keeps the bytes of its buffers, runs no shader,
// and fails wherever a test says so. One at a time.
#ifndef TESTS_GPU_FAKE_WEBGPU_H
#define TESTS_GPU_FAKE_WEBGPU_H

#include "gpu/library.h"

typedef enum fake_kind {
    FAKE_INSTANCE,
    FAKE_ADAPTER,
    FAKE_DEVICE,
    FAKE_QUEUE,
    FAKE_BUFFER,
    FAKE_SHADER,
    FAKE_PIPELINE,
    FAKE_LAYOUT,
    FAKE_BIND_GROUP,
    FAKE_ENCODER,
    FAKE_PASS,
    FAKE_COMMANDS,
    FAKE_KIND_COUNT
} fake_kind;

typedef struct fake_adapter {
    const char *name;
    uint32_t type;     // WGPUAdapterType
    uint32_t backend;  // 0: Vulkan
    uint32_t features; // bits 1 << feature number, of numbers below 32
} fake_adapter;

// The nth call (from 1) of the function whose webgpu.h name this is; NULL: no call.
typedef struct fake_call {
    const char *function;
    uint32_t nth;
} fake_call;

typedef struct fake_webgpu {
    // What a test sets.
    const fake_adapter *high, *low, *fallback; // what each way of asking for an adapter gives; NULL: none
    fake_call refuse;                          // gives NULL, or a failure status
    fake_call wrong;                           // raises wrong_type, into the innermost scope of its kind
    fake_call lose;                            // loses the device
    fake_call silent;                          // is never answered
    uint32_t wrong_type;                       // WGPUErrorType
    bool uncaught;                             // past all scopes
    uint32_t compile_line;                     // of the error that compilation info tells of; 0: none
    WGPULimits limits;
    // What a test looks at.
    char log[1 << 15]; // the names after "wgpu", one a line, without ProcessEvents
    int live[FAKE_KIND_COUNT];
    int scopes;      // open
    int bad_handles; // calls with a handle that is NULL or of another kind
    uint64_t usages; // of all buffers created, ored
    uint32_t device_features;
    uint32_t device_max_workgroups; // limits asked for
} fake_webgpu;

extern fake_webgpu fake;

// Resets everything and gives a library whose adapter is one discrete GPU named "Fake".
rp_library fake_library(void);
// Live objects of every kind.
int fake_live(void);
// How often the log has the function.
uint32_t fake_count(const char *function);

#endif
