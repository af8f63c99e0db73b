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

// killed tells whether a child was killed, and didn't end by itself.
func killed(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	how, ok := state.Sys().(syscall.WaitStatus)
	return ok && how.Signaled() && (how.Signal() == syscall.SIGKILL || how.Signal() == syscall.SIGXCPU)
}
