// A real device for tests, and running a program on it.
#ifndef TESTS_GPU_DAWN_H
#define TESTS_GPU_DAWN_H

#include "reprise/replay.h"

// A device of whatever library and driver are set up, software included; without one the test is skipped, visibly.
rp_gpu *dawn_or_skip(void);
// These fail the test with the message when they fail.
rp_replay *must_upload(rp_gpu *gpu, const rp_program *program);
void must_play(rp_replay *replay, const void *const *inputs, void *output);
// Uploads, runs once and reads back the output; destroys the replay.
void play_once(rp_gpu *gpu, const rp_program *program, const void *const *inputs, void *output);

#endif
