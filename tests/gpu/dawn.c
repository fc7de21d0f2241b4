// Opening the real device, or skipping.
#include "gpu/tests.h"

#include "gpu/dawn.h"
#include "gpu/gpu.h"
#include "gpu/replay.h"

rp_gpu *dawn_or_skip(void)
{
    rp_gpu *gpu = NULL;
    rp_error error;
    rp_status status = rp_gpu_create(&(rp_gpu_desc){.software = true}, &gpu, &error);
    if (status == RP_STATUS_NO_LIBRARY || status == RP_STATUS_NO_DEVICE) {
        print_message("SKIPPED, no device: %s\n", error.message);
        skip();
    }
    if (status != RP_STATUS_OK)
        fail_msg("%s: %s", rp_status_name(status), error.message);
    return gpu;
}

rp_replay *must_upload(rp_gpu *gpu, const rp_program *program)
{
    rp_replay *replay = NULL;
    rp_error error;
    rp_status status = rp_replay_create(gpu, program, &replay, &error);
    if (status != RP_STATUS_OK)
        fail_msg("%s: %s", rp_status_name(status), error.message);
    return replay;
}

void must_play(rp_replay *replay, const void *const *inputs, void *output)
{
    const rp_program *program = replay->program;
    rp_error error;
    rp_replay_run_desc run = {.inputs = inputs,
                              .input_count = program->input_count,
                              .output = output,
                              .output_size_bytes = output ? program->buffers[program->output].size_bytes : 0};
    rp_status status = rp_replay_run(replay, &run, &error);
    if (status != RP_STATUS_OK)
        fail_msg("%s: %s", rp_status_name(status), error.message);
}

void play_once(rp_gpu *gpu, const rp_program *program, const void *const *inputs, void *output)
{
    rp_replay *replay = must_upload(gpu, program);
    must_play(replay, inputs, output);
    rp_replay_destroy(&replay);
}
