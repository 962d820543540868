#!/usr/bin/env python3
"""Makes the register package, decoders, C++ headers and documentation from plumbline.toml.

  generate.py           writes the files into the source tree
  generate.py --check   writes nothing; exit code 1 and the names of the files that are not what
                        the map says
Needs Python 3.11 and its standard library only.
"""

import argparse
import pathlib
import sys

import emit_cpp
import emit_doc
import emit_sv
import regmap

ROOT = pathlib.Path(__file__).resolve().parents[2]


def outputs(card_map):
    """Path in the tree -> text of every generated file."""
    files = {
        "hw/rtl/csr/plumb_regs_pkg.sv": emit_sv.package(card_map),
        "host/card/registers.h": emit_cpp.header(card_map),
        "firmware/registers.h": emit_cpp.freestanding(card_map),
        "docs/registers.md": emit_doc.page(card_map),
    }
    for block in card_map.blocks:
        files[f"hw/rtl/csr/plumb_regs_{block.name}.sv"] = emit_sv.decoder(block)
    return files


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the tree, write nothing")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="top of the source tree")
    options = parser.parse_args(arguments)

    source = options.root / "hw/regs/plumbline.toml"
    try:
        files = outputs(regmap.parse(source.read_bytes()))
    except (OSError, regmap.MapError) as error:
        print(f"{source}: {error}", file=sys.stderr)
        return 2

    stale = []
    for name, text in files.items():
        path = options.root / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if options.check and stale:
        for name in stale:
            print(f"stale: {name} (run hw/regs/generate.py)", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
