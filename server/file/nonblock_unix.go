//go:build unix

package file

import "syscall"

// nonblock lets the opening of a pipe that nobody writes return at once.
const nonblock = syscall.O_NONBLOCK
