# The three kinds of target this project has, so that every folder declares them the same way.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# A source's name, where it appears in a program, is the one within the project: the same program in
# every checkout, and nothing to compile anew for a compiler cache.
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)

# Warnings and include root of our own code. Generated (Verilated) code does not link this.
add_library(plumbline_options INTERFACE)
target_compile_options(plumbline_options INTERFACE -Wall -Wextra -Werror)
# g++ 12 at -O3 sees an overlap in `"literal" + std::string` that is not there (GCC PR 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(plumbline_options INTERFACE -Wno-restrict)
endif()
target_include_directories(plumbline_options INTERFACE ${CMAKE_SOURCE_DIR}/host)

# g++ looks for memory to free when its heap has grown by a third, or by little more where there is little; with a start of 500 MB it
# hardly ever does, takes a quarter more memory, and a tenth less time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=500000> $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=100>)
endif()

# Several sources in one translation unit: half the time to build everything, more for one change.
# All must build without it too: `scripts/test --long` finds the header that a source has forgotten.
option(PLUMBLINE_UNITY "Compile several sources of a library or test at a time" OFF)

# plumbline_unity(<target>): compiles <target> so where PLUMBLINE_UNITY is on.
function(plumbline_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PLUMBLINE_UNITY} UNITY_BUILD_BATCH_SIZE 32)
endfunction()

# plumbline_seldom(<target>): what <target> does is done once for a run or a person, not once for a
# packet. That takes two thirds of the time to compile, half of it with sanitizers, and no longer
# that a person could tell.
function(plumbline_seldom target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitized>:-O0>)
endfunction()

# Fuzzers follow the paths through parsers by counters. Code that they do not test has none with sanitizers, which saves a quarter to
# a half of the time to compile it.
set(plumbline_no_coverage $<$<CONFIG:Sanitized>:-fno-sanitize=fuzzer-no-link>)

# plumbline_often(<target>): what <target> does is done for every packet. There are no loops over many numbers; vectors of two only
# cost moves. What a packet goes through is many functions of a dozen lines, with a call for each as g++ would have it; told to inline
# more it makes 5 % fewer instructions of it, and 3 % less time (docs/simulation-speed.md).
function(plumbline_often target)
  target_compile_options(${target} PRIVATE -fno-tree-vectorize)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)  # the limits below are for a unit
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:--param=max-inline-insns-auto=80 --param=max-inline-insns-single=400
                                             --param=large-function-growth=400 --param=inline-unit-growth=150>)
  endif()
endfunction()

# plumbline_library(<name> [SELDOM] [UNFUZZED] [PARSERS_SELDOM] SOURCES <files> [SELDOM_SOURCES <files>] [DEPENDS <targets>])
# A host library `plumbline_<name>`; headers are included as "<name>/<header>.h". SELDOM: all of it is as
# plumbline_seldom() has it, SELDOM_SOURCES: these are. UNFUZZED: no fuzz target tests what it does with input;
# PARSERS_SELDOM: fuzz targets test only what SELDOM_SOURCES do with it.
function(plumbline_library name)
  cmake_parse_arguments(arg "SELDOM;UNFUZZED;PARSERS_SELDOM" "" "SOURCES;SELDOM_SOURCES;DEPENDS" ${ARGN})
  add_library(plumbline_${name} STATIC ${arg_SOURCES})
  set(parts plumbline_${name})
  if(arg_SELDOM)
    plumbline_seldom(plumbline_${name})
  endif()
  if(arg_SELDOM_SOURCES)
    add_library(plumbline_${name}_seldom OBJECT ${arg_SELDOM_SOURCES})
    plumbline_seldom(plumbline_${name}_seldom)
    target_sources(plumbline_${name} PRIVATE $<TARGET_OBJECTS:plumbline_${name}_seldom>)
    list(APPEND parts plumbline_${name}_seldom)
  endif()
  if(arg_PARSERS_SELDOM)
    target_compile_options(plumbline_${name} PRIVATE ${plumbline_no_coverage})
  endif()
  foreach(part IN LISTS parts)
    target_link_libraries(${part} PUBLIC plumbline_options ${arg_DEPENDS})
    plumbline_unity(${part})
    if(arg_UNFUZZED)
      target_compile_options(${part} PRIVATE ${plumbline_no_coverage})
    endif()
  endforeach()
endfunction()

# plumbline_test(<name> [COMMAND] [LONG] [BUSY] [BRIEF] SOURCES <files> [DEPENDS <targets>] [LABELS <labels>])
# A GoogleTest executable registered with CTest test by test. No two of its sources give different
# things one name. COMMAND: it runs the command itself. LONG: some of its tests are long, so that
# they begin before others, lest the last one is waited for alone. BUSY: with sanitizers it takes
# longer to run than to compile, and is optimised like the libraries; without that the linker
# takes its copies of their inline functions for them, too. BRIEF: it takes longer to compile than to
# run in release too, and is not optimised there; others are optimised lightly.
function(plumbline_test name)
  cmake_parse_arguments(arg "COMMAND;LONG;BUSY;BRIEF" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  if(NOT PLUMBLINE_TESTS)
    return()
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE plumbline_options plumbline_paths ${arg_DEPENDS} GTest::gtest
                                        GTest::gmock GTest::gtest_main)
  if(arg_BRIEF)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(NOT arg_BUSY)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Sanitized>:-O0>)
  endif()
  target_compile_options(${name} PRIVATE ${plumbline_no_coverage})
  plumbline_unity(${name})
  if(arg_COMMAND)
    add_dependencies(${name} plumbline)
  endif()
  set(cost 0)
  if(arg_LONG)
    set(cost 100)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 900 COST ${cost} LABELS "${arg_LABELS}")
endfunction()

# plumbline_fuzz(<name> SOURCES <files> [DEPENDS <targets>])
# A libFuzzer executable `fuzz_<name>`; its seed corpus is tests/fuzz/corpus/<name>. The target
# `fuzz_targets` builds them all.
function(plumbline_fuzz name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT PLUMBLINE_FUZZ)
    return()
  endif()
  add_executable(fuzz_${name} ${arg_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE plumbline_options ${arg_DEPENDS})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzz_targets)
    add_custom_target(fuzz_targets)
  endif()
  add_dependencies(fuzz_targets fuzz_${name})
endfunction()
