package text

import (
	"testing"

	"elowen/shared/api"
)

// A command stands as a shell reads it, wherever elowen and its data are.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		at   api.Terminal
		args []string
		want string
	}{
		{api.Terminal{Program: "elowen"}, []string{"connect", "cursor", "--user", "ann"}, "elowen connect cursor --user ann"},
		{api.Terminal{Program: "/opt/elowen/bin/elowen", Data: "/srv/elowen"}, []string{"admin", "vacuum"}, "/opt/elowen/bin/elowen admin vacuum --data /srv/elowen"},
		{api.Terminal{Program: "/home/ann/my programs/elowen", Data: "/home/ann/it's here"}, []string{"admin", "restore", "/b/x y"}, `'/home/ann/my programs/elowen' admin restore '/b/x y' --data '/home/ann/it'\''s here'`},
	} {
		if got := Command(c.at, c.args...); got != c.want {
			t.Errorf("%+v: %s, want %s", c.at, got, c.want)
		}
	}
	for kind, want := range map[string]string{
		api.ConnectElowen: `'/a "b"/elowen'`, api.ConnectTerminal: `'/a "b"/elowen'`, api.ConnectConfig: `/a \"b\"/elowen`, api.ConnectCommand: `/a \"b\"/elowen`,
	} {
		if got := ConnectQuoted(kind, `/a "b"/elowen`); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

// What an import added was saved by nobody's hand.
func TestWhatAnImportAdded(t *testing.T) {
	for _, c := range []struct{ action, reason, want string }{
		{"add", "", "saved it"},
		{"add", "because", "saved it"},
		{"add", api.ReasonImported, "brought it in with an import"},
		{"add", api.ReasonImportedFrom + "ChatGPT", "brought it in from ChatGPT"},
		{"update", api.ReasonImported, "changed"},
	} {
		if got := EventWhat(api.Event{Action: c.action, Reason: c.reason}); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
