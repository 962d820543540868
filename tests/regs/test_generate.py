"""The register map generator: what it refuses, what it makes, and that the tree is what it makes.

  /usr/bin/python3 -m unittest discover tests/regs
"""

import contextlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hw/regs"))

import emit_cpp  # noqa: E402
import emit_doc  # noqa: E402
import emit_sv  # noqa: E402
import generate  # noqa: E402
import regmap  # noqa: E402

MAP = ROOT / "hw/regs/plumbline.toml"

HEAD = """
    [map]
    name = "small"
    major = 2
    minor = 3
    patch = 4

    [[block]]
    name = "unit"
    base = 0x1000
    size = 0x1000
    description = "A block."
"""


def small(body, head=HEAD):
    """A map of one block with `body` in it."""
    text = textwrap.dedent(head) + textwrap.dedent(body)
    return regmap.parse(text.encode())


def register(extra="", name="REG", offset="0x10", access="rw", reset="reset = 0"):
    return f"""
    [[block.register]]
    name = "{name}"
    offset = {offset}
    access = "{access}"
    {reset}
    description = "A register."
    {extra}
    """


def fields(*items):
    rows = ",".join(f'{{name = "{n}", bits = "{b}", description = "A field."}}' for n, b in items)
    return f"fields = [{rows}]"


class Refused(unittest.TestCase):
    """Each mistake gives one error that names the place."""

    def refuse(self, body, *words, head=HEAD):
        with self.assertRaises(regmap.MapError) as caught:
            small(body, head)
        text = str(caught.exception)
        self.assertNotIn("\n", text)
        for word in words:
            self.assertIn(word, text)

    def test_the_small_map_itself_is_right(self):
        # Otherwise the tests below could be refused for another reason than they say.
        small(register())
        small(register(fields(("a", "0"), ("b", "31:1"))))

    def test_overlapping_fields(self):
        self.refuse(register(fields(("a", "7:0"), ("b", "15:7"))), "unit.REG",
                    "'a' and 'b' overlap")

    def test_field_out_of_range(self):
        self.refuse(register(fields(("a", "32:30"))), "unit.REG.a", "bit 32 is out of range")

    def test_field_with_low_bit_first(self):
        self.refuse(register(fields(("a", "3:8"))), "unit.REG.a", "higher bit first")

    def test_field_bits_that_are_no_bits(self):
        self.refuse(register(fields(("a", "3-0"))), "unit.REG.a", "'3-0'")
        self.refuse(register('fields = [{name = "a", bits = 3, description = ""}]'), "unit.REG.a",
                    "'bits' must be of type str")

    def test_duplicate_field(self):
        self.refuse(register(fields(("a", "0"), ("a", "1"))), "unit.REG", "'a' is defined twice")

    def test_empty_fields(self):
        self.refuse(register("fields = []"), "unit.REG", "'fields' is empty")

    def test_overlapping_registers(self):
        self.refuse(register() + register(name="OTHER"), "'OTHER' and 'REG' overlap at 0x010")

    def test_array_over_a_register(self):
        self.refuse(register("count = 4") + register(name="OTHER", offset="0x1C"),
                    "'REG' and 'OTHER' overlap at 0x01c")

    def test_duplicate_register(self):
        self.refuse(register() + register(offset="0x20"), "unit", "'REG' is defined twice")

    def test_offset_not_a_word(self):
        self.refuse(register(offset="0x12"), "unit.REG", "not a multiple of 4")

    def test_register_beyond_the_block(self):
        self.refuse(register(offset="0xFFC", extra="count = 2"), "unit.REG", "beyond the block")

    def test_offsets_of_the_runtime(self):
        head = HEAD.replace("base = 0x1000", "base = 0")
        self.refuse(register(offset="0x0C"), "unit.REG", "belong to XRT", head=head)

    def test_unknown_access(self):
        self.refuse(register(access="wo"), "unit.REG", "access 'wo' is none of")

    def test_unknown_keys(self):
        self.refuse(register("colour = 1"), "unit.REG", "unknown key 'colour'")
        self.refuse(register('fields = [{name = "a", bits = "0", description = "", x = 1}]'),
                    "unit.REG.a", "unknown key 'x'")
        self.refuse('colour = 1', "unit", "unknown key 'colour'")
        self.refuse('[[register]]\nname = "X"', "file", "unknown key 'register'")

    def test_missing_keys(self):
        self.refuse('[[block.register]]\nname = "REG"\noffset = 16', "unit.REG",
                    "'access' is missing")
        self.refuse('[[block.register]]\noffset = 16', "unit", "'name' is missing")

    def test_wrong_types(self):
        self.refuse(register(offset='"0x10"'), "unit.REG", "'offset' must be of type int")
        self.refuse(register("count = true"), "unit.REG", "'count' must be of type int")

    def test_bad_names(self):
        self.refuse(register(name="Reg"), "unit", "'Reg' is not a name")
        self.refuse(register(fields(("A", "0"))), "unit.REG", "'A' is not a name")

    def test_reset_only_and_always_with_rw(self):
        self.refuse(register(reset=""), "unit.REG", "if and only if its access is rw")
        self.refuse(register(access="ro"), "unit.REG", "if and only if its access is rw")

    def test_reset_outside_the_fields(self):
        self.refuse(register(fields(("a", "3:0")), reset="reset = 0x10"), "unit.REG", "reset 0x10")
        self.refuse(register(reset="reset = 0x1_0000_0000"), "unit.REG", "'reset' = 0x100000000")

    def test_constants(self):
        self.refuse(register("constant = 1"), "unit.REG", "only a register of access ro")
        self.refuse(register('constant = "time"', access="ro", reset=""), "unit.REG", "'time'")
        self.refuse(register("constant = 0x1_0000_0000", access="ro", reset=""), "unit.REG",
                    "32 bits")
        self.refuse(register("constant = 2\n" + fields(("a", "0")), access="ro", reset=""),
                    "unit.REG", "constant 0x2 sets bits")

    def test_flags_of_another_access(self):
        self.refuse(register("read_pulse = true"), "unit.REG", "'read_pulse' is for registers of")
        self.refuse(register("write_pulse = true", access="ro", reset=""), "unit.REG",
                    "write_pulse")
        self.refuse(register("hardware_writes = true", access="ro", reset=""), "unit.REG",
                    "hardware_writes")

    def test_commands_and_sticky_bits_are_single_bits(self):
        self.refuse(register(access="w1p", reset=""), "unit.REG", "w1p needs fields")
        self.refuse(register(fields(("a", "1:0")), access="w1c", reset=""), "unit.REG.a",
                    "fields of one bit")

    def test_array_with_fields(self):
        self.refuse(register("count = 2\n" + fields(("a", "0"))), "unit.REG", "cannot have fields")

    def test_names_that_meet_in_generated_code(self):
        self.refuse(register(fields(("c", "0")), name="A_B") +
                    register(fields(("b_c", "0")), name="A", offset="0x20"), "unit", "'a_b_c'")

    def test_counters_need_a_snapshot(self):
        counters = '[[block.counters]]\noffset = 0x80\ndescription = ""\nnames = ["N"]\n'
        self.refuse(counters, "unit", "come together")
        self.refuse('snapshot = "REG.x"\n' + register() + counters, "unit",
                    "'REG.x' is not a field")

    def test_counter_on_a_register(self):
        head = HEAD + '    snapshot = "CMD.snap"\n'
        command = register(fields(("snap", "0")), name="CMD", access="w1p", reset="")
        counters = '[[block.counters]]\noffset = 8\ndescription = ""\nnames = ["N", "M"]\n'
        self.refuse(command + counters, "'CMD' and 'M' overlap at 0x010", head=head)
        self.refuse(command + counters.replace("8", "12"), "unit.counters", "multiple of 8",
                    head=head)
        self.refuse(command + counters.replace('"M"', '"m"'), "unit.counters", "'m' is not a name",
                    head=head)

    def test_blocks(self):
        second = HEAD[HEAD.index("    [[block]]"):]
        self.refuse(second, "block 'unit' is defined twice")
        self.refuse(second.replace("unit", "other"), "'other' and 'unit' overlap at 0x1000")
        odd_size = HEAD.replace("size = 0x1000", "size = 0xF00")
        self.refuse("", "unit", "power of two", head=odd_size)
        odd_base = HEAD.replace("base = 0x1000", "base = 0x800")
        self.refuse("", "unit", "multiple of it", head=odd_base)
        self.refuse("count = 16", "'unit' reaches beyond 0x10000")

    def test_tables(self):
        table = '[[table]]\nname = "t"\nnumber = {}\ndescription = ""\n'
        self.refuse(table.format(16), "table t", "'number' = 0x10")
        self.refuse(table.format(1) + table.format(2), "table 't' is defined twice")
        self.refuse(table.format(1) + table.format(1).replace('"t"', '"u"'), "number '1'")
        self.refuse(table.format(1) + fields(("a", "512")), "table t.a", "bit 512 is out of range")

    def test_version(self):
        self.refuse("", "map", "'major' = 0x100", head=HEAD.replace("major = 2", "major = 256"))
        self.refuse("", "map", "'patch' is missing", head=HEAD.replace("patch = 4", ""))

    def test_no_toml(self):
        self.refuse("[[", "not a TOML file")
        with self.assertRaises(regmap.MapError):
            regmap.parse(b"\xff")


class Made(unittest.TestCase):
    """What comes out for a small map, judged from outside."""

    def setUp(self):
        self.map = small(
            'snapshot = "CMD.snap"\n'
            + register(fields(("a", "3:0"), ("b", "8")), reset="reset = 0x105")
            + register(name="WORDS", offset="0x40", extra="count = 2\nhardware_writes = true")
            + register(fields(("snap", "2")), "CMD", "0x14", "w1p", "")
            + register('constant = "version"', "VER", "0x18", "ro", "")
            + '[[block.counters]]\noffset = 0x80\ndescription = ""\nper_priority = true\n'
            + 'names = ["N"]\n[[table]]\nname = "rows"\nnumber = 3\ndescription = ""\n'
            + 'fields = [{name = "wide", bits = "239:144", description = "Wide."}]\n')

    def test_version_constant(self):
        self.assertEqual(self.map.blocks[0].registers[3].constant, 0x02030004)

    def test_hash_is_of_the_source(self):
        self.assertNotEqual(small(register()).hash, small(register(name="OTHER")).hash)

    def test_package(self):
        text = emit_sv.package(self.map)
        for line in ("localparam logic [11:0] UnitRegOffset = 12'h010;",
                     "localparam int unsigned UnitRegBLsb = 8;",
                     "localparam logic [31:0] UnitRegReset = 32'h00000105;",
                     "localparam int unsigned UnitConfigW = 69;",
                     "localparam int unsigned RowsWideLsb = 144;",
                     "localparam int unsigned RowsWideW = 96;"):
            self.assertIn(line, text)
        for forbidden in ("$bits", "import", "'{"):
            self.assertNotIn(forbidden, text)

    def test_decoder(self):
        text = emit_sv.decoder(self.map.blocks[0])
        for line in ("config_o.reg_a <= 4'h5;", "config_o.reg_b <= 1'h1;",
                     "config_o.reg_b <= reg_wdata_i[8];",
                     "if (pulse_o.cmd_snap) snapshot_q <= counters_i;",
                     "plumb_regs_pkg::UnitNOffset + 12'h3C: reg_rdata_o <= snapshot_q.n[511:480];"):
            self.assertIn(line, text)

    def test_header_compiles_and_computes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "registers.h").write_text(emit_cpp.header(self.map), encoding="utf-8")
            (path / "main.cc").write_text(textwrap.dedent("""
                #include "registers.h"
                using namespace plumbline::card::regs;
                static_assert(unit::kBase + unit::kRegA.offset == 0x1010);
                static_assert(unit::kRegB.mask() == 0x100 && unit::kRegB.get(0x1FF) == 1);
                static_assert(unit::kRegA.set(0xFF, 3) == 0xF3);
                static_assert(unit::kVerValue == 0x02030004 && unit::kN == 0x80);
                static_assert(unit::kRegisters[0].mask == 0x10F);
                static_assert(unit::kRegisters[0].reset == 0x105);
                static_assert(unit::kCounters[0].count == 8);
                constexpr TableRow row{0, 0, 0, 0, 0xABCD0000, 0x01234567, 0x89ABCDEF, 0xFFFF1122};
                static_assert(rows_table::kWide.get(row) == 0xCDEF'0123'4567'ABCDull);
                static_assert(rows_table::kWide.get(row, 1) == 0x1122'89ABull);
                int main() {}
            """), encoding="utf-8")
            done = subprocess.run(
                ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                 f"-I{ROOT / 'host'}", str(path / "main.cc")], capture_output=True, text=True,
                check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_freestanding_header_has_the_same_constants(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            for name, text in (("host.h", emit_cpp.header(self.map)),
                               ("firmware.h", emit_cpp.freestanding(self.map))):
                (path / name).write_text(text, encoding="utf-8")
            names = ["unit::kBase", "unit::kRegA.offset", "unit::kRegA.lsb", "unit::kRegB.mask()",
                     "unit::kRegB.get(0x1FF)", "unit::kRegA.of(3)", "unit::kVerValue", "unit::kN"]
            checks = "".join(f"static_assert(plumbline::firmware::regs::{name} == "
                             f"plumbline::card::regs::{name});\n" for name in names)
            (path / "both.cc").write_text('#include "firmware.h"\n#include "host.h"\n' + checks,
                                          encoding="utf-8")
            # By itself it needs no header of the C++ library.
            (path / "alone.cc").write_text('#include "firmware.h"\n', encoding="utf-8")
            for file, flags in (("both.cc", [f"-I{ROOT / 'host'}"]),
                                ("alone.cc", ["-ffreestanding", "-nostdinc++"])):
                done = subprocess.run(
                    ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags,
                     str(path / file)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_page(self):
        text = emit_doc.page(self.map)
        self.assertIn("| `0x010` | **REG** | rw | `0x00000105` | A register. |", text)
        self.assertIn("| | · 3:0 `a` | | | A field. |", text)
        self.assertIn("| `0x040` | **WORDS[0..1]** | rw |", text)
        self.assertIn("| `0x080` + 8·priority | N |", text)
        self.assertIn("| 239:144 | `wide` | Wide. |", text)


class Tree(unittest.TestCase):
    """The generated files of this tree, and --check."""

    def run_generator(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = generate.main(list(arguments))
        return code, out.getvalue(), err.getvalue()

    def copy_of_tree(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        (root / "hw/regs").mkdir(parents=True)
        shutil.copy(MAP, root / "hw/regs")
        self.assertEqual(self.run_generator("--root", str(root))[0], 0)
        return root

    def test_tree_is_what_the_map_says(self):
        code, _, err = self.run_generator("--check")
        self.assertEqual(code, 0, err)

    def test_check_names_what_is_stale_and_writes_nothing(self):
        for name in ("hw/rtl/csr/plumb_regs_pkg.sv", "hw/rtl/csr/plumb_regs_port.sv",
                     "host/card/registers.h", "firmware/registers.h", "docs/registers.md"):
            root = self.copy_of_tree()
            path = root / name
            path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
            before = path.read_bytes()
            code, _, err = self.run_generator("--check", "--root", str(root))
            self.assertEqual(code, 1)
            self.assertEqual(re.findall(r"stale: (\S+)", err), [name])
            self.assertEqual(path.read_bytes(), before)

    def test_check_finds_a_missing_file(self):
        root = self.copy_of_tree()
        (root / "docs/registers.md").unlink()
        code, _, err = self.run_generator("--check", "--root", str(root))
        self.assertEqual((code, re.findall(r"stale: (\S+)", err)), (1, ["docs/registers.md"]))

    def test_changed_map_makes_everything_stale(self):
        root = self.copy_of_tree()
        source = root / "hw/regs/plumbline.toml"
        text = source.read_text(encoding="utf-8")
        source.write_text(text.replace('bits = "31:24"', 'bits = "30:24"'), encoding="utf-8")
        code, _, err = self.run_generator("--check", "--root", str(root))
        self.assertEqual(code, 1)
        for name in ("hw/rtl/csr/plumb_regs_pkg.sv", "host/card/registers.h", "docs/registers.md"):
            self.assertIn(name, err)

    def test_wrong_map_is_one_line_and_touches_nothing(self):
        root = self.copy_of_tree()
        source = root / "hw/regs/plumbline.toml"
        source.write_text(source.read_text(encoding="utf-8") + "\n[surprise]\n", encoding="utf-8")
        header = (root / "host/card/registers.h").read_bytes()
        code, _, err = self.run_generator("--root", str(root))
        self.assertEqual(code, 2)
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("plumbline.toml: file: unknown key 'surprise'", err)
        self.assertEqual((root / "host/card/registers.h").read_bytes(), header)


if __name__ == "__main__":
    unittest.main()
