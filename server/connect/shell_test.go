package connect

import (
	"os/exec"
	"testing"
)

// What is written for a shell comes out of it as it was.
func TestShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	for _, s := range []string{"", "/plain/path", "with space", "it's", "$HOME", "`id`", `a"b\\c`, "~/x", "*", "-n", "a\nb", "ä;&|<>"} {
		out, err := exec.Command(sh, "-c", "printf %s "+Shell(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q became %q: %v", s, out, err)
		}
	}
}
