//go:build !linux

package doctor

// NetworkFileSystem knows the file systems of Linux only.
func NetworkFileSystem(string) (name string, yes bool) { return "", false }

// FreeBytes knows the file systems of Linux only.
func FreeBytes(string) (int64, bool) { return 0, false }
