// Writes the container in which the runtime expects a design, for its hardware emulation: the
// contents that the vendor's packer would write for our kernel, and the program that emulates it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::card_xrt_test {

// Address of the kernel's registers in the device's address space, and the one bank of its memory.
inline constexpr std::uint64_t kKernelBase = 0x1800000;
inline constexpr std::uint64_t kBankBase = 0x4'0000'0000;
inline constexpr std::uint64_t kBankBytes = std::uint64_t{256} << 20U;

// Contents of the container besides the program.
struct XclbinOptions {
  std::string kernel;  // its name; its instance is "<kernel>_1"
  std::uint64_t bank_bytes = kBankBytes;
  bool connected = true;  // the kernel's memory port to the bank
};

// `bitstream`: a zip that holds behav_waveform/xsim/simulate.sh.
void writeXclbin(const std::filesystem::path& path, const XclbinOptions& options,
                 const std::vector<char>& bitstream);

}  // namespace plumbline::card_xrt_test
