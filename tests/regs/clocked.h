// A Verilated module with one clock: reset and single steps.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <memory>
#include <type_traits>

namespace plumbline::rtl {

// Bits [lsb, lsb + width) of a Verilated signal; width up to 64. Signals up to 64 bits are plain
// integers, wider ones arrays of 32-bit words.
template <typename Signal>
std::uint64_t bitsOf(const Signal& signal, std::uint32_t lsb, std::uint32_t width) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t bit = lsb + i;
    std::uint64_t one = 0;
    if constexpr (std::is_integral_v<Signal>) {
      one = static_cast<std::uint64_t>(signal) >> bit & 1;
    } else {
      one = signal[bit / 32] >> (bit % 32) & 1;
    }
    value |= one << i;
  }
  return value;
}

template <typename Signal>
void setBits(Signal& signal, std::uint32_t lsb, std::uint32_t width, std::uint64_t value) {
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t bit = lsb + i;
    const std::uint32_t one = value >> i & 1;
    if constexpr (std::is_integral_v<Signal>) {
      const std::uint64_t others = static_cast<std::uint64_t>(signal) & ~(std::uint64_t{1} << bit);
      signal = static_cast<Signal>(others | std::uint64_t{one} << bit);
    } else {
      signal[bit / 32] = (signal[bit / 32] & ~(1U << (bit % 32))) | one << (bit % 32);
    }
  }
}

template <typename Model>
class Clocked {
 public:
  // Comes up out of reset; the edge in reset is edge 0 of docs/card.md.
  Clocked()
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Model>(context_.get())) {
    model_->rst_ni = 0;
    tick();
    model_->rst_ni = 1;
    model_->eval();
  }

  Model* operator->() { return model_.get(); }

  // Lets outputs follow inputs without a clock edge.
  void settle() { model_->eval(); }
  // One clock edge; afterwards the outputs are those of the new cycle.
  void tick() {
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
};

}  // namespace plumbline::rtl
