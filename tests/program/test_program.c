// Tests of the program layer: reading, rules, writing, listings.
#include "program/tests.h"

int main(void)
{
    int failed = test_read() + test_rules() + test_output();
    return failed ? 1 : 0;
}
