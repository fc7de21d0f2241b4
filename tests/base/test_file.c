// Files: read whole, written complete or not at all.
#include "base/file.h"
#include "base/tests.h"
#include "support/failing_allocator.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64], path[96], other[96];

static int enter(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/reprise_base_XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(other, sizeof other, "%s/other", directory);
    return 0;
}

// Fails when a test left more than its two files behind, a temporary one above all.
static int leave(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(directory);
}

static void assert_content(const char *name, const char *expected)
{
    uint8_t *bytes;
    size_t size;
    rp_error error;
    if (rp_file_read(name, 1000, NULL, &bytes, &size, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(size, strlen(expected));
    assert_string_equal((char *)bytes, expected); // a zero byte follows
    rp_free(NULL, bytes);
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void a_file_is_read_within_its_limit(void **state)
{
    (void)state;
    uint8_t *bytes = NULL;
    size_t size = 0;
    rp_error error;
    assert_int_equal(rp_file_write(path, "hello", 5, NULL, NULL), RP_STATUS_OK);
    assert_content(path, "hello");
    assert_int_equal(rp_file_read(path, 5, NULL, &bytes, &size, &error), RP_STATUS_OK);
    rp_free(NULL, bytes);
    bytes = NULL;
    assert_int_equal(rp_file_read(path, 4, NULL, &bytes, &size, &error), RP_STATUS_TOO_LARGE);
    assert_null(bytes);
    assert_memory_equal(error.message, path, strlen(path));
    assert_int_equal(rp_file_write(path, NULL, 0, NULL, NULL), RP_STATUS_OK);
    assert_content(path, "");
}

static void what_is_no_file_cannot_be_read(void **state)
{
    (void)state;
    uint8_t *bytes = NULL;
    size_t size;
    rp_error error;
    assert_int_equal(rp_file_read(path, 100, NULL, &bytes, &size, &error), RP_STATUS_IO);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(rp_file_read(directory, 100, NULL, &bytes, &size, &error), RP_STATUS_IO);
    assert_int_equal(rp_file_read("/dev/zero", 100, NULL, &bytes, &size, &error), RP_STATUS_IO);
    assert_null(bytes);
}

static void a_file_shows_up_at_commit_and_not_before(void **state)
{
    (void)state;
    assert_int_equal(rp_file_write(path, "old", 3, NULL, NULL), RP_STATUS_OK);
    rp_output_file file;
    assert_int_equal(rp_output_begin(&file, path, NULL, NULL), RP_STATUS_OK);
    fputs("new content", file.stream);
    fflush(file.stream);
    assert_content(path, "old");
    assert_non_null(file.temporary);
    assert_content(file.temporary, "new content");
    assert_int_equal(rp_output_commit(&file, NULL), RP_STATUS_OK);
    assert_content(path, "new content");
    assert_int_equal(count_files(), 1);
}

static void an_aborted_file_leaves_the_old_one_alone(void **state)
{
    (void)state;
    assert_int_equal(rp_file_write(path, "old", 3, NULL, NULL), RP_STATUS_OK);
    rp_output_file file;
    assert_int_equal(rp_output_begin(&file, path, NULL, NULL), RP_STATUS_OK);
    fputs("new content", file.stream);
    rp_output_abort(&file);
    rp_output_abort(&file); // may follow anything
    assert_content(path, "old");
    assert_int_equal(count_files(), 1);
    // And where there was none there is none.
    assert_int_equal(rp_output_begin(&file, other, NULL, NULL), RP_STATUS_OK);
    rp_output_abort(&file);
    assert_int_equal(count_files(), 1);
}

static void two_writers_of_one_file_do_not_mix(void **state)
{
    (void)state;
    rp_output_file first, second;
    assert_int_equal(rp_output_begin(&first, path, NULL, NULL), RP_STATUS_OK);
    assert_int_equal(rp_output_begin(&second, path, NULL, NULL), RP_STATUS_OK);
    fputs("first", first.stream);
    fputs("second", second.stream);
    assert_int_equal(rp_output_commit(&second, NULL), RP_STATUS_OK);
    assert_content(path, "second");
    assert_int_equal(rp_output_commit(&first, NULL), RP_STATUS_OK);
    assert_content(path, "first");
    assert_int_equal(count_files(), 1);
}

static void a_symbolic_link_stays_and_its_file_is_replaced(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(rp_file_write(other, "old", 3, NULL, NULL), RP_STATUS_OK);
    assert_int_equal(symlink("other", path), 0);
    assert_int_equal(rp_file_write(path, "new", 3, NULL, NULL), RP_STATUS_OK);
    assert_content(other, "new");
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void a_device_is_written_directly(void **state)
{
    (void)state;
    struct stat info;
    rp_output_file file;
    assert_int_equal(rp_output_begin(&file, "/dev/null", NULL, NULL), RP_STATUS_OK);
    assert_null(file.temporary);
    fputs("gone", file.stream);
    assert_int_equal(rp_output_commit(&file, NULL), RP_STATUS_OK);
    assert_int_equal(rp_file_write("/dev/null", "gone", 4, NULL, NULL), RP_STATUS_OK);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct stat info;
    if (stat("/dev/full", &info) != 0)
        skip();
    rp_error error;
    assert_int_equal(rp_file_write("/dev/full", "x", 1, NULL, &error), RP_STATUS_IO);
    assert_non_null(strstr(error.message, "No space left"));
    char *large = calloc(1, 1 << 20);
    assert_int_equal(rp_file_write("/dev/full", large, 1 << 20, NULL, &error), RP_STATUS_IO);
    free(large);
}

static void a_place_that_is_not_there_leaves_nothing(void **state)
{
    (void)state;
    char missing[128];
    rp_error error;
    snprintf(missing, sizeof missing, "%s/none/file", directory);
    assert_int_equal(rp_file_write(missing, "x", 1, NULL, &error), RP_STATUS_IO);
    assert_memory_equal(error.message, missing, strlen(missing));
    assert_int_equal(rp_file_write(directory, "x", 1, NULL, &error), RP_STATUS_IO);
    assert_int_equal(count_files(), 0);
}

// The rename fails because a directory has come to stand where the file should.
static void a_failed_commit_leaves_nothing(void **state)
{
    (void)state;
    rp_output_file file;
    rp_error error;
    assert_int_equal(rp_output_begin(&file, path, NULL, NULL), RP_STATUS_OK);
    fputs("x", file.stream);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(rp_output_commit(&file, &error), RP_STATUS_IO);
    assert_int_equal(count_files(), 1);
    assert_int_equal(rmdir(path), 0);
}

static void files_survive_every_failing_allocation(void **state)
{
    (void)state;
    rp_status written = RP_STATUS_OUT_OF_MEMORY, read = RP_STATUS_OUT_OF_MEMORY;
    for (size_t fail_at = 1; written != RP_STATUS_OK; fail_at++) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        written = rp_file_write(path, "x", 1, &allocator.hook, NULL);
        assert_true(written == RP_STATUS_OK || written == RP_STATUS_OUT_OF_MEMORY);
        assert_int_equal(allocator.live, 0);
        assert_int_equal(count_files(), written == RP_STATUS_OK);
    }
    for (size_t fail_at = 1; read != RP_STATUS_OK; fail_at++) {
        failing_allocator allocator;
        uint8_t *bytes = NULL;
        size_t size;
        failing_allocator_init(&allocator, fail_at);
        read = rp_file_read(path, 100, &allocator.hook, &bytes, &size, NULL);
        assert_true(read == RP_STATUS_OK || read == RP_STATUS_OUT_OF_MEMORY);
        rp_free(&allocator.hook, bytes);
        assert_int_equal(allocator.live, 0);
    }
}

int test_file(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_file_is_read_within_its_limit),
        IN_A_FOLDER(what_is_no_file_cannot_be_read),
        IN_A_FOLDER(a_file_shows_up_at_commit_and_not_before),
        IN_A_FOLDER(an_aborted_file_leaves_the_old_one_alone),
        IN_A_FOLDER(two_writers_of_one_file_do_not_mix),
        IN_A_FOLDER(a_symbolic_link_stays_and_its_file_is_replaced),
        IN_A_FOLDER(a_device_is_written_directly),
        IN_A_FOLDER(a_full_disk_is_an_error),
        IN_A_FOLDER(a_place_that_is_not_there_leaves_nothing),
        IN_A_FOLDER(a_failed_commit_leaves_nothing),
        IN_A_FOLDER(files_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
