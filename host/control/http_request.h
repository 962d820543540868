// A request of Beast as the Api takes it. Includes Beast: for few translation units.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "control/api.h"

namespace plumbline::control {

inline ApiRequest apiRequestOf(
    const boost::beast::http::request<boost::beast::http::string_body>& request) {
  using boost::beast::http::field;
  const auto header = [&request](field name) { return std::string(request[name]); };
  return {std::string(request.method_string()),
          std::string(request.target()),
          request.body(),
          header(field::host),
          header(field::origin),
          header(field::authorization),
          header(field::content_type)};
}

}  // namespace plumbline::control
