// The tests of src/oidn: one group a subject.
#include "tests.h"

int main(void)
{
    int failed = test_tza() + test_model() + test_slots() + test_tile() + test_transfer() + test_exposure() +
                 test_record() + test_intel();
    return failed != 0;
}
