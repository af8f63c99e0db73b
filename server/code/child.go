package code

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// Argument is what the program is started with, alone, to be a child.
const Argument = "code-child"

// Child is called first of all in a program that a Sandbox starts. Where the program was
// started as a child it runs the script and never returns; else it does nothing.
func Child() {
	if len(os.Args) == 2 && os.Args[1] == Argument {
		os.Exit(child(os.Stdin, os.Stdout))
	}
}

// The child's exit codes.
const (
	exitDone = 0
	exitBad  = 3 // the parent is gone, or speaks another language
)

func child(in io.Reader, out io.Writer) int {
	time.Local = time.UTC // else the first date opens a file
	runtime.GOMAXPROCS(1)
	debug.SetMaxStack(mostStack)
	debug.SetMemoryLimit(int64(mostMemory) / 4 * 3)
	debug.SetTraceback("none")
	if err := confine(); err != nil {
		os.Stderr.WriteString("confine: " + err.Error())
		return exitBad
	}
	return serve(in, out, func() { os.Exit(exitBad) })
}

// serve runs the one script that comes in. gone is called once in has ended.
func serve(in io.Reader, out io.Writer, gone func()) int {
	// Never full, so that the end of in is always seen.
	orders := make(chan order, mostCalls+2)
	go func() {
		defer gone()
		defer close(orders)
		n := 0
		_ = read(in, func(o order) error {
			if n++; n > cap(orders) {
				return errLine
			}
			orders <- o
			return nil
		})
	}()
	first, ok := <-orders
	if !ok {
		return exitBad
	}
	s := newScript(&lines{w: out}, first.Tools)
	how := s.run(first.Script, orders)
	if s.out.write(event{End: true, Error: how.said, Thrown: how.thrown}) != nil {
		return exitBad
	}
	return exitDone
}
