// Package ialgn trains logic gate networks, compiles them into hardware, and proves that the hardware computes what was
// trained.
//
// A [Model] comes out of [Train] or [Open]. Its [Classifier] classifies samples; [Compile] makes a [Design] of it,
// which [Design.Write] puts into a folder with Verilog, testbench and report; [Verify] holds that folder to the model
// and returns a [Certificate]; and [Synthesise] takes it to a bitstream:
//
//	data --Train--> Model --Compile--> Design --Write--> folder --Synthesise--> bitstream
//	                  |                   \--Verify--> Certificate
//	                  \--Classifier--> classes and counts
//
// Options are plain structs whose zero value means the defaults. Nothing here prints or reads the command line; long
// work tells how it is going by functions in its options, and ends with its context. Errors say what is wrong in the
// words of this package; [Hint] returns how to mend one, where that is known.
//
// External programs (iverilog, yosys, abc, nextpnr) are used where a check or a synthesis needs them. A missing one is
// an error with the Debian package that has it.
package ialgn

import "ialgn/internal/message"

// Version is what manifests and headers say made them.
const Version = "0.1.0"

// Hint returns how to mend what an error reports, empty if that is not known.
func Hint(err error) string { return message.Hint(err) }
