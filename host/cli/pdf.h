// A report as PDF, printed from its HTML.
#pragma once

#include <string>

namespace plumbline::cli {

// Prints `html`, a file, to the file `pdf` with the Chromium that is on PATH. Throws
// Error(kUnsupported) when there is none, Error(kTester) when it printed nothing.
void printPdf(const std::string& html, const std::string& pdf);

}  // namespace plumbline::cli
