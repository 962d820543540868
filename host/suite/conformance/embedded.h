// The data file as it was when the program was built. embedded.cc is made by CMake
// (cmake/EmbedText.cmake), so that an installed program needs no file.
#pragma once

#include <string_view>

namespace plumbline::suite {

std::string_view embeddedConformance();

}  // namespace plumbline::suite
