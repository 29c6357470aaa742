package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"ialgn/internal/crew"
)

// guarded calls the function work and returns its exit status. If work panics, there is a bug in the program. guarded
// then writes a report that users can send to the developers, passes the failure to inObject, and returns exitFault.
func guarded(stderr io.Writer, inObject func(failure), work func() int) (code int) {
	defer func() {
		if value := recover(); value != nil {
			inObject(reportFault(stderr, value, debug.Stack()))
			code = exitFault
		}
	}()
	return work()
}

// reportFault writes the value and the stack of a panic. If the panic occurred in another goroutine, value contains
// its stack.
func reportFault(w io.Writer, value any, stack []byte) failure {
	if f, ok := value.(*crew.Fault); ok {
		value, stack = f.Value, f.Stack
	}
	f := failure{
		Message: fmt.Sprintf("internal error: %v", value), Status: exitFault,
		Hint: "please report this bug with the command line, the lines below and, if possible, the input files",
	}
	f.tell(w)
	fmt.Fprintf(w, "ialgn %s, %s, %s/%s\n%s\n", fullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		bytes.TrimSpace(stack))
	return f
}
