"""The wiring of the packed kernel: package.tcl and link.cfg against the list of the MAC's pins
(hw/vitis/cmac_pins.tsv), the card's (plumb_kernel_top.v) and those of the small IPs between them.
Vivado is not needed: package.tcl is carried out by tclsh with commands that only record.

  /usr/bin/python3 -m unittest discover tests/hw/vitis
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
VITIS = ROOT / "hw/vitis"
RECORD = pathlib.Path(__file__).resolve().parent / "record.tcl"

MACS = ("mac0", "mac1")
# Parameters of the MAC that something here relies on.
MAC_SETTINGS = {
    "CMAC_CAUI4_MODE": "1", "NUM_LANES": "4x25", "GT_REF_CLK_FREQ": "161.1328125",
    "GT_DRP_CLK": "100", "USER_INTERFACE": "AXIS", "ENABLE_AXI_INTERFACE": "0",
    "INCLUDE_RS_FEC": "1", "ENABLE_TIME_STAMPING": "1", "TX_FLOW_CONTROL": "0",
    "RX_FLOW_CONTROL": "0", "RX_FORWARD_CONTROL_FRAMES": "1",
    "TX_FRAME_CRC_CHECKING": "Disable FCS Insertion",
    "RX_FRAME_CRC_CHECKING": "Disable FCS Stripping",
}
# CMACs that reach the transceivers of each cage of an Alveo U55C.
CAGES = {
    "X0Y24~X0Y27": {"CMACE4_X0Y2", "CMACE4_X0Y3", "CMACE4_X0Y4"},
    "X0Y28~X0Y31": {"CMACE4_X0Y3", "CMACE4_X0Y4"},
}
# What the platform offers: its name, and the kernel's pin that belongs to it.
PLATFORM = {
    "io_clk_qsfp0_refclka_00": "gt_refclk0",
    "io_clk_qsfp1_refclka_00": "gt_refclk1",
    "io_gt_qsfp0_00": "gt_serial_port0",
    "io_gt_qsfp1_00": "gt_serial_port1",
    "ii_level0_wire/ulp_m_aclk_freerun_ref_00": "clk_gt_freerun",
}
# Inputs that an IP has a default for.
OPTIONAL = {"proc_sys_reset": {"aux_reset_in", "mb_debug_sys_rst", "dcm_locked"}}
FIXED_PINS = {
    "proc_sys_reset": {
        "slowest_sync_clk": ("in", 1), "ext_reset_in": ("in", 1), "aux_reset_in": ("in", 1),
        "mb_debug_sys_rst": ("in", 1), "dcm_locked": ("in", 1), "mb_reset": ("out", 1),
        "bus_struct_reset": ("out", 1), "peripheral_reset": ("out", 1),
        "interconnect_aresetn": ("out", 1), "peripheral_aresetn": ("out", 1)},
    "axi_clock_converter": {
        "s_axi_aclk": ("in", 1), "s_axi_aresetn": ("in", 1), "m_axi_aclk": ("in", 1),
        "m_axi_aresetn": ("in", 1)},
}
BUSES = {"axi_clock_converter": {"S_AXI", "M_AXI"}, "card": {"s_axi_control", "m_axi"}}


def mac_pins(text):
    """name -> (direction, width, use) of cmac_pins.tsv; a fault for each line that says too little."""
    pins, faults = {}, []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, direction, width, use, *why = line.split("\t")
        if name in pins:
            faults.append(f"cmac_pins.tsv: {name} is there twice")
        if direction not in ("in", "out", "bus") or use not in ("connect", "open"):
            faults.append(f"cmac_pins.tsv: {name} is neither in, out nor bus; connect nor open")
        if use == "open" and (direction != "out" or not any(why)):
            faults.append(f"cmac_pins.tsv: {name} is open without a reason")
        pins[name] = (direction, int(width), use)
    return pins, faults


def card_pins(text):
    """name -> (direction, width) of the ports of plumb_kernel_top."""
    head = text[text.index("("):text.index(");")]
    found = re.findall(r"^\s*(input|output)\s+wire\s+(?:\[(\d+):0\])?\s*(\w+)", head, re.MULTILINE)
    return {name: ("in" if kind == "input" else "out", int(high or 0) + 1)
            for kind, high, name in found}


class Design:
    """The block design that the recorded commands make."""

    def __init__(self, commands, mac, card):
        self.mac, self.card = mac, card
        self.faults = []
        self.cells, self.settings, self.ports, self.buses = {}, {}, {}, {}
        self.external, self.constants, self.joined = {}, {}, set()
        self.nets = []  # sets of pins
        for words in commands:
            self.run(words)

    def run(self, words):
        command, rest = words[0], words[1:]
        options = {rest[i]: rest[i + 1] for i in range(len(rest) - 1) if rest[i].startswith("-")}
        if command == "create_bd_cell":
            kind = options.get("-vlnv", "").split(":")[-1] if "-vlnv" in options else "card"
            self.cells[rest[-1]] = kind
        elif command == "create_bd_port":
            width = abs(int(options.get("-from", 0)) - int(options.get("-to", 0))) + 1
            self.ports[rest[-1]] = ("out" if options["-dir"] == "I" else "in", width)
        elif command == "create_bd_intf_port":
            self.buses[rest[-1]] = options["-mode"]
        elif command == "set_property" and rest[-1].startswith("cell:"):
            cell = self.settings.setdefault(rest[-1][5:], {})
            if rest[0] == "-dict":
                pairs = re.findall(r"CONFIG\.(\w+) (?:\{([^}]*)\}|(\S+))", rest[1])
                cell.update({key: braced or plain for key, braced, plain in pairs})
            else:
                cell[rest[0].removeprefix("CONFIG.")] = rest[1]
        elif command == "connect_bd_net":
            self.join(rest)
        elif command == "connect_bd_intf_net":
            self.joined.update(rest)
        elif command == "make_bd_intf_pins_external":
            self.external[options["-name"]] = rest[-1].removeprefix("bus:")
        elif command == "constant":
            self.constants[rest[0]] = rest[2] if len(rest) > 2 else ""

    def join(self, pins):
        net = set(pins)
        for other in [n for n in self.nets if n & net]:
            net |= other
            self.nets.remove(other)
        self.nets.append(net)

    def pins_of(self, cell):
        """name -> (direction, width) of all pins of a cell, or None if the cell is unknown."""
        kind, settings = self.cells.get(cell), self.settings.get(cell, {})
        if kind == "cmac_usplus":
            return {n: (d, w) for n, (d, w, _) in self.mac.items() if d != "bus"}
        if kind == "card":
            return self.card
        if kind == "xlconstant":
            return {"dout": ("out", int(settings.get("CONST_WIDTH", 1)))}
        if kind == "xlconcat":
            widths = [int(settings.get(f"IN{i}_WIDTH", 1))
                      for i in range(int(settings.get("NUM_PORTS", 2)))]
            pins = {f"In{i}": ("in", width) for i, width in enumerate(widths)}
            return pins | {"dout": ("out", sum(widths))}
        return FIXED_PINS.get(kind)

    def look_up(self, pin):
        """(direction, width) of a pin or port as connect_bd_net has it; None if there is none. A
        port that leads into the design drives it."""
        kind, name = pin.split(":", 1)
        if kind == "port":
            return self.ports.get(name)
        cell, _, name = name.partition("/")
        return (self.pins_of(cell) or {}).get(name)

    def check(self):
        faults = self.faults
        net_of = {}
        for net in self.nets:
            known = {pin: self.look_up(pin) for pin in net}
            faults += [f"{pin} does not exist" for pin, what in known.items() if what is None]
            known = {pin: what for pin, what in known.items() if what}
            drivers = [pin for pin, what in known.items() if what[0] == "out"]
            if len(drivers) != 1:
                faults.append(f"{sorted(net)} has {len(drivers)} drivers")
            if len({what[1] for what in known.values()}) > 1:
                widths = sorted(f"{pin}[{what[1]}]" for pin, what in known.items())
                faults.append(f"different widths: {widths}")
            if len(known) < 2:
                faults.append(f"{sorted(net)} leads nowhere")
            net_of |= {pin: net for pin in net}
        self.check_cells(net_of)
        self.check_macs(net_of)
        self.check_buses()
        return faults

    def check_cells(self, net_of):
        for cell, kind in self.cells.items():
            pins = self.pins_of(cell)
            if pins is None:
                self.faults.append(f"{cell}: no pins are known of {kind}")
                continue
            for name, (direction, _) in pins.items():
                on_bus = kind == "card" and name.startswith(("s_axi_control_", "m_axi_"))
                optional = name in OPTIONAL.get(kind, ())
                wanted = direction == "in" or kind in ("card", "xlconcat", "xlconstant")
                if kind == "xlconstant":
                    wanted = False
                if kind == "cmac_usplus" and direction == "out":
                    wanted = self.mac[name][2] == "connect"
                if kind in FIXED_PINS and direction == "out":
                    wanted = False
                if wanted and not optional and not on_bus and f"pin:{cell}/{name}" not in net_of:
                    self.faults.append(f"{cell}/{name} is not connected")
                if (kind == "cmac_usplus" and self.mac[name][2] == "open" and
                        f"pin:{cell}/{name}" in net_of):
                    self.faults.append(f"{cell}/{name} is connected, and listed as open")

    def check_macs(self, net_of):
        macs = [cell for cell, kind in self.cells.items() if kind == "cmac_usplus"]
        if sorted(macs) != sorted(MACS):
            self.faults.append(f"the MACs are {macs}")
        places = []
        for mac in macs:
            settings = self.settings.get(mac, {})
            for key, value in MAC_SETTINGS.items():
                if settings.get(key) != value:
                    self.faults.append(f"{mac}: {key} is {settings.get(key)}, not {value}")
            core, cage = settings.get("CMAC_CORE_SELECT"), settings.get("GT_GROUP_SELECT", "")
            if core not in CAGES.get(cage, ()):
                self.faults.append(f"{mac}: {core} does not reach {cage}")
            first = int((re.match(r"X0Y(\d+)", cage) or [0, 0])[1])
            lanes = [settings.get(f"LANE{i}_GT_LOC") for i in range(1, 5)]
            if lanes != [f"X0Y{first + i}" for i in range(4)]:
                self.faults.append(f"{mac}: lanes {lanes} are not those of {cage}")
            places += [core, cage]
            self.check_mac_nets(mac, net_of)
        if len(set(places)) != 2 * len(macs):
            self.faults.append(f"two MACs have one place: {places}")

    def check_mac_nets(self, mac, net_of):
        """What is joined is of the same MAC and of the same name; what is constant has a reason."""
        for name in self.mac:
            pins = net_of.get(f"pin:{mac}/{name}", set())
            for pin in pins:
                cell, _, other = pin.split(":", 1)[1].partition("/")
                kind = self.cells.get(cell)
                if kind == "xlconstant" and not self.constants.get(name):
                    self.faults.append(f"{mac}/{name} is constant without a reason")
                if kind == "card" and not other.startswith(f"{mac}_"):
                    self.faults.append(f"{mac}/{name} is joined with card/{other}")
                if kind == "card" and name not in (other.removeprefix(f"{mac}_"), "rx_clk",
                                                   "core_drp_reset"):
                    self.faults.append(f"{mac}/{name} is joined with card/{other}")
                if kind == "xlconcat":
                    self.check_numbered(mac, name, cell, other)
            free = {"port:clk_gt_freerun"}
            if name in ("init_clk", "drp_clk") and not pins & free:
                self.faults.append(f"{mac}/{name} is not on the free-running clock")

    def check_numbered(self, mac, name, cell, concat_pin):
        """Pin i of a row is input i of its concatenation, which is the card's of that name."""
        number = int(re.search(r"(\d+)(?:_inc)?$", name)[1])
        stem = re.sub(r"_?\d+(_inc)?$", r"\1", name)
        if concat_pin != f"In{number}" or cell != f"{mac}_{stem}":
            self.faults.append(f"{mac}/{name} is {concat_pin} of {cell}")

    def check_buses(self):
        for cell, kind in self.cells.items():
            for bus in BUSES.get(kind, ()):
                if f"bus:{cell}/{bus}" not in self.joined:
                    self.faults.append(f"{cell}/{bus} is not connected")
        for bus in self.buses:
            if f"bus_port:{bus}" not in self.joined:
                self.faults.append(f"{bus} is not connected")
        for mac in MACS:
            for bus in (n for n, (d, _, _) in self.mac.items() if d == "bus"):
                if f"{mac}/{bus}" not in self.external.values():
                    self.faults.append(f"{mac}/{bus} does not leave the kernel")
        for name, bus in self.external.items():
            number = re.search(r"(\d)$", name)
            if not number or not bus.startswith(f"mac{number[1]}/"):
                self.faults.append(f"{name} is {bus}")


def check_link(text, design, kernel_xml):
    """Faults of link.cfg: what the kernel needs of the platform, each once and of the right kind."""
    faults, seen = [], {}
    lines = [line.strip() for line in text.splitlines()]
    entries = [line.split("=", 1) for line in lines if line and line[0] not in "#["]
    instances = [v.split(":")[2] for k, v in entries if k == "nk"]
    if instances != ["plumb_kernel_1"]:
        faults.append(f"link.cfg: the kernel's instances are {instances}")
    needed = set(design.external) | {p for p in design.ports if p not in ("ap_clk", "ap_rst_n")}
    for value in (v for k, v in entries if k == "connect"):
        ends = value.split(":")
        ours = [e.removeprefix("plumb_kernel_1/") for e in ends if e.startswith("plumb_kernel_1/")]
        theirs = [e for e in ends if not e.startswith("plumb_kernel_1/")]
        if len(ours) != 1 or len(theirs) != 1:
            faults.append(f"link.cfg: connect={value} is not between kernel and platform")
            continue
        if ours[0] not in needed:
            faults.append(f"link.cfg: the kernel has no {ours[0]}")
        if PLATFORM.get(theirs[0]) != ours[0]:
            faults.append(f"link.cfg: {theirs[0]} does not belong to {ours[0]}")
        if ours[0] in seen:
            faults.append(f"link.cfg: {ours[0]} is connected twice")
        seen[ours[0]] = theirs[0]
    faults += [f"link.cfg: {name} is not connected" for name in sorted(needed - set(seen))]
    memory = [v for k, v in entries if k == "sp"]
    if len(memory) != 1 or not re.fullmatch(r"plumb_kernel_1\.m_axi:(HBM\[\d+(:\d+)?\]|HOST\[0\])",
                                            memory[0]):
        faults.append(f"link.cfg: m_axi leads to {memory}")
    asked = dict(re.findall(r"^freqHz=(\d+):(\S+)$", text, re.MULTILINE))
    hz = re.search(r"ApClockHz = (\d+);", (VITIS / "plumb_kernel.sv").read_text(encoding="utf-8"))[1]
    if asked != {hz: "plumb_kernel_1.ap_clk"}:
        faults.append(f"link.cfg: clocks are {asked}, the processor's has {hz} Hz")
    for port in re.findall(r'<port name="(\w+)"', kernel_xml):
        if port not in design.buses:
            faults.append(f"kernel.xml: the block design has no {port}")
    return faults


def faults_of(package, link, pins):
    """All faults of the texts of package.tcl, link.cfg and cmac_pins.tsv."""
    with tempfile.TemporaryDirectory() as directory:
        tree = pathlib.Path(directory)
        (tree / "rtl").symlink_to(ROOT / "hw/rtl")
        (tree / "vitis").mkdir()
        (tree / "vitis/package.tcl").write_text(package, encoding="utf-8")
        run = subprocess.run(["tclsh", RECORD, tree / "vitis/package.tcl", tree / "build"],
                             capture_output=True, text=True, check=False)
        if run.returncode:
            return [f"package.tcl: {run.stderr.splitlines()[0]}"]
    mac, faults = mac_pins(pins)
    card = card_pins((VITIS / "plumb_kernel_top.v").read_text(encoding="utf-8"))
    commands = [line.split("\t") for line in run.stdout.splitlines()]
    design = Design(commands, mac, card)
    faults += design.check()
    return faults + check_link(link, design, (VITIS / "kernel.xml").read_text(encoding="utf-8"))


def commands_of(text):
    """(first, last + 1) of the lines of each command that connects, continuations included."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if re.match(r"\s*(connect_bd_|make_bd_intf_pins_external)", line):
            end = start
            while lines[end].endswith("\\"):
                end += 1
            yield start, end + 1


@unittest.skipUnless(shutil.which("tclsh"), "needs tclsh (package tcl)")
class Wiring(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.package = (VITIS / "package.tcl").read_text(encoding="utf-8")
        cls.link = (VITIS / "link.cfg").read_text(encoding="utf-8")
        cls.pins = (VITIS / "cmac_pins.tsv").read_text(encoding="utf-8")

    def test_every_pin_is_connected_or_open_with_a_reason(self):
        self.assertEqual(faults_of(self.package, self.link, self.pins), [])

    def assert_faulty(self, what, package=None, link=None, pins=None):
        faults = faults_of(package or self.package, link or self.link, pins or self.pins)
        self.assertNotEqual(faults, [], f"not noticed: {what}")

    def test_a_connection_that_is_missing_is_noticed(self):
        lines = self.package.splitlines()
        commands = list(commands_of(self.package))
        self.assertGreater(len(commands), 15)
        for start, end in commands:
            changed = lines[:start] + lines[end:]
            self.assert_faulty(lines[start], package="\n".join(changed))

    def test_a_pin_that_is_missing_in_a_list_is_noticed(self):
        joined = re.search(r"set joined_pins \{(.*?)\}", self.package, re.DOTALL)
        names = joined[1].split()
        self.assertGreater(len(names), 40)
        for name in names:
            changed = re.sub(rf"(?<=[\s{{]){name}(?=[\s}}])", "", joined[0], count=1)
            self.assert_faulty(name, package=self.package.replace(joined[0], changed))
        for table in ("numbered_pins", "constant_pins"):
            rows = re.search(rf"set {table} \{{\n(.*?)\n\}}", self.package, re.DOTALL)[1].split("\n")
            self.assertGreater(len(rows), 4)
            for row in rows:
                self.assert_faulty(row, package=self.package.replace(row + "\n", ""))

    def test_a_pin_that_does_not_exist_is_noticed(self):
        for name, wrong in (("ctl_tx_enable", "ctl_tx_enabled"), ("drp_we", "drp_write"),
                            ("$mac/gt_ref_clk]", "$mac/gt_refclk]"), ("memory/S_AXI", "memory/S_AX")):
            self.assert_faulty(wrong, package=self.package.replace(name, wrong, 1))

    def test_a_wrong_width_is_noticed(self):
        self.assert_faulty("zero80", package=self.package.replace("zero80 80 0", "zero80 79 0"))
        self.assert_faulty("fill", package=self.package.replace("20 7 rx_lane", "20 6 rx_lane"))
        self.assert_faulty("pin list", pins=self.pins.replace("rx_ptp_pcslane_out\tout\t5",
                                                             "rx_ptp_pcslane_out\tout\t6"))

    def test_a_constant_or_an_open_pin_without_a_reason_is_noticed(self):
        self.assert_faulty("constant", package=self.package.replace(
            "drp_en zero1 {the configuration port is not used}", "drp_en zero1 {}"))
        self.assert_faulty("open", pins=self.pins.replace(
            "drp_rdy\tout\t1\topen\tthe configuration port is not used", "drp_rdy\tout\t1\topen"))

    def test_two_macs_that_are_mixed_up_are_noticed(self):
        self.assert_faulty("clock", package=self.package.replace(
            "[get_bd_pins card/${mac}_gt_txusrclk2]", "[get_bd_pins card/mac1_gt_txusrclk2]"))
        self.assert_faulty("place", package=self.package.replace("CMACE4_X0Y4", "CMACE4_X0Y3"))
        self.assert_faulty("cage", package=self.package.replace("-name gt_refclk$n",
                                                               "-name gt_refclk[expr {1-$n}]"))

    def test_a_setting_that_is_missing_is_noticed(self):
        for setting in ("RX_FORWARD_CONTROL_FRAMES 1", "INCLUDE_RS_FEC 1", "ENABLE_AXI_INTERFACE 0",
                        "RX_FRAME_CRC_CHECKING {Disable FCS Stripping}"):
            self.assert_faulty(setting, package=self.package.replace(f"CONFIG.{setting} ", ""))

    def test_a_line_of_link_cfg_that_is_missing_or_wrong_is_noticed(self):
        lines = self.link.splitlines()
        entries = [i for i, line in enumerate(lines) if line and line[0] not in "#["]
        self.assertEqual(len(entries), 8)
        for i in entries:
            self.assert_faulty(lines[i], link="\n".join(lines[:i] + lines[i + 1:]))
        self.assert_faulty("cages", link=self.link.replace("io_gt_qsfp0_00", "io_gt_qsfp1_00"))
        self.assert_faulty("pin", link=self.link.replace("/gt_refclk0", "/gt_ref_clk0"))


if __name__ == "__main__":
    unittest.main()
