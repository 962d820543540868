#include "stats/binomial.h"

#include <boost/math/distributions/binomial.hpp>

#include "base/error.h"

namespace plumbline::stats {

Interval binomialRange(double trials, double probability, double confidence) {
  if (!(trials >= 0) || !(probability >= 0 && probability <= 1) ||
      !(confidence > 0 && confidence < 1)) {
    throw Error(ErrorKind::kUsage, "no range of a count for these trials and probabilities", {},
                "0 trials or more, a probability from 0 to 1 and a confidence between 0 and 1");
  }
  if (trials == 0 || probability == 0) return {0, 0};
  if (probability == 1) return {trials, trials};
  // The first numbers by which as much as a tail, and as much as all but a tail, is reached.
  using RoundUp = boost::math::policies::policy<
      boost::math::policies::discrete_quantile<boost::math::policies::integer_round_up>>;
  const boost::math::binomial_distribution<double, RoundUp> distribution(trials, probability);
  const double tail = (1 - confidence) / 2;
  return {boost::math::quantile(distribution, tail),
          boost::math::quantile(boost::math::complement(distribution, tail))};
}

}  // namespace plumbline::stats
