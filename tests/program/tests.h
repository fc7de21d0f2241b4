// The groups of this folder's tests; each gives the number of failures.
#ifndef TESTS_PROGRAM_TESTS_H
#define TESTS_PROGRAM_TESTS_H

int test_output(void);
int test_read(void);
int test_rules(void);

#endif
