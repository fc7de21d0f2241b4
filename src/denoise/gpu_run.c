// A denoising on a GPU: a recorded program, kept for the next image of the same size and settings, replayed on RGBA
// float images.
#include "base/error.h"
#include "cpu/rows.h"
#include "denoise/clock.h"
#include "denoise/job.h"
#include "oidn/model.h"
#include "oidn/tile.h"

#include <stdio.h>
#include <string.h>

// The most input pixels of a tile when the caller sets no edge, where the device's limits do not ask for less: the
// area at which Intel's library splits.
#define MAX_TILE_AREA (2160u * 2160u)

rp_status rp_denoiser_open_gpu(rp_denoiser *denoiser, rp_error *error)
{
    if (denoiser->gpu)
        return RP_STATUS_OK;
    rp_gpu_desc desc = {.allocator = &denoiser->allocator,
                        .library = denoiser->webgpu_library,
                        .software = denoiser->device == RP_DEVICE_WEBGPU};
    rp_status status = rp_gpu_create(&desc, &denoiser->gpu, error);
    if (status != RP_STATUS_OK)
        return status;
    const rp_gpu_info *info = rp_gpu_get_info(denoiser->gpu);
    snprintf(denoiser->device_name, sizeof denoiser->device_name, "%s, %s", info->name, info->backend);
    return RP_STATUS_OK;
}

void rp_gpu_plan_free(rp_denoiser *denoiser)
{
    rp_gpu_plan *plan = &denoiser->gpu_plan;
    rp_replay_destroy(&plan->replay);
    rp_program_destroy(&plan->program);
    for (size_t i = 0; i < 4; i++)
        rp_free(&denoiser->allocator, plan->staging[i]);
    memset(plan, 0, sizeof *plan);
}

// Bytes for each pixel of a tile that the largest activation takes, in single precision.
static uint64_t largest_activation(const rp_model *model)
{
    uint64_t most = 16; // the image itself
    for (uint32_t i = 0; i <= model->layer_count; i++) {
        const rp_graph_tensor *tensor = &model->tensors[i];
        uint64_t blocks = rp_ceil_divide(tensor->channels, 4);
        uint64_t bytes = rp_ceil_divide((uint32_t)(blocks * 16), 1u << (2 * tensor->level));
        most = bytes > most ? bytes : most;
    }
    return most;
}

// The largest edge, the same for both axes, with which a tile's activations fit the device's buffers.
static uint32_t choose_tile_edge(const rp_denoiser *denoiser, const rp_job *job, uint32_t overlap)
{
    const rp_gpu_limits *limits = &rp_gpu_get_info(denoiser->gpu)->limits;
    uint64_t bytes = limits->max_storage_binding_bytes;
    if (limits->max_buffer_bytes < bytes)
        bytes = limits->max_buffer_bytes;
    if (bytes == 0)
        bytes = 128u << 20; // WebGPU's default limit
    if (bytes > UINT32_MAX)
        bytes = UINT32_MAX;
    uint64_t area = bytes / largest_activation(job->model);
    if (area > MAX_TILE_AREA)
        area = MAX_TILE_AREA;
    uint32_t longest = job->width > job->height ? job->width : job->height;
    for (uint32_t cuts = 1;; cuts++) {
        uint32_t edge = rp_ceil_divide(longest, cuts);
        edge = rp_ceil_divide(edge, RP_TILE_ALIGNMENT) * RP_TILE_ALIGNMENT;
        rp_tile_axis x = rp_plan_tiles(job->width, edge, overlap), y = rp_plan_tiles(job->height, edge, overlap);
        if ((uint64_t)x.input * y.input <= area || edge <= 64)
            return edge;
    }
}

static bool same_key(const rp_gpu_key *a, const rp_gpu_key *b)
{
    return a->model == b->model && a->width == b->width && a->height == b->height &&
           a->max_tile_edge == b->max_tile_edge && a->hdr == b->hdr && a->normal_alone == b->normal_alone &&
           a->transfer == b->transfer && a->edge == b->edge;
}

static rp_status prepare_program(rp_denoiser *denoiser, const rp_job *job, const rp_gpu_key *key, rp_error *error)
{
    rp_gpu_plan *plan = &denoiser->gpu_plan;
    if (plan->replay && same_key(&plan->key, key))
        return RP_STATUS_OK;
    rp_gpu_plan_free(denoiser);
    rp_record_desc desc = {.allocator = &denoiser->allocator,
                           .width = key->width,
                           .height = key->height,
                           .precision = denoiser->precision,
                           .kernel = denoiser->kernel,
                           .caps = rp_gpu_get_caps(denoiser->gpu),
                           .hdr = key->hdr,
                           .transfer = key->transfer,
                           .normal_alone = key->normal_alone,
                           .max_tile_edge = key->max_tile_edge,
                           .edge = key->edge};
    rp_status status = rp_record_denoise(job->model, &desc, &plan->program, error);
    if (status == RP_STATUS_OK)
        status = rp_replay_create(denoiser->gpu, plan->program, &plan->replay, error);
    if (status != RP_STATUS_OK) {
        rp_gpu_plan_free(denoiser);
        return status;
    }
    plan->key = *key;
    return RP_STATUS_OK;
}

// An image that is tightly packed RGBA float goes up or comes down as it is.
static float *packed_rgba(const rp_view *view)
{
    size_t stride;
    float *pixels = rp_view_row(view, 0, &stride);
    if (!pixels || view->channels != 4 || stride != 4 || view->row_stride != 16 * (size_t)view->width)
        return NULL;
    return pixels;
}

typedef struct staging_task {
    const rp_view *view, *alpha;
    float *rgba;
} staging_task;

static void load_staging_row(void *user, uint32_t row, uint32_t thread)
{
    const staging_task *task = user;
    (void)thread;
    rp_view_load_rgba(task->view, row, task->rgba + (size_t)row * task->view->width * 4);
}

static void store_staging_row(void *user, uint32_t row, uint32_t thread)
{
    const staging_task *task = user;
    (void)thread;
    rp_view_store(task->view, 0, row, task->view->width, task->rgba + (size_t)row * task->view->width * 4, 4,
                  task->alpha);
}

// The pixels to use for image `slot`: its own, or staging memory of the plan.
static rp_status staging_for(rp_denoiser *denoiser, const rp_view *view, size_t slot, float **rgba, rp_error *error)
{
    rp_gpu_plan *plan = &denoiser->gpu_plan;
    *rgba = packed_rgba(view);
    if (*rgba)
        return RP_STATUS_OK;
    size_t pixels;
    if (!rp_multiply(view->width, view->height, &pixels))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "an image of %u×%u overflows", view->width, view->height);
    if (!plan->staging[slot])
        plan->staging[slot] = rp_allocate(&denoiser->allocator, pixels, 16);
    if (!plan->staging[slot])
        return rp_fail_memory(error, pixels > SIZE_MAX / 16 ? SIZE_MAX : pixels * 16, "an image for the GPU");
    *rgba = plan->staging[slot];
    return RP_STATUS_OK;
}

// The replay counts submits, the caller tiles.
typedef struct submit_progress {
    const rp_job *job;
    uint32_t tiles, reported;
} submit_progress;

static bool report_submits(void *user, uint32_t done, uint32_t total)
{
    submit_progress *progress = user;
    uint32_t tiles = total ? (uint32_t)((uint64_t)done * progress->tiles / total) : 0;
    if (tiles <= progress->reported || tiles >= progress->tiles)
        return true;
    progress->reported = tiles;
    return rp_job_progress(progress->job, tiles, progress->tiles, NULL) == RP_STATUS_OK;
}

static rp_status run_program(rp_denoiser *denoiser, const rp_job *job, uint32_t tiles, rp_error *error)
{
    rp_gpu_plan *plan = &denoiser->gpu_plan;
    rp_denoise_report *report = job->report;
    uint32_t threads = rp_rows_threads(denoiser->thread_count);
    double begin = rp_clock_seconds();
    const void *inputs[3] = {NULL, NULL, NULL};
    float *output = NULL;
    rp_status status = rp_job_input_scale(denoiser, job, &report->input_scale, error);
    double exposed = rp_clock_seconds();
    if (status == RP_STATUS_OK && job->desc->hdr)
        status = rp_replay_set_input_scale(plan->replay, report->input_scale, error);
    for (uint32_t i = 0; status == RP_STATUS_OK && i < job->image_count; i++) {
        staging_task task = {.view = &job->images[i]};
        status = staging_for(denoiser, task.view, i, &task.rgba, error);
        if (status == RP_STATUS_OK && task.rgba == plan->staging[i])
            rp_rows_run(job->height, threads, load_staging_row, &task);
        inputs[i] = task.rgba;
    }
    if (status == RP_STATUS_OK)
        status = staging_for(denoiser, &job->output, 3, &output, error);
    if (status == RP_STATUS_OK)
        status = rp_job_progress(job, 0, tiles, error);
    if (status != RP_STATUS_OK)
        return status;

    double loaded = rp_clock_seconds();
    submit_progress progress = {.job = job, .tiles = tiles};
    rp_replay_run_desc run = {.inputs = inputs,
                              .input_count = job->image_count,
                              .output = output,
                              .output_size_bytes = (uint64_t)job->width * job->height * 16,
                              .progress = report_submits,
                              .user = &progress};
    status = rp_replay_run(plan->replay, &run, error);
    if (status != RP_STATUS_OK)
        return status;
    double ran = rp_clock_seconds();
    if (output == plan->staging[3]) {
        staging_task task = {.view = &job->output, .alpha = &job->images[0], .rgba = output};
        rp_rows_run(job->height, threads, store_staging_row, &task);
    }
    double stored = rp_clock_seconds();
    (void)rp_job_progress(job, tiles, tiles, NULL);
    report->exposure_seconds = exposed - begin;
    report->input_seconds = loaded - exposed;
    report->network_seconds = ran - loaded;
    report->output_seconds = stored - ran;
    report->run_seconds = stored - begin;
    return RP_STATUS_OK;
}

rp_status rp_denoise_on_gpu(rp_denoiser *denoiser, const rp_job *job, rp_error *error)
{
    double begin = rp_clock_seconds();
    rp_status status = rp_denoiser_open_gpu(denoiser, error);
    if (status != RP_STATUS_OK)
        return status;
    const rp_denoise_desc *desc = job->desc;
    uint32_t overlap = rp_tile_overlap(rp_model_get_info(job->model)->receptive_field);
    rp_gpu_key key = {.model = job->model,
                      .width = job->width,
                      .height = job->height,
                      .max_tile_edge =
                          desc->max_tile_edge ? desc->max_tile_edge : choose_tile_edge(denoiser, job, overlap),
                      .hdr = desc->hdr,
                      .normal_alone = job->ranges[0] == RP_RANGE_SIGNED,
                      .transfer = job->transfers[0],
                      .edge = desc->edge};
    rp_tile_axis x = rp_plan_tiles(job->width, key.max_tile_edge, overlap);
    rp_tile_axis y = rp_plan_tiles(job->height, key.max_tile_edge, overlap);
    status = prepare_program(denoiser, job, &key, error);
    rp_denoise_report *report = job->report;
    report->prepare_seconds += rp_clock_seconds() - begin;
    if (status == RP_STATUS_OK) {
        rp_program_stats stats;
        rp_program_measure(denoiser->gpu_plan.program, &stats);
        report->bytes = stats.buffer_bytes;
        report->tile_count = x.count * y.count;
        report->tile_width = x.input;
        report->tile_height = y.input;
        status = run_program(denoiser, job, report->tile_count, error);
    }
    if (status == RP_STATUS_DEVICE_LOST || status == RP_STATUS_DEVICE_MEMORY || status == RP_STATUS_DEVICE_VALIDATION ||
        status == RP_STATUS_DEVICE_INTERNAL) {
        // The device is good for nothing more; the next run opens it again.
        rp_gpu_plan_free(denoiser);
        rp_gpu_destroy(&denoiser->gpu);
    }
    return status;
}
