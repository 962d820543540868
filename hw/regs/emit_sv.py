"""The map in SystemVerilog: one package, and one decoder module per block.

The text keeps to what Verilator and Yosys both read: no $bits of a type (hence the ...W constants),
no assignment patterns, structs only as whole variables and ports.
"""

from names import NOTICE, bits, camel, comment, field_camel

BUS = (
    "Bus: a write takes effect at the clock edge that ends the cycle with reg_wen_i; reg_rdata_o "
    "holds the value of the cycle with reg_ren_i from the next clock on until the next read. An "
    "access every clock is possible. Offsets without a register read as zero and ignore writes. "
    "Pulses come one clock after the write or read, together with the new values of config_o."
)
CLASH = (
    "Where hardware and software meet in one clock, hardware wins: a fault stays set, an update "
    "stays."
)

# What a decoder's port with the struct of this suffix carries.
FIELDS = {"config": "values of rw registers", "pulse": "pulses: commands and accesses",
          "status": "values of ro registers", "fault": "pulses that set w1c bits",
          "update": "rw registers that hardware loads", "counters": "live counters"}


def _struct(name, members):
    """A packed struct and its width. Members come last first, so that bits ascend in map order."""
    lines = ["  typedef struct packed {"]
    for member, width in reversed(members):
        vector = "logic" if width == 1 else f"logic [{width - 1}:0]"
        lines.append(f"    {vector} {member};")
    lines.append(f"  }} {name}_t;")
    total = sum(width for _, width in members)
    lines.append(f"  localparam int unsigned {camel(name)}W = {total};")
    return lines


def _pulse_members(block):
    members = [(name, width) for name, width, _, _ in block.members("w1p")]
    for register in block.registers:
        if register.write_pulse:
            members.append((f"{register.name.lower()}_written", 1))
        if register.read_pulse:
            members.append((f"{register.name.lower()}_read", 1))
    return members


def _update_members(block):
    members = []
    for register in block.registers:
        if register.hardware_writes:
            members += [(register.member(f), register.width(f)) for f in register.fields]
            members.append((f"{register.name.lower()}_we", 1))
    return members


def _structs(block):
    """(suffix, direction, purpose, members) of each struct that the block's decoder exchanges."""
    plain = {access: [(name, width) for name, width, _, _ in block.members(access)]
             for access in ("rw", "ro", "w1c")}
    counters = [(c.member, 64 * c.count) for c in block.counters]
    structs = [
        ("config", "output", "values of rw registers, to hardware", plain["rw"]),
        ("pulse", "output", "commands and access pulses of one clock, to hardware",
         _pulse_members(block)),
        ("status", "input", "values of ro registers, from hardware", plain["ro"]),
        ("fault", "input", "pulses that set w1c bits, from hardware", plain["w1c"]),
        ("update", "input", "rw registers that hardware loads when *_we is high",
         _update_members(block)),
        ("counters", "input", "live counters, latched by the snapshot pulse", counters),
    ]
    return [s for s in structs if s[3]]


def package(regmap):
    major, minor, patch = regmap.version
    out = [
        f"// {NOTICE}",
        *comment("Offsets are in bytes from the start of the block. Struct members are named "
                 "register_field."),
        "package plumb_regs_pkg;",
        "",
        f"  localparam int unsigned MapMajor = {major};",
        f"  localparam int unsigned MapMinor = {minor};",
        f"  localparam int unsigned MapPatch = {patch};",
        f"  localparam logic [31:0] MapHash = 32'h{regmap.hash:08X};",
    ]
    for block in regmap.blocks:
        prefix = camel(block.name)
        address_bits = block.size.bit_length() - 1
        digits = (address_bits + 3) // 4

        def offset(name, value):
            out.append(f"  localparam logic [{address_bits - 1}:0] {prefix}{name}Offset = "
                       f"{address_bits}'h{value:0{digits}X};")

        out += ["", *comment(f"Block {block.name}: {block.description}", "  "),
                f"  localparam logic [15:0] {prefix}Base = 16'h{block.base:04X};",
                f"  localparam logic [15:0] {prefix}Size = 16'h{block.size:04X};",
                f"  localparam int unsigned {prefix}Count = {block.count};"]
        for register in block.registers:
            offset(camel(register.name), register.offset)
            if register.count > 1:
                out.append(f"  localparam int unsigned {prefix}{camel(register.name)}Count = "
                           f"{register.count};")
            if register.access == "rw":
                out.append(f"  localparam logic [31:0] {prefix}{camel(register.name)}Reset = "
                           f"32'h{register.reset:08X};")
            if register.constant is not None:
                out.append(f"  localparam logic [31:0] {prefix}{camel(register.name)}Value = "
                           f"32'h{register.constant:08X};")
            for field in register.fields:
                if not register.whole:
                    name = prefix + field_camel(register, field)
                    out.append(f"  localparam int unsigned {name}Lsb = {field.lsb};")
                    out.append(f"  localparam int unsigned {name}W = {field.width};")
        for counter in block.counters:
            offset(camel(counter.name), counter.offset)
        for suffix, _, purpose, members in _structs(block):
            out += ["", *comment(f"{purpose[0].upper()}{purpose[1:]}.", "  ")]
            out += _struct(f"{block.name}_{suffix}", members)
    for table in regmap.tables:
        prefix = camel(table.name)
        out += ["", *comment(f"Table {table.number}, {table.name}: {table.description}", "  "),
                f"  localparam logic [3:0] {prefix}Table = 4'd{table.number};"]
        for field in table.fields:
            name = prefix + camel(field.name)
            out.append(f"  localparam int unsigned {name}Lsb = {field.lsb};")
            out.append(f"  localparam int unsigned {name}W = {field.width};")
    out += ["", "endpackage", ""]
    return "\n".join(out)


def _word(parts):
    """Concatenation of (lsb, width, expression) into 32 bits, zeros between."""
    items = []
    top = 32
    for lsb, width, expression in sorted(parts, reverse=True):
        if lsb + width < top:
            items.append(f"{top - lsb - width}'b0")
        items.append(expression)
        top = lsb
    if top:
        items.append(f"{top}'b0")
    return items[0] if len(items) == 1 else "{" + ", ".join(items) + "}"


def _read_items(block):
    """(case label, value) of every readable word."""
    pkg = "plumb_regs_pkg::" + camel(block.name)
    holders = {"rw": "config_o", "ro": "status_i", "w1c": "fault_q"}
    items = []
    for register in block.registers:
        label = f"{pkg}{camel(register.name)}Offset"
        if register.access == "w1p":
            continue
        holder = holders[register.access]
        if register.constant is not None:
            items.append((label, f"{pkg}{camel(register.name)}Value"))
        elif register.count == 1:
            items.append((label, _word([(f.lsb, f.width, f"{holder}.{register.member(f)}")
                                        for f in register.fields])))
        else:
            field = register.fields[0]
            for i in range(register.count):
                items.append((_plus(label, 4 * i, block),
                              f"{holder}.{register.member(field)}[{32 * i + 31}:{32 * i}]"))
    for counter in block.counters:
        label = f"{pkg}{camel(counter.name)}Offset"
        for i in range(2 * counter.count):
            items.append((_plus(label, 4 * i, block),
                          f"snapshot_q.{counter.member}[{32 * i + 31}:{32 * i}]"))
    return items


def _case_item(label, value):
    """One line, or a concatenation broken at its commas."""
    line = f"          {label}: reg_rdata_o <= {value};"
    if len(line) <= 100:
        return [line]
    if not value.startswith("{"):
        return [f"          {label}:", f"            reg_rdata_o <= {value};"]
    parts = value[1:-1].split(", ")
    return ([f"          {label}: reg_rdata_o <= {{"]
            + [f"            {part}," for part in parts[:-1]]
            + [f"            {parts[-1]}", "          };"])


def _plus(label, bytes_, block):
    width = block.size.bit_length() - 1
    return label if bytes_ == 0 else f"{label} + {width}'h{bytes_:X}"


def _config_process(block):
    pkg = "plumb_regs_pkg::" + camel(block.name)
    reset, written, updated = [], [], []
    for name, _, register, field in block.members("rw"):
        value = f"{pkg}{camel(register.name)}Reset"
        if register.count > 1:
            value = f"{{{register.count}{{{value}}}}}"
        elif not register.whole:
            value = f"{field.width}'h{(register.reset & field.mask) >> field.lsb:X}"
        reset.append(f"      config_o.{name} <= {value};")
    for register in block.registers:
        if register.access != "rw":
            continue
        label = f"{pkg}{camel(register.name)}Offset"
        if register.count > 1:
            name = register.member(register.fields[0])
            written.append(f"        for (int unsigned i = 0; i < {register.count}; i++) begin")
            step = f"{block.size.bit_length() - 1}'(4 * i)"
            written.append(f"          if (address == {label} + {step}) begin")
            written.append(f"            config_o.{name}[32*i+:32] <= reg_wdata_i;")
            written += ["          end", "        end"]
        else:
            written.append(f"        if (address == {label}) begin")
            for field in register.fields:
                part = "" if register.whole else bits(field.lsb, field.width)
                written.append(f"          config_o.{register.member(field)} <= reg_wdata_i{part};")
            written.append("        end")
        if register.hardware_writes:
            updated.append(f"      if (update_i.{register.name.lower()}_we) begin")
            for field in register.fields:
                name = register.member(field)
                updated.append(f"        config_o.{name} <= update_i.{name};")
            updated.append("      end")
    return _process(reset, _guarded("reg_wen_i", written) + updated)


def _pulse_process(block):
    pkg = "plumb_regs_pkg::" + camel(block.name)
    clear = ["      pulse_o <= '0;"]
    written, read = [], []
    for name, _, register, field in block.members("w1p"):
        label = f"{pkg}{camel(register.name)}Offset"
        written.append(f"        if (address == {label}) begin")
        written.append(f"          pulse_o.{name} <= reg_wdata_i[{field.lsb}];")
        written.append("        end")
    for register in block.registers:
        for flag, suffix, lines in ((register.write_pulse, "written", written),
                                    (register.read_pulse, "read", read)):
            if flag:
                label = f"{pkg}{camel(register.name)}Offset"
                lines.append(f"        pulse_o.{register.name.lower()}_{suffix} <= "
                             f"address == {label};")
    return _process(clear, clear + _guarded("reg_wen_i", written) + _guarded("reg_ren_i", read))


def _fault_process(block):
    pkg = "plumb_regs_pkg::" + camel(block.name)
    reset, written, raised = ["      fault_q <= '0;"], [], []
    for name, _, register, field in block.members("w1c"):
        label = f"{pkg}{camel(register.name)}Offset"
        written.append(f"        if (address == {label} && reg_wdata_i[{field.lsb}]) begin")
        written.append(f"          fault_q.{name} <= 1'b0;")
        written.append("        end")
        raised.append(f"      if (fault_i.{name}) fault_q.{name} <= 1'b1;")
    return _process(reset, _guarded("reg_wen_i", written) + raised)


def _guarded(enable, lines):
    """Decoding belongs to an access: a simulator has nothing to do without one."""
    return [f"      if ({enable}) begin", *lines, "      end"] if lines else []


def _process(reset, clocked):
    return ["  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin", "    if (!rst_ni) begin",
            *reset, "    end else begin", *clocked, "    end", "  end"]


def _port_list(groups):
    """Lines of a module's ports: (heading, [(direction, type, name, comment)]) of each group."""
    wires = {"input": "input  wire", "output": "output     "}
    column = max(len(kind) for _, ports in groups for _, kind, _, _ in ports)
    width = max(len(name) for _, ports in groups for _, _, name, _ in ports) + 1
    out = []
    for heading, ports in groups:
        out += [*([""] if out else []), f"  // {heading}"]
        for direction, kind, name, purpose in ports:
            last = (heading, ports) == groups[-1] and name == ports[-1][2]
            text = f"  {wires[direction]} {kind:<{column}} {name + (',' * (not last)):<{width}}"
            out.append(f"{text}  // {purpose}" if purpose else text.rstrip())
    return out


def decoder(block):
    module = f"plumb_regs_{block.name}"
    high = block.size.bit_length() - 2
    structs = _structs(block)
    present = {suffix for suffix, _, _, _ in structs}
    out = [
        f"// {NOTICE}",
        *comment(f"Registers of block {block.name}. {block.description}"),
        "//",
        *comment(BUS),
        *comment(CLASH),
    ]
    if "counters" in present:
        out += comment("Counters are latched all at one clock edge, the one that ends the clock of "
                       f"the pulse {block.snapshot}.")
    ports = [
        ("Clock, reset (active low)", [("input", "logic", "clk_i", ""),
                                       ("input", "logic", "rst_ni", "")]),
        ("Register bus", [
            ("input", f"logic [{high}:2]", "reg_addr_i", "word address within the block"),
            ("input", "logic", "reg_wen_i", "pulse: write"),
            ("input", "logic", "reg_ren_i", "pulse: read"),
            ("input", "logic [31:0]", "reg_wdata_i", "word to be written"),
            ("output", "logic [31:0]", "reg_rdata_o", "word that was read, one clock later")]),
        ("The block's fields", [
            (direction, f"plumb_regs_pkg::{block.name}_{suffix}_t", f"{suffix}_{direction[0]}",
             FIELDS[suffix])
            for suffix, direction, _, _ in structs]),
    ]
    out += ['`include "plumb_simulated.svh"', "", f"module {module} (", *_port_list(ports),
            ");", "", f"  logic [{high}:0] address;", "  assign address = {reg_addr_i, 2'b00};"]

    if "config" in present:
        out += ["", *_config_process(block)]
    if "pulse" in present:
        out += ["", *_pulse_process(block)]
    if "fault" in present:
        out += ["", f"  plumb_regs_pkg::{block.name}_fault_t fault_q;", *_fault_process(block)]
    if "counters" in present:
        out += ["", f"  plumb_regs_pkg::{block.name}_counters_t snapshot_q;",
                *_process(["      snapshot_q <= '0;"],
                          [f"      if (pulse_o.{block.snapshot}) snapshot_q <= counters_i;"])]

    read = ["        unique case (address)"]
    for label, value in _read_items(block):
        read += _case_item(label, value)
    read += ["          default: reg_rdata_o <= '0;", "        endcase"]
    out += ["", *_process(["      reg_rdata_o <= '0;"], _guarded("reg_ren_i", read)),
            "", "endmodule", ""]
    return "\n".join(out)
