// Package flow drives the programs that synthesise, place and route a design: yosys, nextpnr, the tools of
// Project IceStorm, and Vivado. Each driver takes files and returns the results that the program reports.
package flow
