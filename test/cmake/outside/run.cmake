# run.cmake -- builds and runs a project outside this one against an installed Cutwork.
#
# BUILD is the build folder to install, WORK a folder of ours (made anew), COMPILER the compiler to
# use, SOURCE the project, PROGRAMS what it makes, divided by commas.
file(REMOVE_RECURSE "${WORK}")
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result COMMAND_ECHO STDOUT)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -G Ninja -S "${SOURCE}" -B "${WORK}/build"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
string(REPLACE "," ";" programs "${PROGRAMS}")
foreach(program IN LISTS programs)
  run("${WORK}/build/${program}")
endforeach()
file(REMOVE_RECURSE "${WORK}/prefix")  # large
