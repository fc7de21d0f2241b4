// The groups of test_examples.
#ifndef TESTS_EXAMPLES_H
#define TESTS_EXAMPLES_H

int run_image_file_tests(void);

#endif
