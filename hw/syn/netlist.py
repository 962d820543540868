"""A mapped netlist as Yosys writes it (BLIF): how many cells of what kind, and its longest path
between registers, through the modules in it if they are kept.

A path goes from a register, a block of RAM or a pin of the module through cells without a clock to
another one. Each cell on it counts one, but a carry chain one however long: going on over its carry
pin costs nothing. A DSP counts one, for Yosys 0.23 puts no registers into those of UltraScale+.

The carry of a path is the number of CARRY8 on it, of all its chains together. Yosys maps to CARRY4:
two of them in a row are one CARRY8, and what remains of a chain is one more.
"""

import collections
import re

# What a signal passes through without a clock: kind, pins it comes in by, pins it goes out by.
# Distributed RAM and shift registers are written by the clock and read at once. Each port of a
# distributed RAM is read by an address of its own (ADDRC of DOC, DPRA of DPO), so it is a line of
# its own: the address of the port that writes (the last one, A) reaches no other port's data.
COMBINATIONAL = [
    (re.compile(kind), re.compile(inputs), re.compile(outputs)) for kind, inputs, outputs in [
        (r"LUT|INV|MUXF|CARRY", r"", r"(O|CO|O5|O6)(\[|$)"),
        *((r"RAM(32|64|128|256|512)", rf"ADDR{port}(\[|$)", rf"DO{port}(\[|$)") for port in "ABCDEFGH"),
        (r"RAM(32|64|128|256|512)", r"DPRA\d*(\[|$)", r"DPO(\[|$)"),
        (r"RAM(32|64|128|256|512)", r"A\d*(\[|$)", r"(SPO|O)(\[|$)"),
        (r"SRL", r"A\d*(\[|$)", r"Q(\[|$)"),
        (r"DSP", r"", r"(P|PCOUT|CARRYOUT)(\[|$)"),
    ]
]

# Of these a path that writes them ends there as well.
WRITTEN = ("RAM", "SRL")

OUTPUT = ".outputs"
CONSTANTS = ("$false", "$true", "$undef")


def read(lines):
    """Modules of a netlist: name -> cells, each its kind and (pin, net) of its pins. A net that has
    two names is a cell of no kind, an output of the module one of kind OUTPUT."""
    modules = {}
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == ".model":
            cells = modules[words[1]] = []
        elif words[0] == ".outputs":
            cells += [(OUTPUT, [("from", net)]) for net in words[1:]]
        elif words[0] in (".subckt", ".gate"):
            cells.append((words[1], [word.split("=", 1) for word in words[2:]]))
        elif words[0] == ".names" and len(words) == 3:   # with fewer it is a constant
            cells.append(("", [("from", words[1]), ("to", words[2])]))
    return modules


def plain_name(module):
    """Name in the RTL of a module that Yosys has named after its parameters too."""
    return module.rpartition("\\")[2]


def every_bit(net):
    """Name of a register without the number of its bit, nor those of instances in a row."""
    return re.sub(r"\[\d+\]", "", net)


def by_length(step):
    """Of (length, net): of two alike the one whose net has a name in the RTL."""
    length, net = step
    return length, "$" not in net


class Netlist:
    """Of a module and all that is in it; modules are those of read().

    cells: kind -> how many. levels: cells on the longest path. carry: CARRY8 on the path that has
    most of them. Throws ValueError at a loop."""

    def __init__(self, modules, top):
        self.cells = collections.Counter()
        self._kinds = []        # of combinational cells, by number
        self._inputs = []       # their (pin, net)
        self._outputs = []      # their nets
        self._drivers = {}      # net -> combinational cell
        self._other_name = {}   # net -> the net that it is
        self._sinks = collections.defaultdict(list)   # net -> where a path over it ends: a register's
                                                      # output, a kind of cell, the module's output
        self._add(modules, top, "", {})
        self._depths()
        self.levels = max(self._depth, default=0)
        self.carry = (max(self._carry, default=0) + 1) // 2

    def total(self, *prefixes):
        """Cells of these kinds."""
        return sum(n for kind, n in self.cells.items() if kind.startswith(prefixes))

    def longest(self):
        """The nets on the longest path that have a name in the RTL, from its first to its last."""
        return self._path(self._depth, self._through)

    def most_carry(self):
        """The same of the path with most CARRY8."""
        return self._path(self._carry, self._carry_through)

    def above(self, levels):
        """All paths of more than that many levels: {where they end: {where they begin: levels of the
        longest}}. Registers are told apart by their names, not by their bits."""
        ends = collections.defaultdict(lambda: collections.defaultdict(int))
        for cell, depth in enumerate(self._depth):
            sinks = {every_bit(sink) for net in self._outputs[cell] if depth > levels
                     for sink in self._sinks.get(net, [])}
            for start, length in self._starts(cell, levels).items() if sinks else ():
                for sink in sinks:
                    ends[sink][start] = max(ends[sink][start], length)
        return ends

    def _starts(self, last, levels):
        """{where a path of more than that many levels to this cell begins: levels of the longest}."""
        starts = collections.defaultdict(int)
        behind = {last: 0}      # cell -> levels behind it, on the longest way
        waiting = [last]
        while waiting:
            cell = waiting.pop()
            for pin, net in self._inputs[cell]:
                before = self._driver(net)
                length = behind[cell] + (0 if self._goes_on(before, cell, pin) else 1)
                if before is None:
                    if length > levels and net not in CONSTANTS:
                        starts[every_bit(net)] = max(starts[every_bit(net)], length)
                elif self._depth[before] + length > levels and length > behind.get(before, -1):
                    behind[before] = length
                    waiting.append(before)
        return starts

    def _path(self, lengths, through):
        """Nets with a name on the path to the cell of the largest length."""
        if not lengths:
            return []
        cell = lengths.index(max(lengths))
        nets = [sink for net in self._outputs[cell] for sink in self._sinks.get(net, [])][:1]
        while cell is not None:
            net = through[cell]
            nets.append(net)
            cell = self._driver(net)
        return [net for net in reversed(nets) if net and "$" not in net]

    def _add(self, modules, module, path, outside):
        """Cells of a module that is in the place `path`; outside: its pins -> nets there."""
        for number, (kind, pins) in enumerate(modules[module]):
            nets = [(pin, outside.get(net, path + net)) for pin, net in pins]
            if kind in modules:
                place = f"{path}{plain_name(kind)}_{number}."
                self._add(modules, kind, place, dict(nets))
            elif kind == OUTPUT:
                if not path:
                    self._sinks[nets[0][1]].append(nets[0][1])
            elif kind:
                self._cell(kind, nets)
            else:
                (_, net), (_, other) = nets
                self._other_name[other] = net

    def _cell(self, kind, pins):
        self.cells[kind] += 1
        through = [(inputs, outputs) for kinds, inputs, outputs in COMBINATIONAL
                   if kinds.match(kind)]
        for inputs, outputs in through:
            if any(outputs.match(pin) for pin, _ in pins):
                self._pass(kind, pins, inputs, outputs)
        if not through or kind.startswith(WRITTEN):
            # Where a path ends is best told by the register's output; pins of others by their kind.
            name = dict(pins).get("Q", kind) if kind.startswith("FD") else kind
            for _, net in pins:
                self._sinks[net].append(name)

    def _pass(self, kind, pins, inputs, outputs):
        """What a cell passes on, from these pins of it to those."""
        number = len(self._kinds)
        outs = [net for pin, net in pins if outputs.match(pin)]
        self._kinds.append("CARRY" if kind.startswith("CARRY") else kind)
        self._inputs.append([(pin, net) for pin, net in pins
                             if not outputs.match(pin) and inputs.match(pin)])
        self._outputs.append(outs)
        for net in outs:
            self._drivers[net] = number

    def _driver(self, net):
        """The combinational cell that drives a net, or None."""
        while net in self._other_name:
            net = self._other_name[net]
        return self._drivers.get(net)

    def _depths(self):
        """Without recursion: a carry chain is deeper than Python's stack."""
        self._depth = [0] * len(self._kinds)        # 0: not known yet, -1: being worked out
        self._through = [None] * len(self._kinds)   # the net by which the longest path comes in
        self._carry = [0] * len(self._kinds)        # CARRY4 on the path with most of them
        self._carry_through = [None] * len(self._kinds)
        for first in range(len(self._kinds)):
            stack = [first]
            while stack:
                cell = stack[-1]
                before = {self._driver(net) for _, net in self._inputs[cell]} - {None}
                waiting = [driver for driver in before if self._depth[driver] <= 0]
                if self._depth[cell] > 0 or not waiting:
                    stack.pop()
                    self._depth[cell], self._through[cell] = max(
                        (self._step(cell, pin, net) for pin, net in self._inputs[cell]),
                        key=by_length, default=(1, None))
                    self._carry[cell], self._carry_through[cell] = max(
                        (self._carry_step(cell, pin, net) for pin, net in self._inputs[cell]),
                        key=by_length, default=(0, None))
                elif any(self._depth[driver] < 0 for driver in waiting):
                    raise ValueError(f"a loop through {self._outputs[cell][0]}")
                else:
                    self._depth[cell] = -1
                    stack += waiting

    def _goes_on(self, before, cell, pin):
        """The carry chain of the cell before goes on in this one."""
        return (pin == "CI" and before is not None and
                self._kinds[cell] == self._kinds[before] == "CARRY")

    def _step(self, cell, pin, net):
        """(depth of the cell over this pin, net)."""
        before = self._driver(net)
        if before is None:
            return 1, net
        return self._depth[before] + (0 if self._goes_on(before, cell, pin) else 1), net

    def _carry_step(self, cell, pin, net):
        """(CARRY4 up to the cell over this pin, net). A chain that ends fills up its last CARRY8."""
        before = self._driver(net)
        own = 1 if self._kinds[cell] == "CARRY" else 0
        if before is None:
            return own, net
        carry = self._carry[before]
        return (carry if self._goes_on(before, cell, pin) else carry + carry % 2) + own, net
