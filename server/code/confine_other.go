//go:build !linux && !darwin

package code

import "errors"

// confine refuses: a script that nothing bounds is not run.
func confine() error { return errors.New("this system can't bound a process") }
