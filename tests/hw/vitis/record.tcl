# Carries package.tcl out with commands that only record: tclsh record.tcl <package.tcl> <directory>
# prints each of Vivado's commands as a line, its words separated by tabs. What get_bd_* finds is its
# kind and name, and every other command returns nothing.
lassign $argv script directory
set argv [list $directory]

proc unknown {args} {
  set kinds {get_bd_pins pin get_bd_ports port get_bd_cells cell get_bd_intf_pins bus
             get_bd_intf_ports bus_port}
  if {[dict exists $kinds [lindex $args 0]]} {
    return [dict get $kinds [lindex $args 0]]:[lindex $args end]
  }
  puts [join [lmap word $args {string map {\n { } \t { }} $word}] \t]
  return {}
}

source $script
foreach {pin constant why} $constant_pins {
  puts [join [list constant $pin $constant $why] \t]
}
