package browser

import (
	"sync"
	"time"
)

// SteadyTimers keeps Go's scheduler from oversleeping in the browser.
//
// When nothing is left to do, the scheduler asks its timers when to wake up. Where
// more than a quarter of them have been stopped (each context with a deadline, each
// debounced key press leaves one), that answer leaves out a timer that was set to an
// earlier time and isn't the first of its heap (runtime.timers.check with force, Go
// 1.26). A native program has other occasions to notice; in the browser the page then
// stands still until the next event: go-app's frame, which is such a timer, isn't
// drawn. With many timers that sleep for good, a quarter of them is never reached,
// and the stopped ones are swept with every frame.
var SteadyTimers = sync.OnceFunc(func() {
	if !In {
		return
	}
	const many, forever = 512, 1 << 62
	for range many {
		time.AfterFunc(forever, func() {})
	}
})
