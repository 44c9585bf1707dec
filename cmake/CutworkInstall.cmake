# CutworkInstall.cmake -- install rules: after them find_package(cutwork) gives cutwork::layout.
include(CMakePackageConfigHelpers)

set(cw_config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/cutwork")
install(DIRECTORY include/cutwork DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT cutworkTargets NAMESPACE cutwork:: DESTINATION "${cw_config_folder}")
configure_package_config_file(cmake/cutworkConfig.cmake.in "${PROJECT_BINARY_DIR}/cutworkConfig.cmake"
  INSTALL_DESTINATION "${cw_config_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cutworkConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cutworkConfig.cmake" "${PROJECT_BINARY_DIR}/cutworkConfigVersion.cmake"
  DESTINATION "${cw_config_folder}")
