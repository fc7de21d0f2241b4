// A denoising on the CPU, tile after tile: rows into the network's input, one pass, rows out of its output.
#include "base/error.h"
#include "cpu/rows.h"
#include "denoise/clock.h"
#include "denoise/job.h"
#include "oidn/tile.h"

#include <string.h>

// The most input pixels of a tile when the caller sets no edge. A base network takes 650 bytes a pixel. 1280×720 and
// 1280×960 are one tile; 1920×1080 is two of 1056×1088, which took 748 MB and 3.4 s where one tile took 1358 MB and
// 3.0 s, and four of 1056×640 took 442 MB and 4.0 s.
#define MAX_TILE_AREA 1250000u

typedef struct tile_task {
    const rp_job *job;
    uint32_t tile_width, tile_height, channels; // of the network's input
    rp_tile_span x, y;
    float scale;
    float *input;
    const float *output;
    float *scratch; // for each thread a row of RGB
    // Results that cannot be written yet, because a later tile reads the pixels that they replace: whole rows of RGB
    // from row `staged_from` on. NULL when every tile writes to the output itself.
    float *staging;
    uint32_t staged_from;
} tile_task;

static void fill_input_row(void *user, uint32_t row, uint32_t thread)
{
    const tile_task *task = user;
    const rp_job *job = task->job;
    size_t channels = task->channels;
    float *target = task->input + (size_t)row * task->tile_width * channels;
    bool repeat = job->desc->edge == RP_EDGE_REPEAT;
    uint32_t y = task->y.input + row;
    if (y >= job->height) {
        if (!repeat) {
            memset(target, 0, task->tile_width * channels * sizeof(float));
            return;
        }
        y = job->height - 1;
    }
    // A tile always begins inside the image: it is a multiple of 16 wide and ends within the padded image.
    uint32_t left = job->width - task->x.input;
    uint32_t n = left < task->tile_width ? left : task->tile_width;
    float *scratch = task->scratch + (size_t)thread * task->tile_width * 3;
    for (uint32_t i = 0; i < job->image_count; i++) {
        const rp_view *view = &job->images[i];
        size_t stride = 3;
        const float *source = rp_view_row(view, y, &stride);
        if (source) {
            source += task->x.input * stride;
        } else {
            rp_view_load(view, task->x.input, y, n, scratch, stride);
            source = scratch;
        }
        rp_transfer_row_in(source, stride, target + 3 * i, channels, n, job->ranges[i], job->transfers[i],
                           i == 0 ? task->scale : 1.0f);
    }
    if (!repeat)
        memset(target + n * channels, 0, (task->tile_width - n) * channels * sizeof(float));
    for (uint32_t x = n; repeat && x < task->tile_width; x++)
        memcpy(target + x * channels, target + (n - 1) * channels, channels * sizeof(float));
}

static void drain_output_row(void *user, uint32_t row, uint32_t thread)
{
    const tile_task *task = user;
    const rp_job *job = task->job;
    uint32_t y = task->y.output + row, x = task->x.output, n = task->x.output_size;
    const float *source = task->output + ((size_t)(y - task->y.input) * task->tile_width + (x - task->x.input)) * 3;
    size_t stride = 3;
    if (task->staging) {
        float *target = task->staging + ((size_t)(y - task->staged_from) * job->width + x) * 3;
        rp_transfer_row_out(source, 3, target, 3, n, job->ranges[0], job->transfers[0], task->scale);
        return;
    }
    float *target = rp_view_has_alpha(&job->output) ? NULL : rp_view_row(&job->output, y, &stride);
    if (target) {
        rp_transfer_row_out(source, 3, target + x * stride, stride, n, job->ranges[0], job->transfers[0], task->scale);
        return;
    }
    float *scratch = task->scratch + (size_t)thread * task->tile_width * 3;
    rp_transfer_row_out(source, 3, scratch, 3, n, job->ranges[0], job->transfers[0], task->scale);
    rp_view_store(&job->output, x, y, n, scratch, 3, &job->images[0]);
}

static void store_staged_row(void *user, uint32_t row, uint32_t thread)
{
    const tile_task *task = user;
    const rp_job *job = task->job;
    (void)thread;
    rp_view_store(&job->output, 0, task->staged_from + row, job->width, task->staging + (size_t)row * job->width * 3, 3,
                  &job->images[0]);
}

// Writes out staged rows above `end`, which no later tile reads, and moves the rest of the rows (up to `filled`) up.
static void flush_staging(tile_task *task, uint32_t end, uint32_t filled, uint32_t threads)
{
    uint32_t rows = end - task->staged_from;
    size_t row_floats = (size_t)task->job->width * 3;
    rp_rows_run(rows, threads, store_staged_row, task);
    memmove(task->staging, task->staging + rows * row_floats, (filled - end) * row_floats * sizeof(float));
    task->staged_from = end;
}

void rp_cpu_plan_free(rp_denoiser *denoiser)
{
    rp_cpu_network_destroy(&denoiser->cpu.network);
    memset(&denoiser->cpu, 0, sizeof denoiser->cpu);
}

static rp_status prepare_network(rp_denoiser *denoiser, const rp_job *job, uint32_t width, uint32_t height,
                                 rp_error *error)
{
    rp_cpu_plan *plan = &denoiser->cpu;
    if (plan->network && plan->model == job->model && plan->width == width && plan->height == height)
        return RP_STATUS_OK;
    rp_cpu_plan_free(denoiser);
    rp_cpu_network_desc desc = {.allocator = &denoiser->allocator,
                                .model = job->model,
                                .width = width,
                                .height = height,
                                .thread_count = denoiser->thread_count};
    rp_status status = rp_cpu_network_create(&desc, &plan->network, error);
    if (status != RP_STATUS_OK)
        return status;
    plan->model = job->model;
    plan->width = width;
    plan->height = height;
    return RP_STATUS_OK;
}

static rp_status run_tile(rp_denoiser *denoiser, tile_task *task, uint32_t threads, rp_error *error)
{
    rp_denoise_report *report = task->job->report;
    double begin = rp_clock_seconds();
    rp_rows_run(task->tile_height, threads, fill_input_row, task);
    double filled = rp_clock_seconds();
    rp_status status = rp_cpu_network_run(denoiser->cpu.network, error);
    if (status != RP_STATUS_OK)
        return status;
    double done = rp_clock_seconds();
    rp_rows_run(task->y.output_size, threads, drain_output_row, task);
    report->input_seconds += filled - begin;
    report->network_seconds += done - filled;
    report->output_seconds += rp_clock_seconds() - done;
    return RP_STATUS_OK;
}

static rp_status run_tiles(rp_denoiser *denoiser, tile_task *task, const rp_tile_axis *x, const rp_tile_axis *y,
                           uint32_t threads, rp_error *error)
{
    const rp_job *job = task->job;
    uint32_t total = x->count * y->count;
    rp_status status = rp_job_progress(job, 0, total, error);
    for (uint32_t row = 0; row < y->count; row++) {
        task->y = rp_tile_at(y, row);
        for (uint32_t column = 0; column < x->count; column++) {
            if (status != RP_STATUS_OK)
                return status;
            task->x = rp_tile_at(x, column);
            status = run_tile(denoiser, task, threads, error);
            uint32_t done = row * x->count + column + 1;
            if (status == RP_STATUS_OK && done < total)
                status = rp_job_progress(job, done, total, error);
        }
        if (status != RP_STATUS_OK)
            return status;
        if (task->staging) {
            uint32_t filled = task->y.output + task->y.output_size;
            uint32_t end = row + 1 < y->count ? rp_tile_at(y, row + 1).input : job->height;
            flush_staging(task, end, filled, threads);
        }
    }
    // The work is done: a caller that now cancels gets its image all the same.
    (void)rp_job_progress(job, total, total, NULL);
    return status;
}

rp_status rp_denoise_on_cpu(rp_denoiser *denoiser, const rp_job *job, rp_error *error)
{
    const rp_model_info *info = rp_model_get_info(job->model);
    rp_denoise_report *report = job->report;
    uint32_t edge = job->desc->max_tile_edge;
    rp_tile_axis x, y;
    rp_plan_tiles_within(job->width, job->height, edge, rp_tile_overlap(info->receptive_field),
                         edge ? UINT64_MAX : MAX_TILE_AREA, &x, &y);
    double begin = rp_clock_seconds();
    rp_status status = prepare_network(denoiser, job, x.input, y.input, error);
    if (status != RP_STATUS_OK)
        return status;
    report->prepare_seconds += rp_clock_seconds() - begin;

    uint32_t threads = rp_rows_threads(denoiser->thread_count);
    tile_task task = {.job = job,
                      .tile_width = x.input,
                      .tile_height = y.input,
                      .channels = info->input_channels,
                      .input = rp_cpu_network_input(denoiser->cpu.network),
                      .output = rp_cpu_network_output(denoiser->cpu.network)};
    size_t scratch_floats = 0, staging_floats = 0;
    uint32_t staging_rows = y.input < job->height ? y.input : job->height;
    bool staged = job->output_shared && (x.count > 1 || y.count > 1);
    if (!rp_multiply((size_t)threads * 3, x.input, &scratch_floats) ||
        (staged && !rp_multiply((size_t)staging_rows * 3, job->width, &staging_floats)))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "a row of tiles of %u×%u overflows", job->width, y.input);
    task.scratch = rp_allocate(&denoiser->allocator, scratch_floats, sizeof(float));
    if (!task.scratch)
        return rp_fail_memory(error, scratch_floats * sizeof(float), "rows of a tile");
    if (staged)
        task.staging = rp_allocate(&denoiser->allocator, staging_floats, sizeof(float));
    if (staged && !task.staging) {
        status = rp_fail_memory(error, staging_floats * sizeof(float), "a row of tiles");
    } else {
        begin = rp_clock_seconds();
        status = rp_job_input_scale(denoiser, job, &task.scale, error);
        report->exposure_seconds = rp_clock_seconds() - begin;
    }
    if (status == RP_STATUS_OK)
        status = run_tiles(denoiser, &task, &x, &y, threads, error);
    report->run_seconds = rp_clock_seconds() - begin;
    report->tile_count = x.count * y.count;
    report->tile_width = x.input;
    report->tile_height = y.input;
    report->input_scale = task.scale;
    report->bytes = rp_cpu_network_bytes(denoiser->cpu.network) + (scratch_floats + staging_floats) * sizeof(float);
    rp_free(&denoiser->allocator, task.staging);
    rp_free(&denoiser->allocator, task.scratch);
    return status;
}
