// devices.cpp -- the devices of this machine, by libcutwork_rt alone.
#include <cutwork/Runtime/Device.h>

#include <cstdio>

int main() {
  for (const std::string& kind : cutwork::deviceKinds()) std::printf("kind: %s\n", kind.c_str());
  try {
    const cutwork::Device best = cutwork::Device::best();
    std::printf("best: %s (%s)\n", best.name().c_str(), best.properties().card.c_str());
    (void)cutwork::Device::open("nothing").value();
  } catch (const cutwork::UserError& error) {  // crosses from the shared library into this program
    std::printf("refused: %s\n", error.what());
    return 0;
  }
  return 1;
}
