// cutwork/Cases/Main.h -- the main function of a program that verifies its cases.
#pragma once

#pragma GCC visibility push(default)

namespace cutwork {

/// `PROGRAM [--device NAME] [--shape SHAPE] [--seed N]`: verifies the program's registered cases,
/// by default for their shapes and odd shapes on Device::best, and prints what `cutwork verify`
/// prints. Returns the exit code (docs/exit-codes.md), the largest if there are several cases.
int caseMain(int argc, char** argv);

}  // namespace cutwork

#pragma GCC visibility pop
