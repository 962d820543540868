// Every declared field of a specification: it is read, its range is enforced at its place, its
// default is the struct's, and the read value is the written one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "bench/json/spec_json.h"
#include "fabric/spec/spec_fields.h"
#include "scenario/field_reader.h"
#include "scenario/spec_fields.h"
#include "spec/check.h"
#include "tests/spec/random_spec.h"
#include "transport/spec_fields.h"
#include "workload/spec_fields.h"

namespace plumbline::scenario {
namespace {

using spec::Field;
using spec::Fields;
using spec::Kind;
using spec::Value;

// A specification of some type, with its declarations.
struct Declared {
  std::string name;
  const Fields* fields;
  std::function<std::shared_ptr<void>()> make;
};

template <typename Spec>
Declared declared(std::string name) {
  return {std::move(name), &spec::fieldsOf<Spec>(), [] { return std::make_shared<Spec>(); }};
}

std::vector<Declared> everySpecification() {
  std::vector<Declared> all{
      declared<fabric::GraphSpec::Cable>("cable"),
      declared<fabric::TopologySpec>("topology"),
      declared<fabric::SharedBufferSpec>("shared_buffer"),
      declared<fabric::EcnSpec>("ecn"),
      declared<fabric::WatchdogSpec>("watchdog"),
      declared<fabric::PfcSpec>("pfc"),
      declared<fabric::TrimSpec>("trim"),
      declared<fabric::VirtualChannelSpec>("virtual_channels"),
      declared<fabric::CbfcSpec>("cbfc"),
      declared<fabric::LlrSpec>("llr"),
      declared<fabric::LoadBalancingSpec>("load_balancing"),
      declared<fabric::SwitchSpec>("switch"),
      declared<fabric::BitErrorSpec>("bit_errors"),
      declared<fabric::FailureSpec>("failures"),
      declared<fabric::PauseStormSpec>("pause_storms"),
      declared<fabric::FabricSpec>("dut"),
      declared<transport::DcqcnSpec>("dcqcn"),
      declared<transport::RoceCmSpec>("connections"),
      declared<transport::RoceSpec>("roce"),
      declared<transport::UetEntropySpec>("entropy"),
      declared<transport::NsccSpec>("nscc"),
      declared<transport::RcccSpec>("rccc"),
      declared<transport::PdcSetupSpec>("pdc_setup"),
      declared<transport::UetSpec>("uet"),
      declared<workload::Placement>("placement"),
      declared<workload::CollectiveSpec>("collectives"),
      declared<workload::TrainingProgram>("training"),
      declared<workload::OnOff>("on_off"),
      declared<workload::ClosedLoop>("closed"),
      declared<workload::Arrivals>("arrivals"),
      declared<workload::MessageProgram>("messages"),
      declared<workload::TraceEntry>("entries"),
      declared<workload::JobSpec>("workload"),
      declared<Traffic>("traffic"),
      declared<Progress>("progress"),
      declared<Soak>("soak"),
      declared<Parameters>("parameters"),
      declared<bench::EndpointSpec>("endpoint"),
      declared<bench::FastForwardSpec>("fast_forward"),
  };
  return all;
}

// Faults of the map `text`, read into `specification`.
std::vector<std::string> faultsOf(const Declared& one, const std::string& text,
                                  void* specification) {
  const YamlTree tree = parseYaml(text);
  EXPECT_EQ(tree.error, "") << text;
  Problems problems;
  auto map = readMap(tree.root, one.name, problems);
  if (map) {
    SpecReader reader(std::move(*map), one.name, nullptr, problems);
    readFields(reader, *one.fields, specification);
    reader.finish();
  }
  std::vector<std::string> faults;
  for (const Problem& problem : problems.sorted()) faults.push_back(problem.text("s"));
  return faults;
}

// Values just out of the field's range.
std::vector<Value> outside(const Field& field) {
  std::vector<Value> values;
  if (field.may_repeat) return values;  // a single one is no list
  const spec::Range& range = field.range;
  if (field.kind == Kind::kDecimal) {
    if (range.min && range.above) values.push_back(*range.min);
    if (range.max && range.below) values.push_back(*range.max);
    if (range.max) values.push_back({range.max->decimal() + 0.5});
  } else if (field.kind != Kind::kWord && field.kind != Kind::kFlag && field.kind != Kind::kText &&
             field.kind != Kind::kPriorities && field.kind != Kind::kWeights) {
    // The types' own bounds are checked by the parsers.
    if (range.min && range.min->whole() > 0) values.push_back({range.min->whole() - 1});
    if (range.max && range.max->whole() < std::numeric_limits<std::uint32_t>::max()) {
      values.push_back({range.max->whole() + 1});
    }
    if (range.power_of_two || range.multiple_of != 1) {
      values.push_back({range.min->whole() + range.multiple_of / 2 + 1});
    }
  }
  std::erase_if(values, [&](const Value& value) { return spec::inRange(field, value); });
  return values;
}

using Scalar = std::function<void(const Declared&, const Field&)>;
void forEachScalar(const Scalar& visit) {
  for (const Declared& one : everySpecification()) {
    std::function<void(const Fields&)> walk = [&](const Fields& fields) {
      for (const Field& field : fields) {
        if (field.kind == Kind::kGroup && field.key.empty()) walk(field.fields());
        if (!field.key.empty() && field.get) visit(one, field);
      }
    };
    walk(*one.fields);
  }
}

bool hasSelector(const Fields& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return field.selects && !field.key.empty(); });
}

// With other required fields, and so that the field applies.
std::string withNeeded(const Declared& one, const Field& field, const std::string& value) {
  std::string text;
  for (const Field& other : *one.fields) {
    if (other.key == field.key || !other.required) continue;
    std::string word = "x";
    if (other.kind == Kind::kItems) {
      word = "[]";
    } else if (other.kind == Kind::kBlock) {
      word = "{kind: link}";
    } else if (other.kind == Kind::kSize) {
      word = "1B";
    } else if (other.kind == Kind::kWord) {
      for (const spec::Word& candidate : other.words) {
        const auto spec = one.make();
        other.set(spec.get(), Value{candidate.value});
        if (!field.applies || field.applies(spec.get())) word = candidate.name;
      }
    } else if (other.kind == Kind::kTime) {
      word = "1us";
    } else if (other.kind != Kind::kText) {
      word = "0";
    }
    text += other.key + ": " + word + ",\n ";
  }
  return "{" + text + field.key + ": " + value + "}";
}

TEST(Fields, EachIsAcceptedAndChecked) {
  int refused = 0;
  forEachScalar([&](const Declared& one, const Field& field) {
    const auto spec = one.make();
    const auto usual = field.get(spec.get());
    const bool reachable = !field.applies || field.applies(spec.get()) || hasSelector(*one.fields);
    const auto* list = usual ? std::get_if<std::vector<Value>>(&usual->of) : nullptr;
    const bool written = usual && field.kind != Kind::kText && (list == nullptr || !list->empty());
    if (written && reachable && spec::inRange(field, *usual)) {
      const std::string text = withNeeded(one, field, spec::valueText(field, *usual));
      EXPECT_THAT(faultsOf(one, text, spec.get()), testing::IsEmpty()) << one.name << ": " << text;
    }
    for (const Value& value : outside(field)) {
      const std::string written = spec::valueText(field, value);
      const std::string text = withNeeded(one, field, written);
      const auto faults = faultsOf(one, text, one.make().get());
      ASSERT_EQ(faults.size(), 1U) << one.name << ": " << text;
      const std::size_t line =
          1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
      const std::size_t begin = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
      const std::size_t column = text.rfind(written) - begin + 1;
      EXPECT_EQ(faults[0], "s:" + std::to_string(line) + ":" + std::to_string(column) + ": \"" +
                               written + "\" is out of range (" + spec::rangeText(field) + ")")
          << one.name << "." << field.key;
      ++refused;
    }
  });
  EXPECT_GT(refused, 80);
}

TEST(Fields, EachHasAHelpAndAnInitialiserInItsRange) {
  forEachScalar([&](const Declared& one, const Field& field) {
    const std::string name = one.name + "." + field.key;
    EXPECT_FALSE(field.help.empty()) << name;
    EXPECT_FALSE(field.help.ends_with('.')) << name;
    const auto spec = one.make();
    const auto usual = field.get(spec.get());
    if (usual && !field.required) {
      EXPECT_TRUE(spec::inRange(field, *usual)) << name;
    }
  });
}

TEST(Fields, AnEmptyMapHasTheStructsOwnDefaults) {
  for (const Declared& one : everySpecification()) {
    const auto needs_nothing = [](const Field& field) { return !field.required; };
    if (!std::all_of(one.fields->begin(), one.fields->end(), needs_nothing)) continue;
    const auto spec = one.make();
    EXPECT_THAT(faultsOf(one, "{}", spec.get()), testing::IsEmpty());
    EXPECT_EQ(bench::specToJson(*one.fields, spec.get()),
              bench::specToJson(*one.fields, one.make().get()))
        << one.name;
  }
}

// Omitted fields have the initialiser on both sides, so the stored texts are equal if and only if
// every value was preserved.
TEST(Fields, WhatIsWrittenIsReadBack) {
  std::mt19937_64 random(20260601);
  for (const Declared& one : everySpecification()) {
    for (int round = 0; round < 40; ++round) {
      const auto written = one.make();
      spec::randomise(*one.fields, written.get(), random);
      const std::string text = "{" + spec::scenarioText(*one.fields, written.get()) + "}";
      const auto read = one.make();
      ASSERT_THAT(faultsOf(one, text, read.get()), testing::IsEmpty()) << one.name << text;
      EXPECT_EQ(bench::specToJson(*one.fields, read.get()).dump(),
                bench::specToJson(*one.fields, written.get()).dump())
          << one.name << text;
      EXPECT_EQ("{" + spec::scenarioText(*one.fields, read.get()) + "}", text);
    }
  }
}

TEST(Fields, AMisspeltKeyIsCorrected) {
  for (const Declared& one : everySpecification()) {
    for (const Field& field : *one.fields) {
      if (field.key.size() < 5 || field.applies) continue;
      const auto faults = faultsOf(one, "{" + field.key + "q: 1}", one.make().get());
      EXPECT_THAT(faults, testing::Contains(testing::HasSubstr("did you mean \"" + field.key)));
    }
  }
}

}  // namespace
}  // namespace plumbline::scenario
