#include "sim/axi_lite_master.h"

namespace plumbline::sim {

void AxiLiteMaster::startRead(std::uint16_t address) {
  state_ = State::kRead;
  address_ = address;
  address_sent_ = false;
}

void AxiLiteMaster::startWrite(std::uint16_t address, std::uint32_t value) {
  state_ = State::kWrite;
  address_ = address;
  value_ = value;
  address_sent_ = false;
  data_sent_ = false;
}

void AxiLiteMaster::sample() {
  if (state_ == State::kRead) {
    address_sent_ = address_sent_ || (*pins_.arvalid != 0 && *pins_.arready != 0);
    if (*pins_.rready != 0 && *pins_.rvalid != 0) {
      value_ = *pins_.rdata;
      response_ = *pins_.rresp;
      state_ = State::kIdle;
    }
  } else if (state_ == State::kWrite) {
    address_sent_ = address_sent_ || (*pins_.awvalid != 0 && *pins_.awready != 0);
    data_sent_ = data_sent_ || (*pins_.wvalid != 0 && *pins_.wready != 0);
    if (*pins_.bready != 0 && *pins_.bvalid != 0) {
      response_ = *pins_.bresp;
      state_ = State::kIdle;
    }
  }
}

void AxiLiteMaster::drive() {
  const bool reading = state_ == State::kRead;
  const bool writing = state_ == State::kWrite;
  *pins_.arvalid = reading && !address_sent_ ? 1 : 0;
  *pins_.rready = reading ? 1 : 0;
  *pins_.awvalid = writing && !address_sent_ ? 1 : 0;
  *pins_.wvalid = writing && !data_sent_ ? 1 : 0;
  *pins_.bready = writing ? 1 : 0;
  if (reading) {
    *pins_.araddr = address_;
  } else if (writing) {
    *pins_.awaddr = address_;
    *pins_.wdata = value_;
    *pins_.wstrb = 0xF;
  }
}

}  // namespace plumbline::sim
