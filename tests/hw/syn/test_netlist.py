"""The depth and the carry chains that hw/syn/run gates: netlists by hand, their longest paths counted
by hand; what the record allows; and the delays by which the mapper counts the same.

  /usr/bin/python3 -m unittest discover tests/hw/syn
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

SYN = pathlib.Path(__file__).resolve().parents[3] / "hw/syn"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SYN))

import netlist  # noqa: E402


def load_run():
    """The command as a module, although its file has no suffix."""
    loader = importlib.machinery.SourceFileLoader("syn_run", str(SYN / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("syn_run", loader))
    loader.exec_module(module)
    return module


def read(text):
    """Of the first module of a BLIF text, or of cells without one."""
    if ".model" not in text:
        text = ".model top\n" + text
    modules = netlist.read(text.splitlines())
    return netlist.Netlist(modules, next(iter(modules)))


class Netlist(unittest.TestCase):
    def test_counts_cells_by_kind(self):
        mapped = read("""
.subckt LUT2 I0=a I1=b O=x
.subckt LUT6 I0=a I1=b I2=c I3=d I4=e I5=x O=y
.subckt FDCE C=clk CE=$true CLR=r D=y Q=q
.subckt RAMB18E2 ADDRARDADDR[0]=q
""")
        self.assertEqual(mapped.total("LUT"), 2)
        self.assertEqual(mapped.total("FD", "RAMB18"), 2)
        self.assertEqual(mapped.total("URAM"), 0)

    def test_registers_and_memories_end_a_path(self):
        for end in (".subckt FDCE C=clk D=y Q=q",
                    ".subckt RAMB36E2 ADDRARDADDR[3]=y DOUTADOUT[0]=q"):
            mapped = read(f"""
.subckt LUT2 I0=a I1=b O=x
.subckt LUT1 I0=x O=y
{end}
.subckt LUT1 I0=q O=z
""")
            self.assertEqual(mapped.levels, 2, end)

    def test_order_of_cells_does_not_matter(self):
        lines = [f".subckt LUT1 I0=n{i} O=n{i + 1}" for i in range(5)]
        self.assertEqual(read("\n".join(lines)).levels, 5)
        self.assertEqual(read("\n".join(reversed(lines))).levels, 5)

    def test_a_carry_chain_is_one_level_however_long(self):
        chain = "\n".join(f".subckt CARRY4 CI=c{i} S[0]=s{i} CO[3]=c{i + 1} O[0]=o{i}"
                          for i in range(16))
        self.assertEqual(read(chain).levels, 1)
        self.assertEqual(read(chain + "\n.subckt LUT1 I0=o15 O=z").levels, 2)
        self.assertEqual(read(".subckt LUT1 I0=a O=s0\n" + chain).levels, 2)

    def test_a_sum_that_enters_another_carry_chain_is_two_levels(self):
        self.assertEqual(read("""
.subckt CARRY4 CI=$false S[0]=a O[0]=x CO[3]=c
.subckt CARRY4 CI=$false DI[0]=x O[0]=y
""").levels, 2)
        self.assertEqual(read("""
.subckt CARRY4 CI=$false S[0]=a CO[3]=c
.subckt CARRY4 CI=$false CYINIT=c O[0]=y
""").levels, 2)

    def test_distributed_ram_and_shift_registers_are_passed_from_address_to_output(self):
        self.assertEqual(read("""
.subckt LUT1 I0=a O=x
.subckt RAM32M16 ADDRA[0]=x DIA[0]=p DOA[0]=y WE=w
.subckt LUT1 I0=y O=z
""").levels, 3)
        self.assertEqual(read("""
.subckt LUT1 I0=a O=x
.subckt SRL16E A0=x D=p Q=y
""").levels, 2)

    def test_a_port_of_distributed_ram_is_read_by_its_own_address_only(self):
        # Port H writes, and may be read too: its address is a LUT deeper than that of port A.
        for cell in (".subckt RAM32M16 ADDRA[0]=p ADDRH[0]=x DOA[0]=y DOH[0]=w WE=w",
                     ".subckt RAM64X1D DPRA0=p A0=x DPO=y SPO=w"):
            before, behind = ".subckt LUT1 I0=a O=x\n", "\n.subckt LUT1 I0=y O=z"
            self.assertEqual(read(before + cell + behind).levels, 2, cell)
            self.assertEqual(read(before + cell + behind.replace("y", "w")).levels, 3, cell)
            self.assertEqual(read(before + cell).total("RAM"), 1, cell)

    def test_data_written_to_distributed_ram_goes_no_further(self):
        self.assertEqual(read("""
.subckt LUT1 I0=a O=x
.subckt RAM32M16 ADDRA[0]=p DIA[0]=x DOA[0]=y WE=x
.subckt LUT1 I0=y O=z
""").levels, 2)

    def test_a_dsp_is_passed(self):
        self.assertEqual(read("""
.subckt LUT1 I0=a O=x
.subckt DSP48E2 A[0]=x B[0]=b P[0]=y
.subckt LUT1 I0=y O=z
""").levels, 3)

    def test_the_longest_path_is_named_from_its_first_to_its_last_register(self):
        mapped = read("""
.subckt FDCE C=clk D=p Q=u_a.first_q
.subckt LUT2 I0=other_q I1=short O=short2
.subckt LUT2 I0=u_a.first_q I1=b_q O=$abc$1
.subckt LUT2 I0=c_q I1=$abc$1 O=u_b.between
.subckt LUT2 I0=u_b.between I1=c_q O=$abc$2
.subckt FDCE C=clk D=$abc$2 Q=u_c.last_q
""")
        self.assertEqual(mapped.longest(), ["u_a.first_q", "u_b.between", "u_c.last_q"])

    def test_a_path_is_followed_over_a_net_of_two_names(self):
        self.assertEqual(read("""
.names $false
.subckt LUT1 I0=a O=x
.names x y
1 1
.names y z
1 1
.subckt LUT1 I0=z O=end
""").levels, 2)

    def test_a_path_is_followed_into_a_module_and_out_of_it(self):
        mapped = read("""
.model top
.subckt LUT1 I0=a O=x
.subckt $paramod$1f\\inner in[0]=x out=y
.subckt $paramod$1f\\inner in[0]=b out=c
.subckt LUT1 I0=y O=z
.end
.model $paramod$1f\\inner
.inputs in[0]
.outputs out
.subckt LUT1 I0=in[0] O=x
.subckt LUT1 I0=x O=y
.subckt FDCE C=clk D=y Q=y_q
.names y out
1 1
.end
""")
        self.assertEqual(mapped.levels, 4)
        self.assertEqual(mapped.total("LUT"), 6)
        self.assertEqual(mapped.total("FD"), 2)

    def test_a_module_within_is_measured_by_itself(self):
        modules = netlist.read("""
.model top
.subckt LUT1 I0=a O=x
.subckt \\inner in=x out=y
.model \\inner
.subckt LUT1 I0=in O=out
""".splitlines())
        inner = next(name for name in modules if netlist.plain_name(name) == "inner")
        self.assertEqual(netlist.Netlist(modules, inner).levels, 1)
        self.assertEqual(netlist.Netlist(modules, "top").levels, 2)

    def test_all_paths_above_a_bar_are_named_by_their_registers(self):
        # To c_q: 3 levels from a_q, 2 from b_q by the longer of two ways; to the memory 2 from a_q.
        mapped = read("""
.model top
.outputs out[0]
.subckt LUT2 I0=u_x[1].a_q[3] I1=late O=$1
.subckt LUT2 I0=$1 I1=b_q[0] O=$2
.subckt LUT3 I0=$2 I1=b_q[0] I2=$false O=$3
.subckt FDCE C=clk D=$3 Q=c_q[7]
.subckt FDCE C=clk D=$1 Q=short_q
.subckt RAMB18E2 ADDRARDADDR[0]=$2
.subckt RAM32M16 ADDRA[0]=p DIA[0]=$2 DOA[0]=q
.subckt LUT1 I0=$3 O=out[0]
""")
        a_and_late = {"u_x.a_q": 2, "late": 2}
        self.assertEqual(mapped.above(1), {"c_q": {"u_x.a_q": 3, "late": 3, "b_q": 2},
                                           "out": {"u_x.a_q": 4, "late": 4, "b_q": 3},
                                           "RAMB18E2": a_and_late, "RAM32M16": a_and_late})
        self.assertEqual(mapped.above(2), {"c_q": {"u_x.a_q": 3, "late": 3},
                                           "out": {"u_x.a_q": 4, "late": 4, "b_q": 3}})
        self.assertEqual(mapped.above(4), {})

    def test_a_carry_chain_on_a_path_above_a_bar_counts_one(self):
        mapped = read(".subckt LUT1 I0=a_q O=x\n" + chain("sum", "x", 3) +
                      "\n.subckt LUT1 I0=sum O=y\n.subckt FDCE C=clk D=y Q=b_q")
        self.assertEqual(mapped.levels, 3)
        self.assertEqual(mapped.above(2), {"b_q": {"a_q": 3}})

    def test_nothing_combinational_has_no_levels(self):
        mapped = read(".subckt FDCE C=clk D=a Q=b")
        self.assertEqual(mapped.levels, 0)
        self.assertEqual(mapped.longest(), [])

    def test_a_loop_is_a_fault(self):
        with self.assertRaisesRegex(ValueError, "loop"):
            read(".subckt LUT1 I0=a O=b\n.subckt LUT1 I0=b O=a")
        with self.assertRaisesRegex(ValueError, "loop"):
            read(".subckt LUT1 I0=a O=a")


def chain(name, first, length):
    """CARRY4 in a row: `first` enters the first one's sum, its last sum is the net `name`."""
    cells = [f".subckt CARRY4 CI={'$false' if i == 0 else f'{name}c{i}'} "
             f"S[0]={first if i == 0 else f'{name}s{i}'} CO[3]={name}c{i + 1} "
             f"O[0]={name if i == length - 1 else f'{name}o{i}'}" for i in range(length)]
    return "\n".join(cells)


class Carry(unittest.TestCase):
    def test_without_a_chain_there_is_none(self):
        self.assertEqual(read(".subckt LUT1 I0=a O=b").carry, 0)
        self.assertEqual(read(".subckt FDCE C=clk D=a Q=b").carry, 0)

    def test_two_carry4_are_one_carry8(self):
        for carry4, carry8 in ((1, 1), (2, 1), (3, 2), (4, 2), (15, 8), (16, 8), (20, 10)):
            self.assertEqual(read(chain("x", "a", carry4)).carry, carry8, carry4)

    def test_a_path_leaves_a_chain_where_it_is_used(self):
        # Of 16 CARRY4 only the sums of the first three lead on into three more: 2 and 2, not 8 and 2.
        lines = chain("x", "a", 16) + "\n" + chain("y", "xo2", 3)
        self.assertEqual(read(lines).carry, 8)
        self.assertEqual(read(lines + "\n" + chain("z", "y", 13)).carry, 2 + 2 + 7)

    def test_a_path_enters_a_chain_in_its_middle(self):
        # The second operand comes late, over a chain of 14, and only in the last two of 16: 7 and 1.
        late, sum_of = chain("x", "a", 14), chain("y", "b", 16).replace("S[0]=ys14", "S[0]=x")
        self.assertEqual(read(sum_of).carry, 8)
        self.assertEqual(read(late + "\n" + sum_of).carry, 8)
        self.assertEqual(read(late + "\n" + sum_of + "\n" + chain("z", "y", 2)).carry, 9)
        # With the operand in the eighth of 16 it is 7 and 5.
        self.assertEqual(read(late + "\n" + chain("y", "b", 16).replace("S[0]=ys7", "S[0]=x")).carry,
                         7 + 5)

    def test_chains_on_one_path_add_up_and_each_fills_its_last_carry8(self):
        between = "\n.subckt LUT2 I0=x I1=b O=m\n"
        self.assertEqual(read(chain("x", "a", 3) + between + chain("y", "m", 3)).carry, 4)
        self.assertEqual(read(chain("x", "a", 2) + between + chain("y", "m", 2)).carry, 2)
        # A carry into CYINIT begins a chain of its own.
        self.assertEqual(read(chain("x", "a", 1) +
                              "\n.subckt CARRY4 CI=$false CYINIT=xc1 O[0]=y").carry, 2)

    def test_it_may_be_on_another_path_than_the_levels(self):
        luts = "\n".join(f".subckt LUT1 I0=n{i} O=n{i + 1}" for i in range(7))
        mapped = read(luts + "\n" + chain("sum", "wide_q", 10))
        self.assertEqual((mapped.levels, mapped.carry), (7, 5))
        self.assertEqual(mapped.longest()[0], "n0")
        self.assertEqual(mapped.most_carry()[0], "wide_q")

    def test_registers_end_it(self):
        self.assertEqual(read(chain("x", "a", 6) + "\n.subckt FDCE C=clk D=x Q=x_q\n" +
                              chain("y", "x_q", 6)).carry, 3)


class Gate(unittest.TestCase):
    """What the record allows of a row."""

    ROW = {"LUT": 10, "LUTRAM": 0, "FF": 0, "BRAM36": 0, "URAM": 0, "DSP": 0}

    def faults(self, levels, carry, recorded_levels, recorded_carry, reason):
        row = self.ROW | {"levels": levels, "carry": carry,
                          "paths": {"levels": "deep_q", "carry": "wide_q"}}
        recorded = self.ROW | {"levels": recorded_levels, "carry": recorded_carry,
                               "parameters": "", "reason": reason}
        return load_run().compare("plumb_sync", row, recorded)

    def test_six_levels_and_four_carry8_need_no_reason(self):
        self.assertEqual(self.faults(6, 4, 3, 1, ""), [])

    def test_more_is_a_fault_that_names_its_path(self):
        self.assertEqual(self.faults(7, 4, 7, 4, ""), ["7 levels, 6 allowed: deep_q"])
        self.assertEqual(self.faults(6, 5, 6, 5, ""), ["5 carry, 4 allowed: wide_q"])

    def test_with_a_reason_it_must_not_become_worse(self):
        self.assertEqual(self.faults(7, 8, 7, 8, "a sum of 64 bits"), [])
        self.assertEqual(self.faults(8, 8, 7, 8, "a sum of 64 bits"),
                         ["8 levels, 7 allowed: deep_q"])
        self.assertEqual(self.faults(7, 9, 7, 8, "a sum of 64 bits"),
                         ["9 carry, 8 allowed: wide_q"])


    def test_a_column_that_was_never_measured_is_a_fault(self):
        self.assertEqual(load_run().from_cell("-"), None)
        self.assertEqual(load_run().to_cell(None), "-")
        self.assertEqual(self.faults(6, 4, 6, None, "a sum of 64 bits"),
                         ["carry is not recorded: hw/syn/run --record plumb_sync"])


class UnitDelays(unittest.TestCase):
    LIBRARY = """\
module LUT2(output O, input I0, I1);
  specify
    (I0 => O) = 238;    // why
    (I1 => O) = 127 + 3 /* and more */;
  endspecify
endmodule
module CARRY4(
  specify
    (CI     => O[0]) = 222;
    (CYINIT => CO[0]) = 536;
    (S[0] => O[0]) = 223;
  endspecify
endmodule
module FDRE (
  specify
    $setup(D , posedge C &&& CE, /*-46*/ 0); // none
    $setup(CE, posedge C, 109);
    if (R) (posedge C => (Q : 1'b0)) = 303;
  endspecify
  always @(posedge C) if (R == 1) Q <= 0;
endmodule
module FDCE (
  specify
    if (IS_CLR_INVERTED != CLR) (CLR => Q) = 764;
  endspecify
endmodule
module RAM64M8 (
  output DOA,
endmodule
"""

    def test_cells_and_distributed_ram_take_a_unit_and_chains_and_registers_nothing(self):
        lines = [line.strip() for line in load_run().unit_delays(self.LIBRARY).splitlines()]
        self.assertEqual([line for line in lines if "=>" in line or "$setup" in line], [
            "(I0 => O) = 1000;", "(I1 => O) = 1000;",
            "(CI     => O[0]) = 0;", "(CYINIT => CO[0]) = 1000;", "(S[0] => O[0]) = 1000;",
            "$setup(D , posedge C &&& CE, 0);", "$setup(CE, posedge C, 0);",
            "if (R) (posedge C => (Q : 1'b0)) = 0;",
            "if (IS_CLR_INVERTED != CLR) (CLR => Q) = 0;",
            *(f"(posedge WCLK => (DO{port} : DI{port})) = 1000;" for port in "ABCDEFGH")])
        self.assertIn("always @(posedge C) if (R == 1) Q <= 0;", lines)


if __name__ == "__main__":
    unittest.main()
