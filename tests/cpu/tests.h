// The tests of this folder that have a file of their own.
#ifndef CPU_TESTS_H
#define CPU_TESTS_H

int test_activations(void);

#endif
