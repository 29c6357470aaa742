package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"ialgn/internal/crew"
)

// guarded does the work and returns its exit status. A panic is a fault of the program, whatever it was
// given: it is told in a form that can be reported, with an exit status that means nothing else. inObject is told, too.
func guarded(stderr io.Writer, inObject func(failure), work func() int) (code int) {
	defer func() {
		if value := recover(); value != nil {
			inObject(reportFault(stderr, value, debug.Stack()))
			code = exitFault
		}
	}()
	return work()
}

// reportFault tells what a panic was, and where. One of a goroutine brings its own stack.
func reportFault(w io.Writer, value any, stack []byte) failure {
	if f, ok := value.(*crew.Fault); ok {
		value, stack = f.Value, f.Stack
	}
	f := failure{
		Message: fmt.Sprintf("fault of the program itself: %v", value), Status: exitFault,
		Hint: "report this, with the command line, the lines below and, if you may pass them on, its input files",
	}
	f.tell(w)
	fmt.Fprintf(w, "ialgn %s, %s, %s/%s\n%s\n", fullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		bytes.TrimSpace(stack))
	return f
}
