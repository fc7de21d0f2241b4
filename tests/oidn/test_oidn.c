// The tests of src/oidn: one group a subject.
#include "tests.h"

int main(void)
{
    int failed =
        test_tza() + test_model() + test_slots() + test_tile() + test_transfer() + test_exposure() + test_intel();
#ifdef REPRISE_WITH_RECORDING
    failed += test_record();
#endif
    return failed != 0;
}
