// reprise: the command line. A table of verbs; each is a file of its own.
#include "cli/cli.h"
#include "denoise/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct verb {
    const char *name;
    int (*run)(int argc, char **argv, double process_begin);
    const char *about;
} verb;

static const verb verbs[] = {
    {"denoise", cli_denoise, "denoise an image file"},
    {"record", cli_record, "record a denoising program for a GPU"},
    {"replay", cli_replay, "run a recorded program on images"},
    {"inspect", cli_inspect, "say what a weight file or a program holds"},
    {"devices", cli_devices, "list what programs can run on"},
};

static void print_message(const char *format, va_list arguments)
{
    fflush(stdout);
    fputs("reprise: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int cli_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_wrong(const char *verb_name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'reprise %s%s--help'.\n", verb_name, *verb_name ? " " : "");
    return CLI_WRONG_USAGE;
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

bool cli_check_target(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            cli_fail("%s: is a folder", path);
            return false;
        }
        if (!S_ISREG(info.st_mode))
            return true; // a pipe or a device is written to directly
    }
    char folder[4096];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 1;
    if (snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".") >= (int)sizeof folder) {
        cli_fail("%s: the name is too long", path);
        return false;
    }
    if (access(folder, W_OK | X_OK) != 0) {
        cli_fail("%s: cannot be written: %s: %s", path, folder, strerror(errno));
        return false;
    }
    return true;
}

static void print_help(void)
{
    puts("Usage: reprise VERB [OPTION]...\n");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].about);
    puts("\n'reprise VERB --help' says more. Exit status: 0 done, 1 failed, 2 wrong usage.");
}

int main(int argc, char **argv)
{
    double begin = rp_clock_seconds();
    if (argc < 2)
        return cli_wrong("", "a verb is missing");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("reprise " RP_VERSION);
        return CLI_DONE;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, argv[1]) != 0)
            continue;
        int code = verbs[i].run(argc - 1, argv + 1, begin);
        if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE)
            code = cli_fail("standard output: %s", strerror(errno));
        return code;
    }
    return cli_wrong("", "unknown %s '%s'", argv[1][0] == '-' ? "option" : "verb", argv[1]);
}
