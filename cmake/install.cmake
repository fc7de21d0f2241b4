# `make install`: program, libraries, headers, package files, and what setup.sh fetched, where it is there.
include(CMakePackageConfigHelpers)

install(TARGETS reprise_shared EXPORT repriseTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS reprise_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET reprise)
    install(TARGETS reprise RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/reprise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# What a program needs that links libreprise.a.
set(private_libraries dnnl m ${CMAKE_DL_LIBS})
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND private_libraries gomp)
endif()
list(TRANSFORM private_libraries PREPEND -l OUTPUT_VARIABLE private_flags)
list(JOIN private_flags " " private_flags)
configure_file(cmake/reprise.pc.in reprise.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/reprise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/reprise)
configure_package_config_file(cmake/repriseConfig.cmake.in repriseConfig.cmake INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(repriseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/repriseConfig.cmake ${CMAKE_BINARY_DIR}/repriseConfigVersion.cmake
        DESTINATION ${package_folder})
install(EXPORT repriseTargets NAMESPACE reprise:: DESTINATION ${package_folder})

# Looked at when the installation runs, not when it is configured.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/build/weights DESTINATION ${CMAKE_INSTALL_DATADIR}/reprise OPTIONAL
        FILES_MATCHING PATTERN "*.tza" PATTERN "LICENSE.txt")
install(FILES ${CMAKE_SOURCE_DIR}/build/webgpu/libwebgpu_wrapper.so DESTINATION lib/reprise OPTIONAL)
