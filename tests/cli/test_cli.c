// The command line as a user meets it: help, wrong usage, images of every kind, failures that leave nothing behind.
#include "support.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_file_tests(void);

// ---- Words -------------------------------------------------------------------------------------------------------

static void every_verb_has_help(void **state)
{
    (void)state;
    static const char *const verbs[] = {"denoise", "record", "replay", "inspect", "devices"};
    const run_result *result = run_expecting(0, "--help", NULL);
    for (size_t i = 0; i < 5; i++)
        assert_non_null(strstr(result->out, verbs[i]));
    for (size_t i = 0; i < 5; i++) {
        result = run_expecting(0, verbs[i], "--help", NULL);
        assert_true(strncmp(result->out, "Usage: reprise ", 15) == 0);
        assert_non_null(strstr(result->out, "--help"));
        assert_string_equal(result->err, "");
        for (const char *line = result->out; *line; line += strcspn(line, "\n") + 1)
            assert_true(strcspn(line, "\n") <= 120);
    }
    assert_true(strncmp(run_expecting(0, "--version", NULL)->out, "reprise ", 8) == 0);
}

static void wrong_usage_is_said_and_exits_with_2(void **state)
{
    (void)state;
    static const struct {
        const char *words[6];
        const char *said;
    } wrong[] = {
        {{NULL}, "verb is missing"},
        {{"denois"}, "denois"},
        {{"--bogus"}, "--bogus"},
        {{"denoise"}, "image file is missing"},
        {{"denoise", "a.pfm"}, "-o is missing"},
        {{"denoise", "a.pfm", "-o"}, "'-o' needs an argument"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--albdo=x"}, "did you mean '--albedo'"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--hdr=x"}, "--hdr takes no argument"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "-Z"}, "'-Z'"},
        {{"denoise", "a.pfm", "b.pfm", "-o", "c.pfm"}, "b.pfm"},
        {{"denoise", "a.pfm", "-o", "b.jpg"}, "b.jpg"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--tile=8"}, "16 to"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--tile=64k"}, "64k"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--threads=-1"}, "-1"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--input-scale=nan"}, "nan"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--quality=best"}, "high, balanced or fast"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--device=tpu"}, "tpu"},
        {{"denoise", "a.pfm", "-o", "b.pfm", "--png-bits=12"}, "12"},
        {{"denoise", "--albedo=a", "--normal=b", "-o", "c.pfm"}, "by itself"},
        {{"denoise", "--normal=b", "--srgb", "-o", "c.pfm"}, "linear"},
        {{"denoise", "--albedo=b", "--hdr", "-o", "c.pfm"}, "LDR"},
        {{"record", "--size=4x4", "-o", "x"}, "--weights is missing"},
        {{"record", "--weights=w", "-o", "x"}, "--size is missing"},
        {{"record", "--weights=w", "--size=4", "-o", "x"}, "1280x720"},
        {{"record", "--weights=w", "--size=0x4", "-o", "x"}, "0x4"},
        {{"record", "--weights=w", "--size=4x99999999999999999999"}, "4x9"},
        {{"record", "--weights=w", "--features=f16,teleport"}, "teleport"},
        {{"replay"}, "program file is missing"},
        {{"replay", "p", "--input", "color"}, "NAME=FILE"},
        {{"replay", "p"}, "-o is missing"},
        {{"inspect"}, "file is missing"},
        {{"inspect", "a", "b"}, "'b'"},
        {{"inspect", "a", "--wgsl=x"}, "'x'"},
        {{"devices", "x"}, "'x'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const *w = wrong[i].words;
        const run_result *result = run_expecting(2, w[0], w[1], w[2], w[3], w[4], w[5], NULL);
        assert_true(strncmp(result->err, "reprise: ", 9) == 0);
        if (!strstr(result->err, wrong[i].said))
            fail_msg("'%s' does not say '%s'", result->err, wrong[i].said);
        assert_non_null(strstr(result->err, "--help'"));
        assert_string_equal(result->out, "");
    }
    const run_result *result = run_expecting(2, "denoise", "a.pfm", "-o", "b.pfm", "--hdr", "--ldr", NULL);
    assert_non_null(strstr(result->err, "exclude"));
    assert_int_equal(folder_count(), 0);
}

static void words_behind_two_dashes_are_files(void **state)
{
    (void)state;
    const run_result *result = run_expecting(1, "inspect", "--", "--help", NULL);
    assert_non_null(strstr(result->err, "--help"));
    result = run_expecting(2, "denoise", "-o", "x.pfm", "--", "--a", "--hdr", NULL);
    assert_non_null(strstr(result->err, "'--a' and '--hdr'"));
}

// ---- Failures ----------------------------------------------------------------------------------------------------

static void failures_say_why_and_leave_nothing(void **state)
{
    (void)state;
    const run_result *result = run_expecting(1, "denoise", in_folder("missing.pfm"), "-o", in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "missing.pfm"));
    FILE *file = fopen(in_folder("rubbish.exr"), "wb");
    fputs("this is no image", file);
    fclose(file);
    result = run_expecting(1, "denoise", in_folder("rubbish.exr"), "-o", in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "rubbish.exr"));
    run_expecting(1, "inspect", in_folder("rubbish.exr"), NULL);
    run_expecting(1, "replay", in_folder("rubbish.exr"), "--input", "color=x.pfm", "-o", in_folder("out.pfm"), NULL);
    result = run_expecting(1, "record", "--weights", in_folder("rubbish.exr"), "--size", "16x16", "-o",
                           in_folder("out.oidn"), NULL);
    assert_non_null(strstr(result->err, "rubbish.exr"));

    rp_pixels pixels = make_pixels(20, 12, 3, 1.0f), small = make_pixels(19, 12, 3, 1.0f);
    write_picture("color.pfm", &pixels);
    write_picture("small.pfm", &small);
    result = run_expecting(1, "denoise", in_folder("color.pfm"), "-o", in_folder("nowhere/out.pfm"), NULL);
    assert_non_null(strstr(result->err, "nowhere"));
    result = run_expecting(1, "denoise", in_folder("color.pfm"), "--albedo", in_folder("small.pfm"), "-o",
                           in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "19x12"));
    assert_non_null(strstr(result->err, "20x12"));
    result = run_expecting(1, "denoise", in_folder("color.pfm"), "--normal", in_folder("color.pfm"), "-o",
                           in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "albedo"));
    result = run_expecting(1, "denoise", in_folder("color.pfm"), "--weights", in_folder("rubbish.exr"), "-o",
                           in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "rubbish.exr"));
    result = run_expecting(2, "denoise", in_folder("color.pfm"), "--ldr", "--input-scale=2", "-o", in_folder("out.pfm"),
                           NULL);
    assert_non_null(strstr(result->err, "LDR"));
    run_expecting(2, "denoise", in_folder("color.pfm"), "--clean-aux", "-o", in_folder("out.pfm"), NULL);
    assert_int_equal(folder_count(), 3);
    free(pixels.data);
    free(small.data);
}

// ---- Ctrl-C and the progress bar ---------------------------------------------------------------------------------

// Seconds of work in many tiles, wherever this runs.
static void write_large_picture(void)
{
    rp_pixels pixels = make_pixels(2400, 1600, 3, 4.0f);
    write_picture("large.pfm", &pixels);
    free(pixels.data);
}

static void interrupting_leaves_no_file_and_ends_by_the_signal(void **state)
{
    (void)state;
    skip_without_weights();
    write_large_picture();
    const char *words[] = {
        "reprise", "denoise", in_folder("large.pfm"), "-o", in_folder("out.exr"), "--tile", "64", "--device",
        "cpu",     NULL};
    int terminal;
    pid_t process = start(&terminal, words);
    // The bar shows that tiles are being worked on.
    char seen[4096] = "";
    size_t length = 0;
    while (!strstr(seen, "tile") && length + 1 < sizeof seen) {
        struct pollfd ready = {.fd = terminal, .events = POLLIN};
        if (poll(&ready, 1, 60000) <= 0)
            break;
        ssize_t got = read(terminal, seen + length, sizeof seen - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        seen[length] = 0;
    }
    kill(process, SIGINT);
    int code, number;
    finish(process, &code, &number);
    close(terminal);
    assert_non_null(strstr(seen, "tile"));
    assert_int_equal(number, SIGINT);
    assert_int_equal(folder_count(), 1);
}

static void no_bar_is_drawn_where_nobody_looks(void **state)
{
    (void)state;
    skip_without_weights();
    write_large_picture();
    const char *words[] = {
        "reprise", "denoise", in_folder("large.pfm"), "-o", in_folder("out.exr"), "--tile", "64", "--device",
        "cpu",     NULL};
    pid_t process = start(NULL, words);
    sleep(2);
    kill(process, SIGTERM);
    int code, number;
    finish(process, &code, &number);
    assert_int_equal(number, SIGTERM);
    char text[512] = "";
    FILE *file = fopen(in_folder("err"), "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_null(strchr(text, '['));
    assert_null(strchr(text, '\r'));
    assert_non_null(strstr(text, "interrupted"));
    assert_int_equal(folder_count(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_verb_has_help, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(wrong_usage_is_said_and_exits_with_2, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(words_behind_two_dashes_are_files, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(failures_say_why_and_leave_nothing, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(interrupting_leaves_no_file_and_ends_by_the_signal, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(no_bar_is_drawn_where_nobody_looks, folder_make, folder_remove),
    };
    int failed = cmocka_run_group_tests_name("words", tests, NULL, NULL) + run_file_tests();
    return failed ? 1 : 0;
}
