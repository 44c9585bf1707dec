// main.cpp -- the main function of every example: it verifies the example's case on any device.
#include <cutwork/Cases/Main.h>

int main(int argc, char** argv) { return cutwork::caseMain(argc, argv); }
