"""What the generators of packages in this folder share: writing the file, or checking that it is current."""
import argparse
import sys


def run(script, output, text):
    """The program `script` (a path), which writes `text` to `output`; with --check it compares. Returns its exit status."""
    parser = argparse.ArgumentParser(description=f"Generates {output.name}.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if parser.parse_args().check:
        if not output.exists() or output.read_text(encoding="utf-8") != text:
            print(f"{output.name} is stale: run {script.name}", file=sys.stderr)
            return 1
        return 0
    output.write_text(text, encoding="utf-8")
    return 0
