// A plain TCP connection that sends arbitrary bytes, for testing misbehaving clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace plumbline::control {

class RawSocket {
 public:
  // Connected when it returns; throws std::runtime_error.
  explicit RawSocket(std::uint16_t port);
  ~RawSocket();
  RawSocket(RawSocket&& other) noexcept;
  RawSocket& operator=(RawSocket&&) = delete;

  // Returns the number of bytes that could be sent before the other side closed.
  std::size_t send(const std::string& bytes) const;
  // Ends the sending side; the other still receives.
  void endSending() const;
  // Breaks the connection.
  void reset();
  // Everything until the other side closes or `time` has passed without a byte.
  [[nodiscard]] std::string receive(std::chrono::milliseconds time) const;
  // Until at least `bytes` have arrived, or as above.
  [[nodiscard]] std::string receiveSome(std::size_t bytes, std::chrono::milliseconds time) const;
  // True when the other side has closed.
  [[nodiscard]] bool closedWithin(std::chrono::milliseconds time) const;

 private:
  int descriptor_;
};

}  // namespace plumbline::control
