# CutworkTargets.cmake -- how every target is compiled, and cw_add_library: one library per lib/ folder.

# Flags for our own targets only; users of the installed libraries get none of them.
add_library(cutwork_flags INTERFACE)
target_compile_options(cutwork_flags INTERFACE -Wall -Wextra
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 sees overlaps in std::string that are not there
# Places that messages print (std::source_location) name files from the project's root, whether the
# compiler is given absolute names or, by ccache, names relative to the build folder.
file(RELATIVE_PATH cw_root_from_build "${CMAKE_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
string(REGEX REPLACE "/$" "" cw_root_from_build "${cw_root_from_build}")
target_compile_options(cutwork_flags INTERFACE
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=" "-fmacro-prefix-map=${cw_root_from_build}/=")
if(CUTWORK_SANITIZE)
  set(cw_sanitizers -fsanitize=${CUTWORK_SANITIZERS} -fno-sanitize-recover=all)
  target_compile_options(cutwork_flags INTERFACE ${cw_sanitizers})
  target_link_options(cutwork_flags INTERFACE ${cw_sanitizers})
endif()
if(CUTWORK_FUZZ)
  # Coverage for the fuzzer's eyes in all our code; the fuzz programs alone link libFuzzer's main.
  target_compile_options(cutwork_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The allowed dependencies, one `Folder: Folder...` a line; scripts/lint reads the same file.
set(cw_dependency_table "${PROJECT_SOURCE_DIR}/lib/dependencies.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${cw_dependency_table}")

# cw_add_library(Layout SOURCES a.cpp ... DEPENDS Support ...)
#
# The library of folder lib/Layout: target cutwork_layout, alias and installed name cutwork::layout.
# DEPENDS names folders, not targets, and may hold only what lib/dependencies.txt allows the folder;
# scripts/lint checks that the folder includes no header of a folder that DEPENDS does not name.
# PRIVATE_LIBRARIES are targets that the sources alone use. INTERNAL: not installed by itself, it is part
# of a shared library; its headers in lib/ are for other folders of lib/, tools and tests.
function(cw_add_library folder)
  cmake_parse_arguments(arg "INTERNAL" "" "SOURCES;DEPENDS;PRIVATE_LIBRARIES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cw_add_library(${folder}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(STRINGS "${cw_dependency_table}" row REGEX "^${folder}:")
  if(NOT row)
    message(FATAL_ERROR "cw_add_library(${folder}): no row '${folder}:' in lib/dependencies.txt")
  endif()
  string(REGEX REPLACE "^[^:]*:" "" allowed "${row}")
  separate_arguments(allowed)
  foreach(dependency IN LISTS arg_DEPENDS)
    if(NOT dependency IN_LIST allowed)
      message(FATAL_ERROR "lib/${folder} may not depend on lib/${dependency}: lib/dependencies.txt "
        "allows it: ${allowed}")
    endif()
  endforeach()

  string(TOLOWER "${folder}" name)
  if(arg_SOURCES)
    add_library(cutwork_${name} STATIC ${arg_SOURCES})
    target_include_directories(cutwork_${name} PUBLIC
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>")
    target_compile_features(cutwork_${name} PUBLIC cxx_std_20)
    target_link_libraries(cutwork_${name} PRIVATE "$<BUILD_INTERFACE:cutwork_flags>")
    set(scope PUBLIC)
  else()
    message(WARNING "lib/${folder} has no sources")
    add_library(cutwork_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  foreach(dependency IN LISTS arg_DEPENDS)
    string(TOLOWER "${dependency}" dependency)
    target_link_libraries(cutwork_${name} ${scope} cutwork_${dependency})
  endforeach()
  if(arg_SOURCES)
    target_link_libraries(cutwork_${name} PRIVATE ${arg_PRIVATE_LIBRARIES})
  endif()
  set_target_properties(cutwork_${name} PROPERTIES EXPORT_NAME ${name})
  add_library(cutwork::${name} ALIAS cutwork_${name})
  if(arg_INTERNAL)
    target_include_directories(cutwork_${name} ${scope} "${PROJECT_SOURCE_DIR}/lib")
    return()
  endif()
  install(TARGETS cutwork_${name} EXPORT cutworkTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()
