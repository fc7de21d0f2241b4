# Shared test helpers: include this file, then add reprise_test_support to a test's LINKS. The tests that use the
# reference network need the layers base and oidn too.
include_guard(GLOBAL)
set(support ${CMAKE_SOURCE_DIR}/tests/support)
add_library(reprise_test_support OBJECT EXCLUDE_FROM_ALL
    ${support}/failing_allocator.c ${support}/manifest.c ${support}/pfm.c ${support}/reference_network.c
    ${support}/weights.c)
target_link_libraries(reprise_test_support PRIVATE reprise_flags PUBLIC jansson)
target_include_directories(reprise_test_support PRIVATE ${CMAKE_SOURCE_DIR}/tests)
# Convolutions in double are only bearable when optimized, whatever the rest is built with.
set_source_files_properties(${support}/reference_network.c PROPERTIES COMPILE_OPTIONS "-O2;-fno-sanitize=all")
