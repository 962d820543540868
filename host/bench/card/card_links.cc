#include "bench/card/card_links.h"

#include <cstddef>

#include "card/mac.h"

namespace plumbline::bench {
namespace {

bool fits(const card::MacLink& link, card::MacFec fec) {
  return link.state == card::MacState::kUp &&
         (fec == card::MacFec::kEither || link.rs_fec == (fec == card::MacFec::kOn));
}

}  // namespace

std::vector<card::MacLink> bringUpLinks(std::span<const card::MacPort> ports, card::MacFec fec) {
  std::vector<card::MacLink> links;
  std::vector<card::MacPort> down;
  std::vector<std::size_t> places;
  for (const card::MacPort& one : ports) {
    links.push_back(card::Mac(*one.bus, one.port).link());
    if (fits(links.back(), fec)) continue;
    down.push_back(one);
    places.push_back(links.size() - 1);
  }
  const std::vector<card::MacLink> now = card::bringUpMacs(down, fec);
  for (std::size_t i = 0; i < now.size(); ++i) links[places[i]] = now[i];
  return links;
}

}  // namespace plumbline::bench
