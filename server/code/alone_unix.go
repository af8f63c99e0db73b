//go:build unix

package code

import (
	"os"
	"os/exec"
	"syscall"
)

// alone makes a child the head of a group of its own: signals from a terminal don't
// reach it, and all of it is killed at once.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}
