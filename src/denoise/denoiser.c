// The denoiser: device choice, the checks before a run, and the weights kept between runs.
#include "base/error.h"
#include "cpu/rows.h"
#include "denoise/clock.h"
#include "denoise/device_nodes.h"
#include "denoise/job.h"
#include "denoise/weights.h"

#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <string.h>

static char *copy_text(const rp_allocator *allocator, const char *text)
{
    char *copy = rp_allocate(allocator, strlen(text) + 1, 1);
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static rp_status check_desc(const rp_denoiser_desc *desc, rp_error *error)
{
    if (desc->device != RP_DEVICE_AUTO && desc->device != RP_DEVICE_CPU && desc->device != RP_DEVICE_WEBGPU)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "device is %d; it must be auto (0), CPU (1) or WebGPU (2)",
                       (int)desc->device);
    if (desc->precision != RP_PRECISION_AUTO && desc->precision != RP_PRECISION_FP32 &&
        desc->precision != RP_PRECISION_FP16)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "precision is %d; it must be auto (0), fp32 (1) or fp16 (2)",
                       (int)desc->precision);
    return RP_STATUS_OK;
}

// AUTO and WEBGPU open a GPU here, so that a caller learns at once; AUTO falls back to the CPU.
static rp_status choose_device(rp_denoiser *denoiser, rp_error *error)
{
    if (denoiser->device == RP_DEVICE_WEBGPU || (denoiser->device == RP_DEVICE_AUTO && rp_gpu_device_node_exists())) {
        rp_status status = rp_denoiser_open_gpu(denoiser, error);
        denoiser->on_gpu = status == RP_STATUS_OK;
        if (status == RP_STATUS_OK || denoiser->device == RP_DEVICE_WEBGPU || status == RP_STATUS_OUT_OF_MEMORY)
            return status;
    }
    if (denoiser->precision == RP_PRECISION_FP16)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "precision fp16 needs a GPU; the CPU computes in fp32");
    const dnnl_version_t *version = dnnl_version();
    uint32_t threads = denoiser->thread_count ? denoiser->thread_count : rp_core_count();
    snprintf(denoiser->device_name, sizeof denoiser->device_name, "CPU, %u thread%s, oneDNN %d.%d.%d", threads,
             threads == 1 ? "" : "s", version->major, version->minor, version->patch);
    return RP_STATUS_OK;
}

rp_status rp_denoiser_create(const rp_denoiser_desc *desc, rp_denoiser **denoiser_out, rp_error *error)
{
    static const rp_denoiser_desc defaults = {0};
    if (!desc)
        desc = &defaults;
    *denoiser_out = NULL;
    rp_status status = check_desc(desc, error);
    if (status != RP_STATUS_OK)
        return status;
    rp_allocator allocator = rp_allocator_or_default(desc->allocator);
    rp_denoiser *denoiser = rp_allocate(&allocator, 1, sizeof *denoiser);
    if (!denoiser)
        return rp_fail_memory(error, sizeof *denoiser, "a denoiser");
    denoiser->allocator = allocator;
    denoiser->device = desc->device;
    denoiser->precision = desc->precision;
    denoiser->kernel = desc->kernel;
    denoiser->thread_count = desc->thread_count;
    if (desc->webgpu_library)
        denoiser->webgpu_library = copy_text(&allocator, desc->webgpu_library);
    if (desc->weights_directory)
        denoiser->weights_directory = copy_text(&allocator, desc->weights_directory);
    if ((desc->webgpu_library && !denoiser->webgpu_library) ||
        (desc->weights_directory && !denoiser->weights_directory))
        status = rp_fail_memory(error, 0, "a denoiser's paths");
    else
        status = choose_device(denoiser, error);
    if (status != RP_STATUS_OK) {
        rp_denoiser_destroy(&denoiser);
        return status;
    }
    *denoiser_out = denoiser;
    return RP_STATUS_OK;
}

void rp_denoiser_destroy(rp_denoiser **denoiser_in)
{
    rp_denoiser *denoiser = denoiser_in ? *denoiser_in : NULL;
    if (!denoiser)
        return;
    rp_allocator allocator = denoiser->allocator;
    rp_cpu_plan_free(denoiser);
    rp_gpu_plan_free(denoiser);
    for (size_t i = 0; i < RP_KEPT_MODELS; i++) {
        rp_model_destroy(&denoiser->models[i].model);
        rp_free(&allocator, denoiser->models[i].path);
    }
    rp_gpu_destroy(&denoiser->gpu);
    rp_free(&allocator, denoiser->webgpu_library);
    rp_free(&allocator, denoiser->weights_directory);
    rp_free(&allocator, denoiser);
    *denoiser_in = NULL;
}

const char *rp_denoiser_device(const rp_denoiser *denoiser)
{
    return denoiser->device_name;
}

rp_denoise_report rp_denoiser_get_report(const rp_denoiser *denoiser)
{
    return denoiser->report;
}

// ---- Models ------------------------------------------------------------------------------------------------------

static void forget_last_model(rp_denoiser *denoiser)
{
    rp_kept_model *last = &denoiser->models[RP_KEPT_MODELS - 1];
    if (last->model && denoiser->cpu.model == last->model)
        rp_cpu_plan_free(denoiser);
    if (last->model && denoiser->gpu_plan.key.model == last->model)
        rp_gpu_plan_free(denoiser);
    rp_model_destroy(&last->model);
    rp_free(&denoiser->allocator, last->path);
    memset(last, 0, sizeof *last);
}

// The model in `path`, from the kept ones or the file. Takes the path over, and frees it on failure.
static rp_status model_for_path(rp_denoiser *denoiser, char *path, const rp_model **model, rp_error *error)
{
    rp_kept_model *models = denoiser->models;
    rp_kept_model found = {0};
    size_t place = 0;
    while (place < RP_KEPT_MODELS && (!models[place].path || strcmp(models[place].path, path) != 0))
        place++;
    if (place < RP_KEPT_MODELS) {
        found = models[place];
        rp_free(&denoiser->allocator, path);
    } else {
        rp_model_desc desc = {.allocator = &denoiser->allocator};
        rp_status status = rp_model_load(path, &desc, &found.model, error);
        if (status != RP_STATUS_OK) {
            rp_free(&denoiser->allocator, path);
            return status;
        }
        found.path = path;
        forget_last_model(denoiser);
        place = RP_KEPT_MODELS - 1;
    }
    memmove(models + 1, models, place * sizeof *models);
    models[0] = found;
    *model = found.model;
    return RP_STATUS_OK;
}

static rp_status load_model(rp_denoiser *denoiser, rp_job *job, const char *name, rp_error *error)
{
    char *path = NULL;
    rp_status status = RP_STATUS_OK;
    double begin = rp_clock_seconds();
    if (job->desc->weights) {
        path = copy_text(&denoiser->allocator, job->desc->weights);
        if (!path)
            status = rp_fail_memory(error, strlen(job->desc->weights) + 1, "a weight file's path");
    } else {
        status = rp_weights_find(denoiser->weights_directory, name, &denoiser->allocator, &path, error);
    }
    if (status == RP_STATUS_OK)
        status = model_for_path(denoiser, path, &job->model, error);
    if (status != RP_STATUS_OK)
        return status;
    const rp_model_info *info = rp_model_get_info(job->model);
    if (info->input_channels != 3 * job->image_count || info->output_channels != 3)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT,
                       "%s: the network takes %u channels and gives %u; these %u images are %u, and 3 out",
                       denoiser->models[0].path, info->input_channels, info->output_channels, job->image_count,
                       3 * job->image_count);
    snprintf(job->report->weights, sizeof job->report->weights, "%s", denoiser->models[0].path);
    job->report->load_seconds = rp_clock_seconds() - begin;
    job->report->prepare_seconds = job->report->load_seconds;
    return RP_STATUS_OK;
}

// ---- Runs --------------------------------------------------------------------------------------------------------

rp_status rp_job_progress(const rp_job *job, uint32_t done, uint32_t total, rp_error *error)
{
    if (job->desc->progress && !job->desc->progress(job->desc->user, done, total))
        return rp_fail(error, RP_STATUS_CANCELLED, "cancelled after %u of %u tiles", done, total);
    return RP_STATUS_OK;
}

typedef struct load_task {
    const rp_view *view;
    float *rgb;
} load_task;

static void load_rgb_row(void *user, uint32_t row, uint32_t thread)
{
    const load_task *task = user;
    (void)thread;
    rp_view_load(task->view, 0, row, task->view->width, task->rgb + (size_t)row * task->view->width * 3, 3);
}

rp_status rp_job_input_scale(const rp_denoiser *denoiser, const rp_job *job, float *scale, rp_error *error)
{
    const rp_view *view = &job->images[0];
    *scale = job->desc->hdr && job->desc->input_scale > 0.0f ? job->desc->input_scale : 1.0f;
    if (!job->desc->hdr || job->desc->input_scale > 0.0f)
        return RP_STATUS_OK;
    size_t stride;
    const float *row = rp_view_row(view, 0, &stride);
    if (row && view->row_stride % sizeof(float) == 0) {
        *scale = rp_autoexposure(row, job->width, job->height, stride, view->row_stride / sizeof(float));
        return RP_STATUS_OK;
    }
    size_t pixels;
    if (!rp_multiply(job->width, job->height, &pixels))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "an image of %u×%u overflows", job->width, job->height);
    load_task task = {.view = view, .rgb = rp_allocate(&denoiser->allocator, pixels, 3 * sizeof(float))};
    if (!task.rgb)
        return rp_fail_memory(error, pixels > SIZE_MAX / 12 ? SIZE_MAX : pixels * 12, "the exposure of an image");
    rp_rows_run(job->height, rp_rows_threads(denoiser->thread_count), load_rgb_row, &task);
    *scale = rp_autoexposure(task.rgb, job->width, job->height, 3, 3 * (size_t)job->width);
    rp_free(&denoiser->allocator, task.rgb);
    return RP_STATUS_OK;
}

static rp_status check_settings(const rp_denoise_desc *desc, rp_error *error)
{
    if (desc->width == 0 || desc->height == 0)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "the image's size is %u×%u; both must be 1 or more",
                       desc->width, desc->height);
    if (desc->width > RP_IMAGE_MAX_EDGE || desc->height > RP_IMAGE_MAX_EDGE)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "the image's size is %u×%u; the most is %u either way", desc->width,
                       desc->height, RP_IMAGE_MAX_EDGE);
    if (desc->edge != RP_EDGE_REPEAT && desc->edge != RP_EDGE_ZERO)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "edge is %d; it must be repeat (0) or zero (1)",
                       (int)desc->edge);
    if (desc->input_scale != 0.0f && !(isfinite(desc->input_scale) && desc->input_scale > 0.0f))
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT,
                       "input_scale is %g; it must be above 0 and finite, or 0 for autoexposure",
                       (double)desc->input_scale);
    if (desc->input_scale != 0.0f && !desc->hdr)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "input_scale is %g, but the image is not HDR",
                       (double)desc->input_scale);
    return RP_STATUS_OK;
}

// Checks every image and gathers those that there are, in the network's order.
static rp_status gather_images(rp_job *job, rp_error *error)
{
    const rp_denoise_desc *desc = job->desc;
    static const char *const names[3] = {"color", "albedo", "normal"};
    const rp_image *images[3] = {&desc->color, &desc->albedo, &desc->normal};
    rp_status status = rp_view_make(&desc->output, "output", job->width, job->height, &job->output, error);
    if (status != RP_STATUS_OK)
        return status;
    if (!job->output.base)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "output.data is NULL");
    for (size_t i = 0; i < 3; i++) {
        if (!images[i]->data)
            continue;
        uint32_t slot = job->image_count;
        rp_view *view = &job->images[slot];
        status = rp_view_make(images[i], names[i], job->width, job->height, view, error);
        if (status == RP_STATUS_OK)
            status = rp_view_check_sharing(&job->output, view, names[i], error);
        if (status != RP_STATUS_OK)
            return status;
        job->output_shared = job->output_shared || rp_view_overlaps(&job->output, view);
        job->ranges[slot] = i == 2 ? RP_RANGE_SIGNED : RP_RANGE_UNIT;
        job->transfers[slot] = RP_TRANSFER_NONE;
        job->image_count++;
    }
    // The image that is denoised goes through the transfer function; normals never do.
    if (desc->hdr) {
        job->ranges[0] = RP_RANGE_HDR;
        job->transfers[0] = RP_TRANSFER_PU;
    } else if (!desc->srgb && job->ranges[0] == RP_RANGE_UNIT) {
        job->transfers[0] = RP_TRANSFER_SRGB;
    }
    return RP_STATUS_OK;
}

rp_status rp_denoiser_run(rp_denoiser *denoiser, const rp_denoise_desc *desc, rp_error *error)
{
    if (!denoiser || !desc)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%s is NULL", denoiser ? "desc" : "denoiser");
    char name[RP_WEIGHTS_NAME_BYTES];
    rp_denoise_report report = {0};
    rp_job job = {.desc = desc, .width = desc->width, .height = desc->height, .report = &report};
    rp_status status = check_settings(desc, error);
    if (status == RP_STATUS_OK)
        status = rp_weights_choose(desc, name, error);
    if (status == RP_STATUS_OK)
        status = gather_images(&job, error);
    if (status == RP_STATUS_OK)
        status = load_model(denoiser, &job, name, error);
    if (status == RP_STATUS_OK)
        status = denoiser->on_gpu ? rp_denoise_on_gpu(denoiser, &job, error) : rp_denoise_on_cpu(denoiser, &job, error);
    if (status == RP_STATUS_OK)
        denoiser->report = report;
    return status;
}
