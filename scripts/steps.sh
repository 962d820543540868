# What scripts/test and scripts/check have in common: named steps, what failed, how long each took.
# To be sourced. The output of each step is kept in $logs.
logs=build/test-logs
mkdir -p "$logs"
passed=0
failed=0
began=$SECONDS
times=()  # "SECONDS NAME" of each step

report() {  # report NAME STATUS SECONDS
  times+=("$3 $1")
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1)); printf 'ok    %-34s %4d s\n' "$1" "$3"
  else
    failed=$((failed + 1)); printf 'FAIL  %-34s %4d s   %s/%s.log\n' "$1" "$3" "$logs" "$1"
    tail -n 40 "$logs/$1.log" | sed 's/^/      | /'
  fi
}

step() {  # step NAME COMMAND…: one check
  local name=$1 start=$SECONDS status
  shift
  "$@" >"$logs/$name.log" 2>&1
  status=$?
  report "$name" $status $((SECONDS - start))
  return $status
}

# Whether single blocks of the card are tested by themselves: with --long, without a Git history, or when a source of the card, of these
# tests, or of the host's libraries card and wire has changed in the last 32 commits. The whole card is tested always.
block_tests() {
  local changed
  [ "$long" = 1 ] || ! changed=$(scripts/changed-files 32 hw firmware host/card host/wire cmake/PlumblineRtl.cmake scripts/lint-rtl \
    tests/sim/iss 'tests/hw/*.cc' 'tests/hw/*.h' 'tests/hw/*.py' 'tests/hw/*.sv' 'tests/regs/*.cc' 'tests/regs/*.py' 2>/dev/null) ||
    [ -n "$changed" ]
}

finish() {  # what took longest, then the counts; returns 1 if anything failed
  local seconds=$((SECONDS - began))
  printf '\nLongest of %d min %d s:' $((seconds / 60)) $((seconds % 60))
  printf '%s\n' "${times[@]}" | sort -rn | head -n 8 | while read -r took name; do printf ' %s %s s;' "$name" "$took"; done
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}
