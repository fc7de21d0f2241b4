// Running the binary as a user would: its own process, its own folder, its output caught.
#ifndef TEST_CLI_SUPPORT_H
#define TEST_CLI_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image/image.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct run_result {
    int code;   // exit status, or -1
    int signal; // that ended it, or 0
    char out[1 << 16];
    char err[1 << 16];
} run_result;

// A fresh folder for a test's files; its name ends with '/'. Removed with everything in it at the end.
extern char folder[64];
int folder_make(void **state);
int folder_remove(void **state);
// Entries of the folder.
size_t folder_count(void);
// folder + name, in one of a few rotating buffers.
const char *in_folder(const char *name);

// Runs `reprise` with these words, up to NULL. The result stays valid until the next run.
const run_result *run(const char *first, ...);
// The same, and fails the test when it does not exit with `code`.
const run_result *run_expecting(int code, const char *first, ...);

// Starts it with stderr on a terminal (*terminal, to read from) or, with terminal NULL, in the file "err".
pid_t start(int *terminal, const char *const *words);
// Waits for it; gives the exit status in *code or the signal in *signal.
void finish(pid_t process, int *code, int *signal);

void skip_without_weights(void);
void skip_without_webgpu(void);

// Noisy pixels that the caller frees; written by the image layer under the folder.
rp_pixels make_pixels(uint32_t width, uint32_t height, uint32_t channels, float peak);
void write_picture(const char *name, const rp_pixels *pixels);
rp_image_file read_picture(const char *name);
double greatest_difference(const rp_pixels *a, const rp_pixels *b);

#endif
