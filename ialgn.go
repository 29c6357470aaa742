// Package ialgn trains logic gate networks, compiles them into hardware, and proves that the hardware computes the
// same function as the trained network.
//
// [Train] or [Open] returns a [Model]. [Model.Classifier] returns a [Classifier], which classifies samples in
// software. [Compile] turns the model into a [Design], and [Design.Write] writes the design into a folder: Verilog,
// testbench and report. [Verify] compares the design with the model and returns a [Certificate]. [Synthesise] makes
// a bitstream from the folder:
//
//	data --Train--> Model --Compile--> Design --Write--> folder --Synthesise--> bitstream
//	                  |                   \--Verify--> Certificate
//	                  \--Classifier--> classes and counts
//
// Options are plain structs. The zero value of a field selects the default. No function prints anything or reads the
// command line. Long operations report their progress to callback functions in their options, and stop when their
// context ends. Error messages use the names in this package. [Hint] returns advice on how to fix an error, if there
// is any.
//
// Some checks and every synthesis run external programs (iverilog, yosys, abc, nextpnr). If a program is missing,
// the error names the Debian package that contains it.
package ialgn

import "ialgn/internal/message"

// Version is the version of ialgn that manifests and file headers record.
const Version = "0.1.0"

// Hint returns advice on how to fix err, or "" if there is none.
func Hint(err error) string { return message.Hint(err) }
