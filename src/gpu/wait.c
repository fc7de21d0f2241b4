// Waiting for answers: WebGPU calls back from wgpuInstanceProcessEvents, which every implementation has
// (wgpuInstanceWaitAny is missing in some). Nothing here waits without an end.
#include "base/error.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// A lost device answers its pending requests with a failure; this long it has for it.
static const double lost_grace_seconds = 1;

static double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void rp_copy_view(char *text, size_t size, WGPUStringView view)
{
    size_t length = 0;
    if (view.data)
        length = view.length == WGPU_STRLEN ? strlen(view.data) : view.length;
    if (length >= size) {
        length = size - 1;
        // Never a part of a character at the end.
        while (length > 0 && ((unsigned char)view.data[length] & 0xC0) == 0x80)
            length--;
    }
    if (length)
        memcpy(text, view.data, length);
    text[length] = '\0';
    // Messages are one line.
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

rp_request *rp_request_take(rp_gpu *gpu)
{
    for (int i = 0; i < RP_REQUEST_COUNT; i++)
        if (!gpu->requests[i].taken) {
            gpu->requests[i] = (rp_request){.taken = true};
            return &gpu->requests[i];
        }
    return NULL;
}

void rp_request_give_back(rp_request *request)
{
    if (!request)
        return;
    if (request->done)
        request->taken = false;
    else
        request->abandoned = true;
}

void rp_request_answer(rp_request *request, uint32_t status, WGPUStringView message)
{
    request->status = status;
    rp_copy_view(request->message, sizeof(request->message), message);
    request->done = true;
    if (request->abandoned)
        request->taken = false;
}

rp_status rp_request_wait(rp_gpu *gpu, rp_request *request, double seconds, const char *what, rp_error *error)
{
    double begin = now_seconds(), lost_at = 0;
    while (!request->done) {
        gpu->library.api.instance_process_events(gpu->instance);
        if (request->done)
            break;
        double elapsed = now_seconds() - begin;
        if (gpu->lost) {
            if (lost_at == 0)
                lost_at = elapsed;
            if (elapsed - lost_at > lost_grace_seconds || elapsed > seconds)
                return rp_fail(error, RP_STATUS_DEVICE_LOST, "%s: %s", what, gpu->lost_message);
        }
        if (elapsed > seconds) {
            gpu->lost = true;
            snprintf(gpu->lost_message, sizeof(gpu->lost_message), "the device did not answer within %.3g s", seconds);
            return rp_fail(error, RP_STATUS_DEVICE_LOST, "%s: %s", what, gpu->lost_message);
        }
        // Look again at once in the beginning, then after a small part of the time that it has taken already.
        if (elapsed > 200e-6) {
            double pause = elapsed / 64;
            pause = pause < 20e-6 ? 20e-6 : pause > 1e-3 ? 1e-3 : pause;
            nanosleep(&(struct timespec){.tv_nsec = (long)(pause * 1e9)}, NULL);
        }
    }
    return RP_STATUS_OK;
}

rp_status rp_gpu_check(const rp_gpu *gpu, const char *what, rp_error *error)
{
    if (gpu->lost)
        return rp_fail(error, RP_STATUS_DEVICE_LOST, "%s: %s", what, gpu->lost_message);
    if (gpu->uncaptured != RP_STATUS_OK)
        return rp_fail(error, gpu->uncaptured, "%s: %s", what, gpu->uncaptured_message);
    return RP_STATUS_OK;
}

static void work_done(WGPUEnum status, WGPUStringView message, void *user1, void *user2)
{
    (void)user2;
    rp_request_answer(user1, status, message);
}

rp_request *rp_gpu_mark_work(rp_gpu *gpu)
{
    rp_request *request = rp_request_take(gpu);
    if (!request)
        return NULL;
    gpu->library.api.queue_on_submitted_work_done(
        gpu->queue, (WGPUQueueWorkDoneCallbackInfo){
                        .mode = WGPUCallbackMode_AllowProcessEvents, .callback = work_done, .userdata1 = request});
    return request;
}

rp_status rp_gpu_finish_work(rp_gpu *gpu, rp_request *mark, const char *what, rp_error *error)
{
    if (!mark)
        return rp_fail(error, RP_STATUS_DEVICE_LOST, "%s: too many requests are unanswered", what);
    rp_status status = rp_request_wait(gpu, mark, gpu->work_seconds, what, error);
    if (status == RP_STATUS_OK)
        status = rp_gpu_check(gpu, what, error);
    if (status == RP_STATUS_OK && mark->status != WGPURequestStatus_Success)
        status = rp_fail(error, RP_STATUS_DEVICE_INTERNAL, "%s: the queue failed with status %u: %s", what,
                         mark->status, mark->message);
    rp_request_give_back(mark);
    return status;
}
