# CutworkMlir.cmake -- MLIR and LLVM 22 as static libraries of ours: no libLLVM.so, no z3.
#
# Debian builds LLVM with LLVM_LINK_LLVM_DYLIB, so every imported MLIR target links the shared libLLVM;
# the loop below makes them link the archives of cw_llvm instead.
set(ZLIB_USE_STATIC_LIBS ON)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(cw_llvm INTERFACE)
target_link_libraries(cw_llvm INTERFACE
  LLVMPasses LLVMNVPTXCodeGen LLVMX86CodeGen LLVMOrcJIT LLVMIRReader)
get_property(cw_mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(target IN LISTS cw_mlir_libs ITEMS LLVMSupport)
  get_target_property(dependencies ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT dependencies)
    continue()
  endif()
  list(TRANSFORM dependencies REPLACE "^LLVM$" cw_llvm)
  list(TRANSFORM dependencies REPLACE "^zstd::libzstd_shared$" zstd::libzstd_static)
  list(FILTER dependencies EXCLUDE REGEX "libz3")
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${dependencies}")
endforeach()

# The flags that MLIR's headers need; -isystem keeps their warnings away.
add_library(cw_mlir_headers INTERFACE)
target_include_directories(cw_mlir_headers SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
