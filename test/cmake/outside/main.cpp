// main.cpp -- a program outside Cutwork that uses the installed layouts and the errors.
#include <cutwork/Layout/Text.h>
#include <cutwork/Support/Error.h>

#include <cstdio>
#include <string>

int main() {
  namespace cute = cutwork::cute;
  const cute::Layout layout = cute::parseLayout("((2, 2), 4):((1, 8), 2)");
  const std::string text = layout.text();
  if (text != "((2,2),4):((1,8),2)" || cute::size(layout).text() != "16") {
    std::printf("outside: wrong layout %s\n", text.c_str());
    return 1;
  }
  try {
    const cute::Layout wrong = cute::parseLayout("(4,8):(1");
    std::printf("outside: %s was not refused\n", wrong.text().c_str());
    return 1;
  } catch (const cutwork::UserError& error) {  // crosses from the archive into this program
    std::printf("outside: %s, and a refusal: %s\n", text.c_str(), error.what());
  }
  return 0;
}
