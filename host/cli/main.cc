#include "cli/app.h"

int main(int argc, char** argv) { return plumbline::cli::runCommand(argc, argv); }
