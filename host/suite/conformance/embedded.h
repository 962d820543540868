// The data files as of the build. CMake generates the sources of these functions
// (cmake/EmbedText.cmake), so that an installed program needs no file.
#pragma once

#include <string_view>

namespace plumbline::suite {

std::string_view embeddedTraining();
std::string_view embeddedInference();

}  // namespace plumbline::suite
