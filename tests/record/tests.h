// The groups of this folder's tests, and the recording that both use.
#ifndef TESTS_RECORD_TESTS_H
#define TESTS_RECORD_TESTS_H

#include "reprise/record.h"

int test_faults(void);

// Records the example program of tests/program/golden.h and ignores every status but the last.
rp_status record_golden(const rp_allocator *allocator, rp_program **program, rp_error *error);

#endif
