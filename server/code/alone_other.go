//go:build !unix

package code

import (
	"os"
	"os/exec"
)

// alone is for systems that have groups of processes.
func alone(*exec.Cmd) {}

// killed is for systems that tell of it.
func killed(*os.ProcessState) bool { return false }
