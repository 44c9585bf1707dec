// cutwork/Cute.h -- everything that a program of kernels includes.
#pragma once

#include "cutwork/Compiler/Compile.h"  // IWYU pragma: export
#include "cutwork/DSL/Arch.h"          // IWYU pragma: export
#include "cutwork/DSL/Control.h"       // IWYU pragma: export
#include "cutwork/DSL/Copy.h"          // IWYU pragma: export
#include "cutwork/DSL/Kernel.h"        // IWYU pragma: export
#include "cutwork/DSL/Math.h"          // IWYU pragma: export
#include "cutwork/DSL/Mma.h"           // IWYU pragma: export
#include "cutwork/DSL/Print.h"         // IWYU pragma: export
#include "cutwork/DSL/Smem.h"          // IWYU pragma: export
#include "cutwork/DSL/Tensor.h"        // IWYU pragma: export
#include "cutwork/Layout.h"            // IWYU pragma: export
#include "cutwork/Runtime/Buffer.h"    // IWYU pragma: export
#include "cutwork/Runtime/Device.h"    // IWYU pragma: export
