#!/usr/bin/env python3
"""Writes a compilation database in which sources with the same options are one translation unit.

unity_database.py DATABASE DIRECTORY BATCH: reads paths of sources, one per line, from standard input. Those that DATABASE
compiles, by themselves or several at a time, are gathered in DIRECTORY/unity_<n>.cc, up to BATCH of one folder in each,
in the order of the input; DIRECTORY/compile_commands.json says how to compile these.
"""
import json
import pathlib
import re
import shlex
import shutil
import sys


def sources_of(entry):
    """What the entry compiles: its file, or those that CMake joined in it."""
    file = pathlib.Path(entry["file"]).resolve()
    if file.parent.name != "Unity":
        return [str(file)]
    return re.findall(r'^#include "(.*)"$', file.read_text(), re.MULTILINE)


def options(entry):
    """The command without what names the source and its object, and without what says how to optimise it."""
    words = shlex.split(entry["command"])
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-c"):
            skip = True
        elif word not in ("-MD", "ccache", "-fno-tree-vectorize") and not word.startswith(("-O", "--param=")):
            kept.append(word)
    return tuple(kept)


def main():
    database, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    batch = int(sys.argv[3])
    compiled = {source: entry for entry in json.loads(database.read_text()) for source in sources_of(entry)}
    groups = {}
    for line in sys.stdin:
        source = str(pathlib.Path(line.strip()).resolve())
        entry = compiled.get(source)
        if entry is not None:
            groups.setdefault((pathlib.Path(source).parent, options(entry), entry["directory"]), []).append(source)

    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    entries = []
    for (_, command, working), sources in groups.items():
        for first in range(0, len(sources), batch):
            unity = directory.resolve() / f"unity_{len(entries)}.cc"
            unity.write_text("".join(f'#include "{source}"\n' for source in sources[first:first + batch]))
            entries.append({"directory": working, "file": str(unity), "command": shlex.join([*command, "-c", str(unity)])})
    (directory / "compile_commands.json").write_text(json.dumps(entries, indent=1))


if __name__ == "__main__":
    main()
