// Programs: reading, then everything that may be done with one that was accepted, which must give back its own bytes.
// The last byte of the input chooses the allocation that fails in a second run.
#include "base/hash.h"
#include "reprise/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct countdown {
    size_t left; // allocations that succeed
    size_t live;
} countdown;

static void *reallocate(void *user, void *pointer, size_t size_bytes)
{
    countdown *state = user;
    if (size_bytes == 0) {
        state->live -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    if (state->left == 0)
        return NULL;
    state->left--;
    void *grown = realloc(pointer, size_bytes);
    state->live += grown && !pointer;
    return grown;
}

static void require(int condition)
{
    if (!condition)
        abort();
}

static void use(const rp_program *program, const uint8_t *data, size_t size, const rp_allocator *allocator)
{
    uint8_t *bytes;
    char *text;
    size_t length;
    rp_program_stats stats;
    if (rp_program_serialize(program, allocator, &bytes, &length, NULL) == RP_STATUS_OK) {
        require(length == size && memcmp(bytes, data, size) == 0);
        rp_free(allocator, bytes);
    }
    if (rp_program_disassemble(program, allocator, &text, &length, NULL) == RP_STATUS_OK) {
        require(strlen(text) == length);
        rp_free(allocator, text);
    }
    rp_program_measure(program, &stats);
    // Every content can be read, and every text ends in a zero byte.
    volatile uint32_t sink = 0;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        sink ^= rp_fnv1a_32(program->buffers[i].data, program->buffers[i].data_size_bytes);
        require(program->buffers[i].label.data[program->buffers[i].label.size] == 0);
    }
    for (uint32_t i = 0; i < program->shader_count; i++)
        require(program->shaders[i].wgsl.data[program->shaders[i].wgsl.size] == 0);
    for (uint32_t i = 0; i < program->pipeline_count; i++)
        require(program->pipelines[i].entry_point.data[program->pipelines[i].entry_point.size] == 0);
    (void)sink;
}

static void run(const uint8_t *data, size_t size, size_t allocations)
{
    countdown state = {.left = allocations};
    rp_allocator allocator = {.reallocate = reallocate, .user = &state};
    rp_program_parse_desc desc = {.allocator = &allocator};
    rp_program *program;
    rp_error error;
    rp_status status = rp_program_parse(data, size, &desc, &program, &error);
    require((status == RP_STATUS_OK) == (program != NULL));
    if (program)
        use(program, data, size, &allocator);
    else
        require(error.status == status && (error.offset <= size || error.offset == RP_NO_OFFSET));
    rp_program_destroy(&program);
    require(state.live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size, SIZE_MAX);
    if (size)
        run(data, size, data[size - 1] % 16);
    return 0;
}
