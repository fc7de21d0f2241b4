// The groups of this folder's tests; each gives the number of failures.
#ifndef TESTS_BASE_TESTS_H
#define TESTS_BASE_TESTS_H

int test_bytes(void);
int test_file(void);
int test_half(void);
int test_memory(void);

#endif
