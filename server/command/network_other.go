//go:build !linux

package command

// networkFileSystem knows the file systems of Linux only.
func networkFileSystem(string) (name string, yes bool) { return "", false }

// freeBytes knows the file systems of Linux only.
func freeBytes(string) (int64, bool) { return 0, false }
