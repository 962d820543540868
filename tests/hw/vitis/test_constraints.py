"""The constraints of the packed kernel (hw/vitis/timing.xdc, mac.xdc) against the RTL, the block design
and the list of the MAC's pins, as far as text can show: each cell, pin and clock that they name is
there; each synchroniser of the RTL has a line; each exception says why. Vivado is not needed.

  /usr/bin/python3 -m unittest discover tests/hw/vitis
"""

import fnmatch
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
VITIS = ROOT / "hw/vitis"
TOP = "plumb_kernel"
PORTS = 2

# Generate blocks behind the "else" of if (p == 0): they are not there for the first port.
NOT_FIRST = {"gen_crossed"}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def balanced(text, start):
    """Index behind the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is not closed")


class Module:
    """What a module's text says: instances (path within the module, module) and what it declares."""

    def __init__(self, text):
        self.instances, self.names = [], set(re.findall(r"\b(\w+_[qo])\b", text))
        self.names.update(re.findall(r"logic\s+\[[^;]*?\]\s*(\w+)\s*\[0:", text))
        blocks = [(m.start(), m[1]) for m in re.finditer(r"begin\s*:\s*(gen_\w+)", text)]
        for found in re.finditer(r"\b(plumb_\w+)\s*(#\s*\()?", text):
            end = balanced(text, found.end() - 1) if found[2] else found.end()
            named = re.match(r"\s*(u_\w+)\s*\(", text[end:])
            if named:
                # A loop over ports and the branch that it is in, as Vivado names them.
                self.instances.append((self.scope(text, blocks, found.start()) + named[1], found[1]))

    @staticmethod
    def scope(text, blocks, place):
        """Names of the generate blocks around a place, with a dot behind each."""
        scopes = []
        for start, name in blocks:
            inside = re.findall(r"\b(begin|end)\b", text[start:place])
            if start < place and _open(inside):
                scopes.append(name)
        return "".join(f"{name}[*]." if _is_loop(text, name) else f"{name}." for name in scopes)


def _open(words):
    """The block that begins with the first word has not ended."""
    depth = 0
    for word in words:
        depth += 1 if word == "begin" else -1
        if depth == 0:
            return False
    return True


def _is_loop(text, block):
    return re.search(rf"for\s*\(genvar[^)]*\)\s*begin\s*:\s*{block}\b", text) is not None


def read_modules():
    modules = {}
    for path in [*(ROOT / "hw/rtl").glob("*/*.sv"), *VITIS.glob("*.sv")]:
        if not path.stem.endswith("_pkg"):
            modules[path.stem] = Module(without_comments(path.read_text(encoding="utf-8")))
    return modules


def hierarchy(modules, module, place=""):
    """(path, module) of all instances below a module, loops over ports written out."""
    for name, kind in modules[module].instances:
        later = any(block in name for block in NOT_FIRST)
        numbers = range(1 if later else 0, PORTS) if "[*]" in name else [0]
        for number in numbers:
            path = f"{place}/{name.replace('[*]', f'[{number}]')}"
            yield path, kind
            if kind in modules:
                yield from hierarchy(modules, kind, path)


def fields_of_config():
    text = (ROOT / "hw/rtl/csr/plumb_regs_pkg.sv").read_text(encoding="utf-8")
    body = re.search(r"typedef struct packed \{([^}]*)\} port_config_t;", text)[1]
    return set(re.findall(r"(\w+);", body))


def commands(text):
    """Lines of an XDC, each with the comment above it."""
    comment = ""
    for line in text.splitlines():
        if line.startswith("#"):
            comment += line
        elif line:
            yield line, comment
        else:
            comment = ""


def patterns(text):
    """What the -filter expressions of a text name."""
    return re.findall(r"NAME =~ (\S+?)(?=\}| \|\|)", text)


class Names:
    """Which cells and pins there are."""

    def __init__(self):
        self.modules = read_modules()
        self.cells = dict(hierarchy(self.modules, TOP))
        self.fields = fields_of_config()
        pins = (VITIS / "cmac_pins.tsv").read_text(encoding="utf-8")
        self.mac_pins = {line.split("\t")[0] for line in pins.splitlines()
                         if not line.startswith("#")}

    def faults(self, pattern):
        """Why a pattern names nothing, or nothing."""
        mac = re.fullmatch(r"\*/(mac[01?])/(\w+)\*?", pattern)
        if mac:
            return [] if mac[2] in self.mac_pins else [f"{pattern}: the MAC has no pin {mac[2]}"]
        pattern = pattern.removesuffix("/CLR")
        cell = _glob(pattern)
        if any(fnmatch.fnmatchcase(path, cell) for path in self.cells):
            return []
        place, _, register = pattern.rpartition("/")
        name = re.match(r"(\w+?)_reg(?:\?(\w+?)(?:\?|_?\*))?\*?", register)
        if not name:
            return [f"{pattern}: neither an instance nor a register"]
        kinds = {kind for path, kind in self.cells.items()
                 if fnmatch.fnmatchcase(path, _glob(place))}
        if not kinds:
            return [f"{pattern}: no instance {place}"]
        faults = [f"{pattern}: {kind} has no {name[1]}" for kind in sorted(kinds)
                  if name[1] not in self.modules[kind].names]
        field = name[2]
        if field and not any(f == field or f.startswith(field + "_") and register.endswith("_*")
                             for f in self.fields):
            faults.append(f"{pattern}: port_config_t has no {field}")
        return faults


def _glob(pattern):
    """fnmatch's pattern for one of Vivado's: there brackets are written as question marks."""
    return pattern.replace("[", "[[]")


def faults_of(timing, names):
    faults = []
    known = set(re.findall(r"^set (\w+)", timing, re.MULTILINE))
    for line, comment in commands(timing):
        for pattern in patterns(line):
            faults += names.faults(pattern)
        faults += [f"{line}: no clock ${use}" for use in re.findall(r"\$(\w+)", line)
                   if use not in known]
        exception = re.match(r"set_(false_path|multicycle_path|max_delay|bus_skew)", line)
        if exception and not comment:
            faults.append(f"{line}: no reason")
        if exception and not re.search(r"-(from|to) ", line):
            faults.append(f"{line}: between all clocks")
    return faults + synchronisers_without_a_line(timing, names) + holds(timing) + blocks(timing)


def synchronisers_without_a_line(timing, names):
    """Each plumb_sync is the end of a set_max_delay, each plumb_reset_sync that of a false path."""
    ends = {"plumb_sync": ("set_max_delay -datapath_only", "first_q_reg*"),
            "plumb_reset_sync": ("set_false_path", "stage_q_reg*/CLR")}
    faults = []
    for path, kind in names.cells.items():
        if kind in ends:
            command, register = ends[kind]
            found = [p for line in timing.splitlines() if line.startswith(command)
                     for p in patterns(line.partition(" -to ")[2])
                     if p.endswith("/" + register) and
                     fnmatch.fnmatchcase(path, _glob(p.removesuffix("/" + register)))]
            if len(found) != 1:
                faults.append(f"{path}: {kind} is the end of {len(found)} exceptions")
    return faults


def holds(timing):
    """A path of two clocks is held against the edge that begins it, not the one between."""
    setups = re.findall(r"^set_multicycle_path 2 -setup (.*)$", timing, re.MULTILINE)
    holding = re.findall(r"^set_multicycle_path 1 -hold (.*)$", timing, re.MULTILINE)
    return [] if setups == holding else ["multicycle paths: setup and hold differ"]


def blocks(timing):
    """Each port has a block, each block a place and cells."""
    made = re.findall(r"^create_pblock (\w+)$", timing, re.MULTILINE)
    faults = [] if len(made) == PORTS else [f"{len(made)} blocks for {PORTS} ports"]
    for name in made:
        for command in ("resize_pblock", "add_cells_to_pblock"):
            if not re.search(rf"^{command} \[get_pblocks {name}\]", timing, re.MULTILINE):
                faults.append(f"{name}: no {command}")
    return faults


class Constraints(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.timing = (VITIS / "timing.xdc").read_text(encoding="utf-8")
        cls.names = Names()

    def test_what_is_named_exists_and_every_synchroniser_has_a_line(self):
        self.assertEqual(faults_of(self.timing, self.names), [])

    def test_the_kernel_s_synchronisers_are_those_that_its_text_has(self):
        # By hand: the host's crossing 2, the processor's 2, its interrupts 1; per MAC levels, beat, acknowledge, wish, request and the link's state;
        # two FIFOs of port 1 with two each; the pulse per second. Resets: one per MAC's clock, one in its registers.
        kinds = list(self.names.cells.values())
        self.assertEqual(kinds.count("plumb_sync"), 2 * 2 + 1 + 2 * 6 + 2 * 2 + 1)
        self.assertEqual(kinds.count("plumb_reset_sync"), 2 + 2)

    def test_the_clocks_are_the_block_design_s(self):
        package = (VITIS / "package.tcl").read_text(encoding="utf-8")
        self.assertIn("create_bd_port -dir I -type clk -freq_hz 300000000 ap_clk", package)
        # What the processor's firmware takes its times from.
        kernel = (VITIS / "plumb_kernel.sv").read_text(encoding="utf-8")
        self.assertIn("localparam int unsigned ApClockHz = 300000000;", kernel)
        self.assertIn(".ClockHz (ApClockHz)", kernel)
        self.assertIn("[list $here/mac.xdc $here/timing.xdc]", package)
        self.assertIn("connect_bd_net [get_bd_pins $mac/gt_txusrclk2]", package)
        self.assertIn("gt_txusrclk2", self.names.mac_pins)
        top = (VITIS / "plumb_kernel_top.v").read_text(encoding="utf-8")
        self.assertRegex(top, r"input\s+wire\s+ap_clk\b")

    def test_a_line_that_is_missing_is_noticed(self):
        # All but hints: bus skews, data that stand still, MAC pins and configuration have no mirror
        # in the RTL's text that would ask for them.
        for line in self.timing.splitlines():
            if re.match(r"set_max_delay.*first_q_reg|set_false_path.*CLR|create_pblock|resize_pblock|"
                        r"add_cells_to_pblock|set_multicycle_path", line):
                changed = self.timing.replace(line + "\n", "", 1)
                self.assertNotEqual(faults_of(changed, self.names), [], line)

    def test_a_name_that_does_not_exist_is_noticed(self):
        for name, wrong in (("u_to_host/", "u_to_hosts/"), ("read_gray_q_reg", "read_grey_q_reg"),
                            ("u_cross/u_rx/words_reg", "u_cross/u_rx/word_reg"),
                            ("?byte_time_ps?", "?byte_time?"), ("?dmg_*", "?damage_*"),
                            ("/core_tx_reset}", "/core_tx_rst}"), ("mac1/gt_txusrclk2", "mac1/gt_clk"),
                            ("u_core_crossing/", "u_core_crossings/"), ("gen_port?1?", "gen_ports?1?"), ("gen_port?1?", "gen_port?2?"),
                            ("$mac1_clk", "$mac_clk"), ("answer_data_q", "answer_datum_q")):
            self.assertIn(name, self.timing)
            changed = self.timing.replace(name, wrong, 1)
            self.assertNotEqual(faults_of(changed, self.names), [], wrong)

    def test_an_exception_without_a_reason_is_noticed(self):
        lines = self.timing.splitlines()
        place = next(i for i, line in enumerate(lines) if line.startswith("set_false_path"))
        above = place
        while lines[above - 1].startswith("#"):
            above -= 1
        changed = "\n".join(lines[:above] + lines[place:])
        self.assertTrue(any("no reason" in fault for fault in faults_of(changed, self.names)))


if __name__ == "__main__":
    unittest.main()
