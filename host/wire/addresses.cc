#include "wire/addresses.h"

#include <string>

#include "base/error.h"
#include "wire/bytes.h"

namespace plumbline::wire {
namespace {

void check(std::uint32_t host) {
  if (host < kMaxHosts) return;
  throw Error(ErrorKind::kUsage, "no benchmark address for tester port " + std::to_string(host), {},
              "at most " + std::to_string(kMaxHosts) + " ports");
}

}  // namespace

MacAddress hostMac(std::uint32_t host) {
  MacAddress mac;
  store48(mac.octets.data(), 0x020000000000ULL + host + 1);
  return mac;
}

Ipv4Address hostIpv4(std::uint32_t host) {
  check(host);
  Ipv4Address address;
  store32(address.octets.data(), 0xC6120000U + (host << 8) + 1);
  return address;
}

Ipv6Address hostIpv6(std::uint32_t host) {
  check(host);
  Ipv6Address address;
  store64(address.octets.data(), 0x20010DB800000000ULL + host);
  store64(&address.octets[8], 1);
  return address;
}

}  // namespace plumbline::wire
