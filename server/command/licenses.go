package command

import (
	"fmt"
	"io"
	"runtime/debug"
)

type licensesCommand struct{}

// local: it looks at the program, not at a store.
func (c *licensesCommand) local() {}

// Run implements the command.
func (c *licensesCommand) Run(r *run) error {
	info, _ := debug.ReadBuildInfo()
	return r.show(info.Deps, func(w io.Writer) {
		for _, m := range info.Deps {
			fmt.Fprintln(w, m.Path, m.Version)
		}
	})
}
