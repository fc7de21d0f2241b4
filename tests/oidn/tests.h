// The groups of test_oidn, one a subject.
#ifndef TESTS_OIDN_H
#define TESTS_OIDN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int test_exposure(void);
int test_intel(void);
int test_model(void);
int test_record(void);
int test_slots(void);
int test_tile(void);
int test_transfer(void);
int test_tza(void);

#endif
