//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpu is the CPU time that this process has taken, of all its threads, user and
// system.
func cpu() time.Duration { return usage(syscall.RUSAGE_SELF) }

// childrenCPU is that of the processes that it started and that have ended.
func childrenCPU() time.Duration { return usage(syscall.RUSAGE_CHILDREN) }

func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
