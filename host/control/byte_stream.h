// A TCP connection, with TLS or without, as one type.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace plumbline::control {

// Beast's AsyncStream, and the next layer of a websocket::stream. The TCP stream below TLS is the
// lowest layer; it has the time limits. Each read and write hides its handler in a std::function.
// So the layers below are compiled for one type of handler, in less than half the time; a read or
// write allocates memory for that. A single operation cannot be cancelled, only all of a
// connection, by its lowest layer.
class ByteStream {
 public:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<Plain>;
  using executor_type = Plain::executor_type;

  // With TLS where there is a context, which must outlive the stream. The handshake is the
  // caller's.
  ByteStream(Plain connection, boost::asio::ssl::context* context)
      : layers_(context != nullptr
                    ? Layers(std::in_place_type<Tls>, std::move(connection), *context)
                    : Layers(std::in_place_type<Plain>, std::move(connection))) {}

  // The layer of TLS, or null.
  [[nodiscard]] Tls* tls() { return std::get_if<Tls>(&layers_); }

  [[nodiscard]] Plain& next_layer() {
    return tls() != nullptr ? tls()->next_layer() : std::get<Plain>(layers_);
  }
  [[nodiscard]] executor_type get_executor() { return next_layer().get_executor(); }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, Signature>(
        [this](auto handler, std::vector<boost::asio::mutable_buffer> into) {
          std::visit([&](auto& layer) { layer.async_read_some(into, hidden(std::move(handler))); },
                     layers_);
        },
        token, sequence<boost::asio::mutable_buffer>(buffers));
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, Signature>(
        [this](auto handler, std::vector<boost::asio::const_buffer> from) {
          std::visit([&](auto& layer) { layer.async_write_some(from, hidden(std::move(handler))); },
                     layers_);
        },
        token, sequence<boost::asio::const_buffer>(buffers));
  }

  // How a WebSocket ends its connection.
  template <typename Handler>
  friend void async_teardown(boost::beast::role_type role, ByteStream& stream, Handler&& handler) {
    std::visit(
        [&](auto& layer) {
          using boost::beast::websocket::async_teardown;
          async_teardown(role, layer, std::forward<Handler>(handler));
        },
        stream.layers_);
  }

 private:
  using Layers = std::variant<Plain, Tls>;
  using Signature = void(boost::system::error_code, std::size_t);

  template <typename Buffer, typename Buffers>
  static std::vector<Buffer> sequence(const Buffers& buffers) {
    return {boost::asio::buffer_sequence_begin(buffers), boost::asio::buffer_sequence_end(buffers)};
  }

  // `handler` as one type for all; it is called on its own executor.
  template <typename Handler>
  auto hidden(Handler handler) {
    const boost::asio::any_io_executor executor =
        boost::asio::get_associated_executor(handler, get_executor());
    auto shared = std::make_shared<Handler>(std::move(handler));
    return boost::asio::bind_executor(
        executor,
        std::function<Signature>([shared](boost::system::error_code error, std::size_t bytes) {
          std::move (*shared)(error, bytes);
        }));
  }

  Layers layers_;
};

}  // namespace plumbline::control
