//go:build linux || darwin

package code

import "golang.org/x/sys/unix"

// limit is how much of a resource a process may use at most.
type limit struct {
	resource int
	most     uint64
}

// lower sets limits that can't be raised again. One that is lower already stays.
func lower(limits []limit) error {
	for _, l := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.resource, &now); err != nil {
			return err
		}
		most := min(l.most, uint64(now.Max))
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}
