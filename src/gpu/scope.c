// Error scopes around groups of calls, and the one error to report out of what they caught.
#include "base/error.h"
#include "gpu/gpu.h"

enum { SCOPE_COUNT = 3 };

// Innermost last. Each scope takes the first error of its kind.
static const WGPUEnum filters[SCOPE_COUNT] = {WGPUErrorFilter_Validation, WGPUErrorFilter_Internal,
                                              WGPUErrorFilter_OutOfMemory};

void rp_scopes_begin(rp_gpu *gpu)
{
    for (int i = 0; i < SCOPE_COUNT; i++)
        gpu->library.api.device_push_error_scope(gpu->device, filters[i]);
}

static void popped(WGPUEnum status, WGPUEnum type, WGPUStringView message, void *user1, void *user2)
{
    rp_request *request = user1;
    (void)user2;
    request->type = type;
    rp_request_answer(request, status, message);
}

static rp_status status_of(WGPUEnum type)
{
    switch (type) {
    case WGPUErrorType_NoError:
        return RP_STATUS_OK;
    case WGPUErrorType_OutOfMemory:
        return RP_STATUS_DEVICE_MEMORY;
    case WGPUErrorType_Validation:
        return RP_STATUS_DEVICE_VALIDATION;
    default:
        return RP_STATUS_DEVICE_INTERNAL;
    }
}

// Memory and internal errors leave invalid objects behind, whose use is then a validation error: so the scopes are
// looked at from the innermost, memory, outwards, and the first finding is the cause.
rp_status rp_scopes_end(rp_gpu *gpu, const char *what, rp_error *error)
{
    rp_request *requests[SCOPE_COUNT];
    for (int i = 0; i < SCOPE_COUNT; i++) {
        requests[i] = rp_request_take(gpu);
        if (!requests[i]) {
            gpu->lost = true;
            return rp_fail(error, RP_STATUS_DEVICE_LOST, "%s: too many requests are unanswered", what);
        }
        gpu->library.api.device_pop_error_scope(
            gpu->device, (WGPUPopErrorScopeCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                                         .callback = popped,
                                                         .userdata1 = requests[i]});
    }
    rp_status status = RP_STATUS_OK;
    for (int i = 0; i < SCOPE_COUNT && status == RP_STATUS_OK; i++)
        status = rp_request_wait(gpu, requests[i], gpu->answer_seconds, what, error);
    if (status == RP_STATUS_OK && gpu->lost)
        status = rp_gpu_check(gpu, what, error);
    for (int i = 0; i < SCOPE_COUNT && status == RP_STATUS_OK; i++) {
        if (requests[i]->status != WGPURequestStatus_Success)
            status = rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "%s: an error scope ended with status %u: %s", what,
                             requests[i]->status, requests[i]->message);
        else if (status_of(requests[i]->type) != RP_STATUS_OK)
            status = rp_fail(error, status_of(requests[i]->type), "%s: %s", what, requests[i]->message);
    }
    if (status == RP_STATUS_OK)
        status = rp_gpu_check(gpu, what, error);
    for (int i = 0; i < SCOPE_COUNT; i++)
        rp_request_give_back(requests[i]);
    return status;
}
