// Processes, folders and pictures for the tests of the command line.
#include "support.h"

#include "support/weights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char folder[64];

int folder_make(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/reprise-cli-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    strcat(folder, "/");
    return 0;
}

static size_t walk_folder(bool remove_them)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (remove_them)
            unlink(in_folder(entry->d_name));
    }
    if (directory)
        closedir(directory);
    return count;
}

int folder_remove(void **state)
{
    (void)state;
    walk_folder(true);
    int result = rmdir(folder);
    folder[strlen(folder) - 1] = 0;
    unlink(strcat(folder, ".out"));
    return result;
}

size_t folder_count(void)
{
    return walk_folder(false);
}

const char *in_folder(const char *name)
{
    static char paths[8][400];
    static size_t next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s%s", folder, name);
    return path;
}

static void redirect(const char *path, int descriptor)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(126);
    close(file);
}

static pid_t spawn(const char *const *words, const char *out, const char *err, int terminal)
{
    pid_t process = fork();
    assert_true(process >= 0);
    if (process > 0)
        return process;
    redirect(out, STDOUT_FILENO);
    if (err)
        redirect(err, STDERR_FILENO);
    else if (dup2(terminal, STDERR_FILENO) < 0)
        _exit(126);
    execv(REPRISE_BINARY, (char *const *)words);
    _exit(127);
}

void finish(pid_t process, int *code, int *signal)
{
    int status;
    while (waitpid(process, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    text[file ? fread(text, 1, size - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    unlink(path);
}

static const run_result *run_words(const char *const *words)
{
    static run_result result;
    char out[80], err[80];
    // Outside the folder, whose entries tests count.
    snprintf(out, sizeof out, "%.*s.out", (int)strlen(folder) - 1, folder);
    snprintf(err, sizeof err, "%.*s.err", (int)strlen(folder) - 1, folder);
    finish(spawn(words, out, err, -1), &result.code, &result.signal);
    read_text(out, result.out, sizeof result.out);
    read_text(err, result.err, sizeof result.err);
    return &result;
}

enum { MAX_WORDS = 40 };

static void collect(const char **words, const char *first, va_list arguments)
{
    size_t count = 0;
    words[count++] = "reprise";
    for (const char *word = first; word; word = va_arg(arguments, const char *)) {
        assert_true(count + 1 < MAX_WORDS);
        words[count++] = word;
    }
    words[count] = NULL;
}

const run_result *run(const char *first, ...)
{
    const char *words[MAX_WORDS];
    va_list arguments;
    va_start(arguments, first);
    collect(words, first, arguments);
    va_end(arguments);
    return run_words(words);
}

const run_result *run_expecting(int code, const char *first, ...)
{
    const char *words[MAX_WORDS];
    va_list arguments;
    va_start(arguments, first);
    collect(words, first, arguments);
    va_end(arguments);
    const run_result *result = run_words(words);
    if (result->code != code) {
        for (size_t i = 0; words[i]; i++)
            print_message("%s ", words[i]);
        fail_msg("exit status %d (signal %d), not %d: %s", result->code, result->signal, code, result->err);
    }
    return result;
}

pid_t start(int *terminal, const char *const *words)
{
    char out[80];
    snprintf(out, sizeof out, "%.*s.out", (int)strlen(folder) - 1, folder);
    if (!terminal)
        return spawn(words, out, in_folder("err"), -1);
    *terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*terminal >= 0);
    assert_int_equal(grantpt(*terminal), 0);
    assert_int_equal(unlockpt(*terminal), 0);
    int other = open(ptsname(*terminal), O_RDWR | O_NOCTTY);
    assert_true(other >= 0);
    pid_t process = spawn(words, out, NULL, other);
    close(other);
    return process;
}

void skip_without_weights(void)
{
    char *path = weights_path("rt_hdr");
    if (!path)
        skip();
    free(path);
}

void skip_without_webgpu(void)
{
    if (!getenv("REPRISE_WEBGPU_LIBRARY")) {
        print_message("SKIPPED: $REPRISE_WEBGPU_LIBRARY is not set\n");
        skip();
    }
}

rp_pixels make_pixels(uint32_t width, uint32_t height, uint32_t channels, float peak)
{
    rp_pixels pixels = {.width = width, .height = height, .channels = channels};
    size_t count = (size_t)width * height * channels;
    pixels.data = malloc(count * sizeof(float));
    assert_non_null(pixels.data);
    uint32_t random = 12345;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        double noise = (random >> 8) / 16777216.0, shape = 0.5 + 0.5 * sin(0.002 * (double)(i % 4001));
        pixels.data[i] = peak * (float)(0.7 * shape + 0.3 * noise);
    }
    return pixels;
}

void write_picture(const char *name, const rp_pixels *pixels)
{
    rp_error error;
    rp_image_write_desc desc = {.pixels = pixels};
    if (rp_image_write(in_folder(name), &desc, NULL, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

rp_image_file read_picture(const char *name)
{
    rp_image_file file;
    rp_error error;
    if (rp_image_read(in_folder(name), NULL, NULL, &file, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    return file;
}

double greatest_difference(const rp_pixels *a, const rp_pixels *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->channels, b->channels);
    double most = 0;
    for (size_t i = 0; i < (size_t)a->width * a->height * a->channels; i++) {
        double difference = fabs((double)a->data[i] - (double)b->data[i]);
        if (!(difference <= most))
            most = difference;
    }
    return most;
}
