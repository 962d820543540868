// Writes the container in which the runtime expects a design, for its hardware emulation: what the
// vendor's packer would write of our kernel, and the program that emulates it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::card_xrt_test {

// Where the kernel's registers lie in the device's address space.
inline constexpr std::uint64_t kKernelBase = 0x1800000;

// `kernel`: its name, its instance is "<kernel>_1". `bitstream`: a zip that holds
// behav_waveform/xsim/simulate.sh.
void writeXclbin(const std::filesystem::path& path, const std::string& kernel,
                 const std::vector<char>& bitstream);

}  // namespace plumbline::card_xrt_test
