// The device inside rp_gpu: what the files of this layer share.
#ifndef RP_GPU_GPU_H
#define RP_GPU_GPU_H

#include "gpu/library.h"
#include "reprise/replay.h"

enum { RP_REQUEST_COUNT = 8 };
// How long a request may stay unanswered. Work may take its time on software Vulkan; its limit is only there so that a
// broken driver cannot hang the caller for good.
enum { RP_ANSWER_SECONDS = 60, RP_WORK_SECONDS = 3600 };

// One asynchronous call to the implementation. It lives in rp_gpu, not on a stack, because an answer may come after we
// gave up waiting; such a request stays taken until then.
typedef struct rp_request {
    bool taken;
    bool done;
    bool abandoned;  // nobody waits for the answer any more
    uint32_t status; // WebGPU's; 1 is success
    uint32_t type;   // of an error scope
    void *object;    // adapter or device
    char message[400];
} rp_request;

struct rp_gpu {
    rp_allocator allocator;
    rp_library library;
    WGPUInstance instance;
    WGPUAdapter adapter;
    WGPUDevice device;
    WGPUQueue queue;
    rp_gpu_info info;
    uint64_t max_bytes;
    double answer_seconds, work_seconds; // the limits above, unless the library has its own
    rp_request requests[RP_REQUEST_COUNT];
    bool lost; // or so unresponsive that it counts as lost
    char lost_message[300];
    rp_status uncaptured; // of the first error that no scope caught; OK: none
    char uncaptured_message[400];
};

// rp_gpu_create with a library that is loaded already. Tests pass a made-up one.
rp_status rp_gpu_create_with(const rp_library *library, const rp_gpu_desc *desc, rp_gpu **gpu, rp_error *error);
rp_status rp_gpu_enumerate_with(const rp_library *library, const rp_gpu_desc *desc, rp_gpu_info **infos,
                                uint32_t *count, rp_error *error);

// ---- wait.c: requests and their answers

// NULL when all are taken, which happens only after requests stayed unanswered.
rp_request *rp_request_take(rp_gpu *gpu);
// Handles events until the request is answered. OK also when the answer is a failure: look at request->status. Errors:
// DEVICE_LOST (lost before it answered, or no answer in time), which names `what`.
rp_status rp_request_wait(rp_gpu *gpu, rp_request *request, double seconds, const char *what, rp_error *error);
// Answered or not; NULL is fine.
void rp_request_give_back(rp_request *request);

// Fills the request: what every callback does with the message.
void rp_request_answer(rp_request *request, uint32_t status, WGPUStringView message);
void rp_copy_view(char *text, size_t size, WGPUStringView view);

// Fails when the device is lost or an error went by uncaught: DEVICE_LOST or the error's status.
rp_status rp_gpu_check(const rp_gpu *gpu, const char *what, rp_error *error);

// A request that is answered when the queue has done everything submitted so far; NULL as above. The second waits for
// it and gives it back.
rp_request *rp_gpu_mark_work(rp_gpu *gpu);
rp_status rp_gpu_finish_work(rp_gpu *gpu, rp_request *mark, const char *what, rp_error *error);

// ---- scope.c: error scopes

// Catches errors of every kind from here to the matching end.
void rp_scopes_begin(rp_gpu *gpu);
// The root cause of what went wrong since, out of: lost, memory, internal, validation; also what no scope caught.
rp_status rp_scopes_end(rp_gpu *gpu, const char *what, rp_error *error);

// ---- adapter.c: adapters

typedef struct rp_adapters {
    WGPUAdapter handles[4];
    rp_gpu_info infos[4];
    uint32_t count;
} rp_adapters;

// Opens gpu->instance. Errors: DEVICE_INTERNAL.
rp_status rp_instance_open(rp_gpu *gpu, rp_error *error);
// Every adapter that the instance offers, each once, real GPUs first. Errors: DEVICE_INTERNAL, DEVICE_LOST.
rp_status rp_adapters_list(rp_gpu *gpu, rp_adapters *adapters, rp_error *error);
void rp_adapters_release(const rp_gpu *gpu, rp_adapters *adapters);
void rp_limits_from(const WGPULimits *limits, rp_gpu_limits *result);

#endif
