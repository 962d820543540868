"""Wrong parameters of the card's modules end elaboration with a message that names the module, the
parameter, its value and what is allowed; the values at the limits do not.

The limits are those of the wires: a template's row has 12 bits of which two count its four beats, a
test tag has 12 bits for the row and 5 for the group, the heap has at least one quad per sweep step,
sequence numbers of link-level retry have 20 bits and are compared within half of that.

  /usr/bin/python3 -m unittest discover tests/hw/parameters
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import unittest

RTL = pathlib.Path(__file__).resolve().parents[3] / "hw/rtl"
FOLDERS = ["pkg", "csr", "time", "event", "mac", "tx", "rx", "llr", "flow_control", "damage", "dma",
           "core", "top"]
PACKAGES = [name for name in (RTL / "files.f").read_text(encoding="utf-8").split()
            if name.endswith("_pkg.sv")]

# module, parameter, a value beyond the limit, what is allowed, a value at the limit
CASES = [
    ("plumb_tx", "FlowsLog2", 11, "3 to 10", 10),
    ("plumb_tx_heap", "FlowsLog2", 2, "3 to 12", 3),
    ("plumb_tx_fifo", "Reserve", 64, "fewer than 2^BeatsLog2 beats", 63),
    ("plumb_rx_flow_table", "RowsLog2", 13, "1 to 12", 12),
    ("plumb_rx_latency", "GroupsLog2", 6, "1 to 5", 5),
    ("plumb_rx_ram", "Depth", 513, "1 to 2^AddrW", 512),
    ("plumb_llr_window", "FramesLog2", 20, "1 to 19", 19),
    ("plumb_llr_rx_buffer", "BeatsLog2", 8, "9 to 30", 9),
    ("plumb_card_common", "FlowsLog2", 11, "3 to 10", 10),
    ("plumb_port", "RowsLog2", 13, "1 to 12", 12),
    ("plumb_core_ram", "DataBytes", 24, "powers of two from 16 on", 16),
    ("plumb_core_host", "MemoryBytes", 262144, "16 to 2^(bits of MEM_ADDRESS + 2)",
     131068),
    ("plumb_core_cpu", "BusBase", 0x4000_0001, "powers of two behind the memory", 0x2000_0000),
    ("plumb_axil_bridge", "TimeoutClocks", 2**20, "1 to 1048575", 2**20 - 1),
    ("plumb_register_crossing", "TimeoutClocks", 2**20, "1 to 1048575", 2**20 - 1),
    ("plumb_control", "CoreTimeoutClocks", 2**20, "1 to 1048575", 2**20 - 1),
    ("plumb_core", "ClockHz", 2**31, "1 to 2147483647", 2**31 - 1),
    ("plumb_capture_fifo", "MaxBeats", 509, "1 to 510 and to 2^BeatsLog2 - 4", 508),
]


def read(module, parameter, value):
    """(whether Verilator takes the module so, what it says)."""
    folders = [word for folder in FOLDERS for word in ("-y", folder)]
    done = subprocess.run(
        ["verilator", "--lint-only", "-Ipkg", *folders, f"-G{parameter}={value}",
         "--top-module", module, *PACKAGES, f"{module}.sv"],
        cwd=RTL, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


class ParameterChecks(unittest.TestCase):
    def test_a_value_beyond_the_limit_is_refused_and_one_at_the_limit_is_not(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [pool.submit(read, *case[:3]) for case in CASES]
            right = [pool.submit(read, *case[:2], case[4]) for case in CASES]
        for (module, parameter, value, allowed, limit), refused, taken in zip(CASES, wrong, right):
            with self.subTest(module=module, parameter=parameter):
                accepted, said = refused.result()
                self.assertFalse(accepted)
                self.assertIn(f"{module}: {parameter} is {value}, allowed {allowed}\n", said)
                accepted, said = taken.result()
                self.assertTrue(accepted, f"{limit}: {said}")

    def test_every_number_has_a_check(self):
        checked = 0
        for folder in FOLDERS:
            for path in sorted((RTL / folder).glob("*.sv")):
                text = path.read_text(encoding="utf-8")
                for parameter in re.findall(r"^\s+parameter int unsigned (\w+)", text, re.MULTILINE):
                    check = rf"`PLUMB_(?:RANGE|PARAMETER)\({path.stem}, {parameter},"
                    self.assertRegex(text, check, f"{path.name}: {parameter} has no check")
                    checked += 1
        self.assertGreater(checked, 50)


if __name__ == "__main__":
    unittest.main()
