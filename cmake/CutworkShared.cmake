# CutworkShared.cmake -- what users link: libcutwork_rt (devices, no LLVM) and libcutwork (the compiler).
#
# Both are made of the objects of the static libraries. LLVM and MLIR are inside libcutwork, and none
# of their symbols is exported: a process may hold another LLVM. The public headers mark what is
# exported (#pragma GCC visibility), the version scripts keep everything else in.
function(cw_shared_library target output folders)
  set(objects)
  foreach(folder IN LISTS folders)
    list(APPEND objects $<TARGET_OBJECTS:cutwork_${folder}>)
  endforeach()
  add_library(${target} SHARED ${objects})
  add_library(cutwork::${output} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX EXPORT_NAME ${output}
    BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/${target}.map")
  if(SKBUILD)  # a wheel holds no symbolic links: one file each
    install(TARGETS ${target} LIBRARY DESTINATION cutwork/lib COMPONENT python)
  else()
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endif()
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>")
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/${target}.map"
    -Wl,--as-needed,--gc-sections,-z,defs)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:cutwork_fmt> ${CMAKE_DL_LIBS})
  install(TARGETS ${target} EXPORT cutworkTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

set(device_folders support runtime simulator)
foreach(isa avx2 avx512)
  if(TARGET cutwork_simulator_${isa})
    list(APPEND device_folders simulator_${isa})
  endif()
endforeach()
cw_shared_library(libcutwork_rt rt "${device_folders}")
set_target_properties(libcutwork_rt PROPERTIES OUTPUT_NAME cutwork_rt)

set(compiler_folders layout atoms ir dsl transforms codegen assembler cache compiler cases)
cw_shared_library(libcutwork cutwork "${compiler_folders}")
set_target_properties(libcutwork PROPERTIES OUTPUT_NAME cutwork)
target_link_libraries(libcutwork PUBLIC libcutwork_rt)
# What the folders' sources use besides our libraries: LLVM and MLIR.
foreach(folder IN LISTS compiler_folders)
  get_target_property(libraries cutwork_${folder} LINK_LIBRARIES)
  list(FILTER libraries INCLUDE REGEX "^(MLIR|cw_llvm|LLVM)")
  foreach(library IN LISTS libraries)
    target_link_libraries(libcutwork PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
endforeach()
