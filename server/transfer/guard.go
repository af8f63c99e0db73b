package transfer

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"elowen/shared/fault"
)

// guard runs a part of an import that has a goroutine of its own: what panics there, on
// a line that somebody sent, would end the server for all. It is fault.Internal instead,
// with the stack in the log.
func guard(log *slog.Logger, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("an import panicked", "panic", p, "stack", string(debug.Stack()))
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
		}
	}()
	return work()
}
