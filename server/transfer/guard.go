package transfer

import (
	"log/slog"

	"elowen/shared/fault"
)

// guard runs a part of an import that has a goroutine of its own: what panics there, on
// a line that somebody sent, would end the server for all. It is fault.Internal instead,
// with the stack in the log.
func guard(log *slog.Logger, work func() error) (err error) {
	if panicked := fault.Guarded(func() { err = work() }); panicked != nil {
		log.Error("an import panicked", "error", panicked)
		return panicked
	}
	return err
}
