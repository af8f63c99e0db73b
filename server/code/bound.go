package code

import (
	"fmt"
	"time"

	"elowen/shared/setting"
)

// The bounds of a run, from the one table.
var (
	mostScript  = setting.Int("code.script")
	mostPrinted = setting.Int("code.printed")
	mostLine    = setting.Int("code.line")
	mostCalls   = setting.Int("code.calls")
	mostAtOnce  = setting.Int("code.callsAtOnce")
	mostMemory  = setting.Int("code.memory")
	mostCPU     = time.Duration(setting.Int("code.cpuSeconds")) * time.Second
	mostTime    = time.Duration(setting.Int("code.seconds")) * time.Second
)

// mostError bounds what is told of a script's own error, in bytes.
const mostError = 4 << 10

// mostDepth is how deep functions may call each other.
const mostDepth = 2_000

// mostStack bounds the interpreter's own stack, in bytes.
const mostStack = 64 << 20

// What ended a script that a bound ended.
var (
	overTime    = fmt.Sprintf("The script did not end within %d seconds and was stopped. Do less in one script.", int(mostTime.Seconds()))
	overCPU     = "The script computed for too long and was stopped. Look for an endless loop, or a regular expression that goes back too often."
	overMemory  = fmt.Sprintf("The script needed more memory than the %d MB that it may have and was stopped. Work in smaller pieces.", mostMemory>>20)
	overDepth   = "The script calls itself too deeply and was stopped. Look for a recursion that never ends, or write it as a loop."
	overPrinted = fmt.Sprintf("The script printed more than %d bytes and was stopped there. Print only what is needed: filter, count or cut first.", mostPrinted)
	overCalls   = fmt.Sprintf("The script called tools more than %d times and was stopped.", mostCalls)
	deadlock    = "The script awaits a promise that nothing will ever settle. There are no timers here; only calls of tools settle by themselves."
	broken      = "The script's process ended without a word. What it did can't be done here; write it another way."
)
