// The runtime's hardware emulation set up around the Verilated card, for this process and those
// that it starts: two devices, each with a card and its cable.
#pragma once

#include <filesystem>
#include <string>

#include "base/units.h"

namespace plumbline::card_xrt_test {

class Emulation {
 public:
  // Creates a directory with everything that the runtime needs and points the environment at it.
  // `delay`: of the cable between the card's ports. `more`: further arguments of emulated_card.
  explicit Emulation(Picoseconds delay, const std::string& more = {});
  ~Emulation();
  Emulation(const Emulation&) = delete;
  Emulation& operator=(const Emulation&) = delete;

  // Other arguments for devices that are started from now on; the packed card stays the same file.
  void setDefects(const std::string& more);

  // The packed card; the same with a foreign kernel, with little memory, and without a connected
  // memory.
  [[nodiscard]] std::filesystem::path xclbin() const { return directory_ / "plumbline.xclbin"; }
  [[nodiscard]] std::filesystem::path foreignXclbin() const {
    return directory_ / "foreign.xclbin";
  }
  [[nodiscard]] std::filesystem::path unconnectedXclbin() const {
    return directory_ / "unconnected.xclbin";
  }
  [[nodiscard]] std::filesystem::path smallXclbin() const { return directory_ / "small.xclbin"; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

}  // namespace plumbline::card_xrt_test
