"""The register map as objects: reads plumbline.toml and refuses whatever is not exactly right.

Every fault of the source is a MapError whose text names the block, register or field concerned, so
that nothing wrong reaches the generated files.
"""

import dataclasses
import hashlib
import re
import tomllib

ROW_BITS = 512
TABLES = 16
PRIORITIES = 8
SPACE_BYTES = 0x10000
# Offsets that the XRT runtime uses for its own kernel control registers.
XRT_RESERVED_BYTES = 0x10

ACCESSES = ("ro", "rw", "w1p", "w1c")
REGISTER_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
FIELD_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
BITS = re.compile(r"(\d+)(?::(\d+))?")


class MapError(Exception):
    """The source is wrong; the text says where and why."""


@dataclasses.dataclass
class Field:
    name: str
    lsb: int
    width: int
    description: str

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.lsb


@dataclasses.dataclass
class Register:
    name: str
    offset: int
    access: str
    reset: int
    constant: int | None
    count: int
    hardware_writes: bool
    write_pulse: bool
    read_pulse: bool
    whole: bool  # one field of 32 bits without a name of its own
    fields: list[Field]
    description: str

    @property
    def mask(self):
        return sum(field.mask for field in self.fields)

    def member(self, field):
        """Name of a field among all fields of the block."""
        base = self.name.lower()
        return base if self.whole else f"{base}_{field.name}"

    def width(self, field):
        """Bits of a field over all words of the register."""
        return field.width * self.count


@dataclasses.dataclass
class Counter:
    name: str
    offset: int
    count: int  # 1, or one per priority

    @property
    def member(self):
        return self.name.lower()


@dataclasses.dataclass
class CounterGroup:
    description: str
    counters: list[Counter]


@dataclasses.dataclass
class Block:
    name: str
    base: int
    size: int
    count: int
    snapshot: str | None  # member name of the pulse that latches the counters
    description: str
    registers: list[Register]
    counter_groups: list[CounterGroup]

    @property
    def counters(self):
        return [counter for group in self.counter_groups for counter in group.counters]

    def members(self, access):
        """(name, width, register, field) of all fields of one access, in map order."""
        return [
            (register.member(field), register.width(field), register, field)
            for register in self.registers
            if register.access == access and register.constant is None
            for field in register.fields
        ]


@dataclasses.dataclass
class Table:
    name: str
    number: int
    description: str
    fields: list[Field]


@dataclasses.dataclass
class Map:
    name: str
    version: tuple[int, int, int]
    hash: int
    blocks: list[Block]
    tables: list[Table]


class _Reader:
    """One TOML table: hands out its keys with their types checked, and knows those left over."""

    def __init__(self, where, data):
        if not isinstance(data, dict):
            raise MapError(f"{where}: expected a table of keys")
        self.where = where
        self.rest = dict(data)

    def take(self, key, kind, default=None, required=False):
        if key not in self.rest:
            if required:
                raise MapError(f"{self.where}: key '{key}' is missing")
            return default
        value = self.rest.pop(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        # bool is an int in Python, never in the map.
        if type(value) not in kinds:
            names = " or ".join(k.__name__ for k in kinds)
            raise MapError(f"{self.where}: '{key}' must be of type {names}, not {value!r}")
        return value

    def number(self, key, low, high, default=None, required=False):
        value = self.take(key, int, default, required)
        if value is not None and not low <= value <= high:
            raise MapError(f"{self.where}: '{key}' = {value:#x} is outside {low:#x} to {high:#x}")
        return value

    def name(self, pattern, owner):
        value = self.take("name", str, required=True)
        if not pattern.fullmatch(value):
            raise MapError(f"{owner}: '{value}' is not a name of the form {pattern.pattern}")
        return value

    def finish(self):
        if self.rest:
            raise MapError(f"{self.where}: unknown key '{sorted(self.rest)[0]}'")


def _unique(where, what, names):
    seen = set()
    for name in names:
        if name in seen:
            raise MapError(f"{where}: {what} '{name}' is defined twice")
        seen.add(name)


def _parse_fields(where, entries, bits_available):
    fields = []
    for entry in entries:
        reader = _Reader(where, entry)
        name = reader.name(FIELD_NAME, where)
        reader.where = f"{where}.{name}"
        text = reader.take("bits", str, required=True)
        match = BITS.fullmatch(text)
        if not match:
            raise MapError(f"{reader.where}: bits '{text}' must be \"n\" or \"high:low\"")
        high = int(match[1])
        low = int(match[2]) if match[2] is not None else high
        if high < low:
            raise MapError(f"{reader.where}: bits '{text}' must have the higher bit first")
        if high >= bits_available:
            raise MapError(f"{reader.where}: bit {high} is out of range 0 to {bits_available - 1}")
        description = reader.take("description", str, required=True)
        reader.finish()
        fields.append(Field(name, low, high - low + 1, description))
    _unique(where, "field", [field.name for field in fields])
    fields.sort(key=lambda field: field.lsb)
    for before, after in zip(fields, fields[1:]):
        if before.lsb + before.width > after.lsb:
            raise MapError(f"{where}: fields '{before.name}' and '{after.name}' overlap")
    return fields


def _parse_constant(reader, access, version, map_hash):
    constant = reader.take("constant", (int, str))
    if constant is None:
        return None
    if access != "ro":
        raise MapError(f"{reader.where}: only a register of access ro can be constant")
    if isinstance(constant, str):
        known = {"version": version[0] << 24 | version[1] << 16 | version[2], "hash": map_hash}
        if constant not in known:
            raise MapError(f"{reader.where}: constant '{constant}' is no number, version or hash")
        constant = known[constant]
    if not 0 <= constant <= 0xFFFFFFFF:
        raise MapError(f"{reader.where}: constant {constant:#x} does not fit 32 bits")
    return constant


def _parse_register(block, entry, version, map_hash):
    reader = _Reader(block, entry)
    name = reader.name(REGISTER_NAME, block)
    where = reader.where = f"{block}.{name}"
    offset = reader.number("offset", 0, SPACE_BYTES - 4, required=True)
    if offset % 4:
        raise MapError(f"{where}: offset {offset:#x} is not a multiple of 4")
    access = reader.take("access", str, required=True)
    if access not in ACCESSES:
        raise MapError(f"{where}: access '{access}' is none of {', '.join(ACCESSES)}")
    description = reader.take("description", str, required=True)
    count = reader.number("count", 1, 256, default=1)
    constant = _parse_constant(reader, access, version, map_hash)

    flags = {}
    for flag, of in (("hardware_writes", "rw"), ("write_pulse", "rw"), ("read_pulse", "ro")):
        flags[flag] = reader.take(flag, bool, False)
        if flags[flag] and access != of:
            raise MapError(f"{where}: '{flag}' is for registers of access {of}, not {access}")

    entries = reader.take("fields", list)
    whole = entries is None
    if whole:
        fields = [Field("value", 0, 32, description)]
    else:
        fields = _parse_fields(where, entries, 32)
        if not fields:
            raise MapError(f"{where}: 'fields' is empty")
        if count > 1:
            raise MapError(f"{where}: a register with a count cannot have fields")
    if whole and access in ("w1p", "w1c"):
        raise MapError(f"{where}: access {access} needs fields")
    for field in fields:
        if access in ("w1p", "w1c") and field.width != 1:
            raise MapError(f"{where}.{field.name}: access {access} needs fields of one bit")

    reset = reader.number("reset", 0, 0xFFFFFFFF)
    if (access == "rw") != (reset is not None):
        raise MapError(f"{where}: a register has a reset value if and only if its access is rw")
    mask = sum(field.mask for field in fields)
    if (reset or 0) & ~mask:
        raise MapError(f"{where}: reset {reset:#x} sets bits outside the fields")
    if (constant or 0) & ~mask:
        raise MapError(f"{where}: constant {constant:#x} sets bits outside the fields")
    reader.finish()
    return Register(name, offset, access, reset or 0, constant, count, flags["hardware_writes"],
                    flags["write_pulse"], flags["read_pulse"], whole, fields, description)


def _parse_counters(block, entry):
    reader = _Reader(f"{block}.counters", entry)
    offset = reader.number("offset", 0, SPACE_BYTES - 8, required=True)
    if offset % 8:
        raise MapError(f"{reader.where}: offset {offset:#x} is not a multiple of 8")
    description = reader.take("description", str, required=True)
    count = PRIORITIES if reader.take("per_priority", bool, False) else 1
    names = reader.take("names", list, required=True)
    reader.finish()
    counters = []
    for name in names:
        if not isinstance(name, str) or not REGISTER_NAME.fullmatch(name):
            form = REGISTER_NAME.pattern
            raise MapError(f"{reader.where}: '{name}' is not a name of the form {form}")
        counters.append(Counter(name, offset, count))
        offset += 8 * count
    return CounterGroup(description, counters)


def _check_layout(block):
    """Registers and counters inside the block, apart from each other."""
    spans = [(r.offset, 4 * r.count, r.name) for r in block.registers]
    spans += [(c.offset, 8 * c.count, c.name) for c in block.counters]
    spans.sort()
    _unique(block.name, "register", [name for _, _, name in spans])
    for (offset, size, name), (after, _, other) in zip(spans, spans[1:]):
        if offset + size > after:
            raise MapError(f"{block.name}: '{name}' and '{other}' overlap at {after:#05x}")
    for offset, size, name in spans:
        if offset + size > block.size:
            raise MapError(f"{block.name}.{name}: offset {offset:#x} is beyond the block")
        if block.base + offset < XRT_RESERVED_BYTES:
            low = f"{XRT_RESERVED_BYTES:#x}"
            raise MapError(f"{block.name}.{name}: offsets below {low} belong to XRT")
    # One name space per block for the members of the generated structs.
    members = [r.member(f) for r in block.registers for f in r.fields]
    members += [c.member for c in block.counters]
    for r in block.registers:
        members += [f"{r.name.lower()}_we"] * r.hardware_writes
        members += [f"{r.name.lower()}_written"] * r.write_pulse
        members += [f"{r.name.lower()}_read"] * r.read_pulse
    _unique(block.name, "generated name", members)


def _parse_block(entry, version, map_hash):
    reader = _Reader("block", entry)
    name = reader.where = reader.name(FIELD_NAME, "block")
    base = reader.number("base", 0, SPACE_BYTES - 1, required=True)
    size = reader.number("size", 64, SPACE_BYTES, required=True)
    if size & (size - 1) or base % size:
        raise MapError(f"{name}: size must be a power of two and base a multiple of it")
    count = reader.number("count", 1, 64, default=1)
    snapshot = reader.take("snapshot", str)
    description = reader.take("description", str, required=True)
    registers = [_parse_register(name, e, version, map_hash)
                 for e in reader.take("register", list, default=[])]
    groups = [_parse_counters(name, e) for e in reader.take("counters", list, default=[])]
    reader.finish()

    if snapshot is not None:
        pulses = {f"{r.name}.{f.name}": r.member(f)
                  for r in registers if r.access == "w1p" for f in r.fields}
        if snapshot not in pulses:
            raise MapError(f"{name}: snapshot '{snapshot}' is not a field of a w1p register")
        snapshot = pulses[snapshot]
    if bool(groups) != (snapshot is not None):
        raise MapError(f"{name}: counters and a snapshot field come together")
    block = Block(name, base, size, count, snapshot, description, registers, groups)
    _check_layout(block)
    return block


def _parse_table(entry):
    reader = _Reader("table", entry)
    name = reader.name(FIELD_NAME, "table")
    reader.where = f"table {name}"
    number = reader.number("number", 0, TABLES - 1, required=True)
    description = reader.take("description", str, required=True)
    fields = _parse_fields(reader.where, reader.take("fields", list, default=[]), ROW_BITS)
    reader.finish()
    return Table(name, number, description, fields)


def parse(source):
    """The map in `source` (bytes of a TOML file). Raises MapError."""
    try:
        data = tomllib.loads(source.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MapError(f"not a TOML file: {error}") from error
    map_hash = int.from_bytes(hashlib.sha256(source).digest()[:4], "big")

    top = _Reader("file", data)
    head = _Reader("map", top.take("map", dict, required=True))
    name = head.name(FIELD_NAME, "map")
    version = (head.number("major", 0, 0xFF, required=True),
               head.number("minor", 0, 0xFF, required=True),
               head.number("patch", 0, 0xFFFF, required=True))
    head.finish()
    blocks = [_parse_block(e, version, map_hash) for e in top.take("block", list, default=[])]
    tables = [_parse_table(e) for e in top.take("table", list, default=[])]
    top.finish()

    _unique("file", "block", [block.name for block in blocks])
    _unique("file", "table", [table.name for table in tables])
    _unique("file", "table number", [table.number for table in tables])
    spans = sorted((b.base, b.base + b.size * b.count, b.name) for b in blocks)
    for (_, end, before), (base, _, after) in zip(spans, spans[1:]):
        if end > base:
            raise MapError(f"blocks '{before}' and '{after}' overlap at {base:#06x}")
    if spans and spans[-1][1] > SPACE_BYTES:
        raise MapError(f"block '{spans[-1][2]}' reaches beyond {SPACE_BYTES:#x}")
    return Map(name, version, map_hash, blocks, tables)
