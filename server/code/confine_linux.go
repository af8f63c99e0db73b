package code

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// confine lowers what this process may use, for good. What it uses already, most of it
// addresses that Go only keeps for itself, comes on top.
func confine() error {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	fields := bytes.Fields(text)
	if len(fields) < 6 {
		return unix.EINVAL
	}
	page := uint64(os.Getpagesize())
	size, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil {
		return err
	}
	data, err := strconv.ParseUint(string(fields[5]), 10, 64)
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return lower([]limit{
		{unix.RLIMIT_DATA, data*page + uint64(mostMemory)},
		{unix.RLIMIT_AS, size*page + 2*uint64(mostMemory)},
		{unix.RLIMIT_CPU, uint64(mostCPU.Seconds())},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, 3}, // what is open stays so, and nothing comes to it
	})
}
