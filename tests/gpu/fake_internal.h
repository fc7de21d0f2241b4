// What the two files of the made-up WebGPU share.
#ifndef TESTS_GPU_FAKE_INTERNAL_H
#define TESTS_GPU_FAKE_INTERNAL_H

#include "gpu/fake_webgpu.h"

typedef struct fake_object {
    fake_kind kind;
    uint8_t *bytes; // of a buffer
    uint64_t size;
    bool mapped;
} fake_object;

typedef struct fake_answer {
    enum { ANSWER_ADAPTER, ANSWER_DEVICE, ANSWER_SCOPE, ANSWER_MAP, ANSWER_INFO, ANSWER_WORK, ANSWER_LOST } kind;
    void (*callback)(void);
    void *user1, *user2;
    uint32_t status, type;
    void *object;
} fake_answer;

bool fake_is_call(fake_call call, const char *function);
// Every call goes into the log here. False: it is to fail.
bool fake_enter(const char *function);
void *fake_make(fake_kind kind);
void fake_drop(void *handle, fake_kind kind);
// NULL, and counted, when the handle is not of that kind.
fake_object *fake_check(void *handle, fake_kind kind);
// Given at the next ProcessEvents.
void fake_push_answer(fake_answer answer);
void fake_fill_objects(rp_webgpu *api);

#endif
