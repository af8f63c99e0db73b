package code

import "golang.org/x/sys/unix"

// confine lowers what this process may use, for good. This system bounds a process's
// memory loosely; there the garbage collector's limit and the deadline do it.
func confine() error {
	return lower([]limit{
		{unix.RLIMIT_DATA, uint64(mostMemory)},
		{unix.RLIMIT_CPU, uint64(mostCPU.Seconds())},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, 3},
	})
}
