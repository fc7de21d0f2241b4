// The groups of test_gpu, one a subject.
#ifndef TESTS_GPU_H
#define TESTS_GPU_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int test_library(void);
int test_needs(void);
int test_fake_device(void);
int test_fake_replay(void);
int test_dawn(void);
int test_dawn_errors(void);

#endif
