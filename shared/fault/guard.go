package fault

import (
	"fmt"
	"runtime/debug"
)

// Guarded runs what runs on a goroutine of its own, or is called by one that nobody
// else guards: there a panic would end the whole program. One becomes an Internal
// error, with the stack in its text for logs; nobody outside is told of it.
func Guarded(run func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Wrap(Internal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "")
		}
	}()
	run()
	return nil
}
