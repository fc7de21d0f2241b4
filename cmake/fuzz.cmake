# Each fuzz/NAME.c is a libFuzzer target, with the dictionary fuzz/NAME.dict (without the leading fuzz_) and the first
# inputs fuzz/corpus/NAME/, if there are any. As a test it runs for REPRISE_FUZZ_SECONDS.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*.c)
foreach(source ${sources})
    get_filename_component(target ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" subject ${target})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE reprise_flags reprise_static)
    if(TARGET reprise_image)
        target_link_libraries(${target} PRIVATE reprise_image)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)

    set(arguments -max_total_time=${REPRISE_FUZZ_SECONDS} -timeout=10 -print_final_stats=1)
    if(EXISTS ${CMAKE_SOURCE_DIR}/fuzz/${subject}.dict)
        list(APPEND arguments -dict=${CMAKE_SOURCE_DIR}/fuzz/${subject}.dict)
    endif()
    # What is found goes into the first folder: never into the sources.
    set(folders ${CMAKE_BINARY_DIR}/corpus/${subject})
    file(MAKE_DIRECTORY ${folders})
    if(EXISTS ${CMAKE_SOURCE_DIR}/fuzz/corpus/${subject})
        list(APPEND folders ${CMAKE_SOURCE_DIR}/fuzz/corpus/${subject})
    endif()
    add_test(NAME ${target} COMMAND ${target} ${arguments} -artifact_prefix=${CMAKE_BINARY_DIR}/${subject}- ${folders}
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endforeach()
