#!/usr/bin/env bash
# packages_test.sh BUILD CARD_SIM: makes the Debian packages of a build that is complete, unpacks them into an empty root, and uses what
# is there as a user would. Nothing is built.
set -euo pipefail
build=$1 card_sim=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
has() { command -v "$1" >/dev/null; }

# Compressed lightly: how small they are is not what is tested.
(cd "$scratch" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/cpack" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) >"$scratch/cpack.log" 2>&1 ||
  { cat "$scratch/cpack.log"; fail "cpack"; }
root=$scratch/root
mkdir "$root"
packages=$(find "$scratch/cpack" -maxdepth 1 -name '*.deb')
for package in $packages; do
  dpkg -x "$package" "$root"
  for field in Depends Section Maintainer Description; do
    [ -n "$(dpkg -f "$package" $field)" ] || fail "$package has no $field"
  done
done
command=$(find "$scratch/cpack" -maxdepth 1 -name 'plumbline_*.deb')
[ -n "$command" ] || fail "no package plumbline"
if has dpkg-shlibdeps; then
  for library in libc6 libsqlite3-0 libyaml-cpp; do
    dpkg -f "$command" Depends | grep -q "$library" || fail "plumbline does not depend on $library"
  done
fi

# The programs of the packages, started from elsewhere, with an environment in which nothing is set.
usr=$root/usr
mkdir "$scratch/home"
run() { (cd "$scratch/home" && env -i PATH=/usr/bin:/bin HOME="$scratch/home" "$@"); }
run "$usr/bin/plumbline" version >/dev/null || fail "plumbline version"
scenarios=$(run "$usr/bin/plumbline" list scenarios)
grep -q '^quickstart ' <<<"$scenarios" || fail "list scenarios: no quickstart"
grep -qx "files in $usr/share/plumbline/scenarios" <<<"$scenarios" || fail "list scenarios: not those of the package"
if [ "$card_sim" = ON ]; then scenario=quickstart; else scenario=incast32; fi
summary=$(run "$usr/bin/plumbline" run $scenario --quiet) || fail "run $scenario"
report=$(sed -n 's/^report //p' <<<"$summary")
grep -q '<!DOCTYPE html>' "$scratch/home/$report" || fail "run $scenario: no report"

for file in share/plumbline/result.schema.json share/plumbline/openapi.yaml share/doc/plumbline/copyright share/doc/plumbline/changelog.gz \
  share/doc/plumbline/docs/cli.md share/man/man1/plumbline.1.gz share/man/man1/plumbline-run.1.gz; do
  [ -s "$usr/$file" ] || fail "$file is missing"
done

for script in "$usr"/share/bash-completion/completions/*; do bash -n "$script"; done
# What bash offers behind "plumbline results d".
offered=$(bash -c 'source "$1"; COMP_WORDS=(plumbline results d); COMP_CWORD=2; _plumbline; echo "${COMPREPLY[@]}"' - \
  "$usr/share/bash-completion/completions/plumbline")
[ "$offered" = diff ] || fail "bash offers \"$offered\" instead of diff"
if has zsh; then for script in "$usr"/share/zsh/vendor-completions/*; do zsh -n "$script"; done; fi
if has fish; then for script in "$usr"/share/fish/vendor_completions.d/*; do fish -n "$script"; done; fi

for page in "$usr"/share/man/man1/*.gz; do
  if has groff; then
    warnings=$(zcat "$page" | groff -man -Tutf8 -ww 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "$page: $warnings"
  fi
  if has man; then run man -l "$page" >/dev/null || fail "man -l $page"; fi
done

if [ -x "$usr/bin/plumbline-gui" ]; then
  QT_QPA_PLATFORM=offscreen "$usr/bin/plumbline-gui" --version >/dev/null || fail "plumbline-gui --version"
  [ -s "$usr/share/icons/hicolor/scalable/apps/plumbline-gui.svg" ] || fail "no icon"
  if has desktop-file-validate; then desktop-file-validate "$usr/share/applications/plumbline-gui.desktop"; fi
fi
echo "packages: $(wc -w <<<"$packages"), $scenario ran from $usr/bin"
