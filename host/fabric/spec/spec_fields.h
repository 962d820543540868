// The declarations of the fields of a fabric's specification (spec/field.h).
#pragma once

#include "fabric/spec/fabric_spec.h"
#include "spec/field.h"

namespace plumbline::spec {

template <>
const Fields& fieldsOf<fabric::TopologySpec>();
template <>
const Fields& fieldsOf<fabric::GraphSpec::Cable>();

template <>
const Fields& fieldsOf<fabric::SharedBufferSpec>();
template <>
const Fields& fieldsOf<fabric::EcnSpec>();
template <>
const Fields& fieldsOf<fabric::WatchdogSpec>();
template <>
const Fields& fieldsOf<fabric::PfcSpec>();
template <>
const Fields& fieldsOf<fabric::TrimSpec>();
template <>
const Fields& fieldsOf<fabric::VirtualChannelSpec>();
template <>
const Fields& fieldsOf<fabric::CbfcSpec>();
template <>
const Fields& fieldsOf<fabric::LlrSpec>();
template <>
const Fields& fieldsOf<fabric::LoadBalancingSpec>();
template <>
const Fields& fieldsOf<fabric::SwitchSpec>();

template <>
const Fields& fieldsOf<fabric::Impairment>();
template <>
const Fields& fieldsOf<fabric::BitErrorSpec>();
template <>
const Fields& fieldsOf<fabric::FailureSpec>();
template <>
const Fields& fieldsOf<fabric::PauseStormSpec>();
template <>
const Fields& fieldsOf<fabric::FabricSpec>();

}  // namespace plumbline::spec
