//go:build !unix

package file

// nonblock is for systems whose folders have pipes in them.
const nonblock = 0
