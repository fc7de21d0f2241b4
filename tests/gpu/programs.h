// Small programs for the tests of the replayer.
#ifndef TESTS_GPU_PROGRAMS_H
#define TESTS_GPU_PROGRAMS_H

#include "reprise/record.h"

// Hand-made, for the fake: all of a program's parts. Buffers: 0 input, 1 weights with data, 2 frame, 3 output, 4
// scratch (a copy of the input, by a copy). Operations: submit (dispatch, dispatch, copy, dispatch), write into 0,
// submit (dispatch). Its shaders are never run. Static memory: every call makes it anew.
rp_program *sample_program(void);
enum { SAMPLE_INPUT, SAMPLE_WEIGHTS, SAMPLE_FRAME, SAMPLE_OUTPUT, SAMPLE_SCRATCH, SAMPLE_BUFFERS, SAMPLE_BYTES = 32 };

// A recorder that fails the test where it fails; of u32 or f32 buffers with STORAGE, COPY_SRC and COPY_DST.
typedef struct builder {
    rp_recorder *recorder;
    uint32_t inputs[2];
    uint32_t input_count;
} builder;

builder builder_begin(void);
uint32_t builder_buffer(builder *b, uint32_t words, const void *data);
uint32_t builder_input(builder *b, uint32_t words);
uint32_t builder_pipeline(builder *b, const char *wgsl, const char *entry_point);
// Binds whole buffers at bindings 0, 1, … of group 0.
uint32_t builder_group(builder *b, uint32_t pipeline, uint32_t count, const uint32_t *buffers);
void builder_dispatch(builder *b, uint32_t pipeline, uint32_t group, uint32_t x);
void builder_submit(builder *b);
rp_program *builder_end(builder *b, uint32_t output);

#endif
