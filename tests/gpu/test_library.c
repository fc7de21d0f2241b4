// Finding and loading a WebGPU library.
#include "gpu/tests.h"

#include "gpu/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refuses(const char *name, const char *expected)
{
    rp_library library;
    rp_error error;
    assert_int_equal(rp_library_load(name, &library, &error), RP_STATUS_NO_LIBRARY);
    if (!strstr(error.message, expected))
        fail_msg("'%s' does not tell of '%s'", error.message, expected);
}

static void a_missing_library_is_named(void **state)
{
    (void)state;
    refuses("/nowhere/libwebgpu.so", "/nowhere/libwebgpu.so");
    refuses("", "''");
}

// libm is there on every machine, and is no WebGPU.
static void a_library_without_webgpu_is_refused(void **state)
{
    (void)state;
    refuses("libm.so.6", "lacks wgpuCreateInstance");
}

static void a_path_too_long_to_keep_is_refused(void **state)
{
    (void)state;
    char path[400];
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    refuses(path, "399 bytes");
}

// What the variable names is taken or nothing: a wrong setting must not pass for another library.
static void the_variable_decides(void **state)
{
    (void)state;
    const char *before = getenv("REPRISE_WEBGPU_LIBRARY");
    char saved[1024] = "";
    if (before)
        snprintf(saved, sizeof saved, "%s", before);
    setenv("REPRISE_WEBGPU_LIBRARY", "/nowhere/else.so", 1);
    refuses(NULL, "/nowhere/else.so");
    refuses("/nowhere/libwebgpu.so", "/nowhere/libwebgpu.so"); // a name in the descriptor goes before it
    if (before)
        setenv("REPRISE_WEBGPU_LIBRARY", saved, 1);
    else
        unsetenv("REPRISE_WEBGPU_LIBRARY");
}

int test_library(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_library_is_named),
        cmocka_unit_test(a_library_without_webgpu_is_refused),
        cmocka_unit_test(a_path_too_long_to_keep_is_refused),
        cmocka_unit_test(the_variable_decides),
    };
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
