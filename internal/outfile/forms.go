package outfile

import (
	"bytes"
	"regexp"
)

// Form is a kind of file that ialgn writes. A form is recognised by the beginning of the file.
type Form struct {
	name string // name of the form with an article
	is   func(head []byte) bool
}

// These are the forms. Each is recognised by marks near the beginning of the file. A file is still recognised if its
// end is missing or if it was edited after the marks.
var (
	// ModelForm is a model file of package model. Checkpoints have the same form.
	ModelForm = Form{"a model file", func(head []byte) bool {
		return len(head) > 8 && bytes.HasPrefix(head[8:], []byte(`{"__metadata__":`)) &&
			bytes.Contains(head, []byte(`"format":"ialgn-model"`))
	}}
	// Log is a file to which train --log appends.
	Log = matching("a training log", `^\{"time":"[^"]*",("seed":[0-9]+,)?"epoch":[0-9]+,"learning_rate":`)
	// LogTable is a training log in CSV.
	LogTable = matching("a training log in CSV", `^run,seed,time,epoch,learning_rate,`)
	// Page is a page written by report or watch.
	Page = matching("a page", `^<!DOCTYPE html>.*<meta name="generator" content="ialgn `)
	// Dump is a value change dump.
	Dump = matching("a value change dump", `^\$version ialgn \$end`)
	// Activity is written by sim --activity.
	Activity = matching("a report of activity", `^\{"what":"zero-delay transitions [^"]*","samples":`)
	// SVG and PNG are the formats of a chart.
	SVG = matching("a chart", `^<svg xmlns="http://www.w3.org/2000/svg" [^>]* role="img" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`)
	PNG = Form{"a chart", func(head []byte) bool {
		return bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) &&
			bytes.Contains(head[:min(len(head), 200)], []byte(PNGMark))
	}}
	// Certificate is written by verify into a folder made by compile.
	Certificate = matching("a certificate", `^\{\s*"format": [0-9]+,\s*"ialgn": "[^"]*",\s*"time": "`)
	// Table, Values and Result are files that experiment writes. Sweep is the table of values that sweep writes. Job
	// is a job for a cluster, which both commands write.
	Table  = matching("a table of an experiment", "^# .*Made by `ialgn (experiment|sweep) ")
	Sweep  = matching("a table of a sweep", `^name,seeds,([a-z0-9_.]+,)*test_accuracy_mean,`)
	Values = matching("a table of an experiment",
		`^(name,(data,width,depth,deployed_gates,network|network,data,width,depth)|data,classifier,class),`)
	Result = matching("a result", `^\{\s*"model": "[^"]*",\s*"model_sha256": "`)
	Job    = matching("a job", "^(#!/bin/bash\n)?# [^\n]* Made by `ialgn (experiment|sweep) ")
	// Search, Chosen and Front are written by the command fit. Search is the state of a search, Chosen is a
	// configuration, and Front lists the networks that were found.
	Search = matching("a search", `^\{\s*"format": [0-9]+,\s*"asked": \{\s*"keys":`)
	Chosen = matching("a configuration of fit", "^# Chosen by `ialgn fit`")
	Front  = matching("a front", `^budget,luts,gates,head,encoder,validation,accuracy,`)
	// Man is a man page.
	Man = matching("a man page", "^[.]\\\\\" Made by `ialgn man`")
	// Circuit is written by export for torchlogix. Files that torchlogix writes have the keys in a different order.
	Circuit = matching("a circuit of export", `^\{"n_inputs": [0-9]+, "input_shape": \[[0-9, ]*\], "gates":`)
	// Any matches no existing file.
	Any = Form{"a file", func([]byte) bool { return false }}
)

// PNGMark is the text entry of a PNG that names the program.
const PNGMark = "Software\x00ialgn"

// matching returns a form that a regular expression defines. In the expression, a point also matches line breaks.
func matching(name, expression string) Form {
	return Form{name, regexp.MustCompile(`(?s)` + expression).Match}
}
