// Where a value was observed (METHODOLOGY, FACTS H.2).
#pragma once

namespace plumbline {

// Values of different observation points are never mixed.
enum class ObservationPoint { kTester, kDutReported, kEndpointSoftware, kModelled };

}  // namespace plumbline
