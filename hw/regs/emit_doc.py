"""The map as a page to read."""

from names import NOTICE

HEAD = """\
<!-- {notice} -->
# Registers of the tester card

Map version {major}.{minor}.{patch}, hash `0x{hash:08X}`. All registers are 32 bits, little
endian, on an AXI4-Lite bus. What the card does with them is in [card.md](card.md).

| access | meaning |
|---|---|
| ro | read only, value from hardware |
| rw | read and write |
| w1p | writing one is a command; reads as zero |
| w1c | set by hardware, cleared by writing one |

Offsets without a register read as zero and ignore writes. A write must carry all four bytes
(`WSTRB = 1111`); any other is answered with SLVERR and does nothing. A 64-bit quantity is two
registers, the low half first.
"""


def _cell(text):
    return text.replace("|", "\\|")


def _bits(field):
    return f"{field.lsb}" if field.width == 1 else f"{field.lsb + field.width - 1}:{field.lsb}"


def _reset(register):
    if register.constant is not None:
        return f"= `0x{register.constant:08X}`"
    return f"`0x{register.reset:08X}`" if register.access == "rw" else ""


def _block(block):
    span = f"`0x{block.base:04X}`"
    if block.count > 1:
        span += f", {block.count} times, `0x{block.size:X}` apart"
    out = ["", f"## Block {block.name} ({span})", "", block.description, "",
           "| offset | register | access | reset | meaning |", "|---|---|---|---|---|"]
    for r in block.registers:
        name = r.name if r.count == 1 else f"{r.name}[0..{r.count - 1}]"
        notes = " Hardware may load it." if r.hardware_writes else ""
        out.append(f"| `0x{r.offset:03X}` | **{name}** | {r.access} | {_reset(r)} | "
                   f"{_cell(r.description)}{notes} |")
        if not r.whole:
            out += [f"| | · {_bits(f)} `{f.name}` | | | {_cell(f.description)} |"
                    for f in r.fields]
    for group in block.counter_groups:
        out += ["", group.description, "", "| offset | counter |", "|---|---|"]
        for c in group.counters:
            place = f"`0x{c.offset:03X}`" + (" + 8·priority" if c.count > 1 else "")
            out.append(f"| {place} | {c.name} |")
    return out


def _table(table):
    out = ["", f"### {table.number}: {table.name}", "", table.description]
    if table.fields:
        out += ["", "| bits | field | meaning |", "|---|---|---|"]
        out += [f"| {_bits(f)} | `{f.name}` | {_cell(f.description)} |" for f in table.fields]
    return out


def page(regmap):
    major, minor, patch = regmap.version
    out = [HEAD.format(notice=NOTICE, major=major, minor=minor, patch=patch, hash=regmap.hash)
           .rstrip("\n")]
    for block in regmap.blocks:
        out += _block(block)
    out += ["", "## Tables", "",
            "Rows of 512 bits, moved through `TBL_DATA` by `TBL_CMD`. Bits not listed are zero."]
    for table in regmap.tables:
        out += _table(table)
    return "\n".join(out) + "\n"
