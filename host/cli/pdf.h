// A report as PDF, printed from its HTML.
#pragma once

#include <string>

namespace plumbline::cli {

// Prints the file `html` to the file `pdf` with the Chromium on PATH. Throws Error(kUnsupported)
// without Chromium, Error(kTester) when it printed nothing.
void printPdf(const std::string& html, const std::string& pdf);

}  // namespace plumbline::cli
