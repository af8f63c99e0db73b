package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"elowen/server/account"
	"elowen/server/connect"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type connectCommand struct {
	Client  string `arg:"" help:"One of ${clients}."`
	DryRun  bool   `help:"Show what would be changed, and change nothing."`
	Remove  bool   `help:"Take elowen out of the client's config again."`
	NoCheck bool   `help:"Don't ask whether the server takes the token, or whether there is such an account."`
	Server  string `placeholder:"URL" help:"Connect to the elowen server there, with a token, instead of to the data directory of this machine."`
	Token   string `placeholder:"elw_…" help:"Token that the client acts with. Better given as the variable ELOWEN_TOKEN."`
	User    string `placeholder:"NAME" help:"Account whose memories they are; without, the only one there is. Of a data directory."`
	File    string `placeholder:"FILE" help:"The client's config, where it isn't in its usual place."`
}

// local: it changes a file of who calls it.
func (c *connectCommand) local() {}

// connected is what the command did, or would do.
type connected struct {
	Client  string `json:"client"`
	File    string `json:"file"`
	Changed bool   `json:"changed"` // it is another one than before, or would be
	Written bool   `json:"written"`
	Diff    string `json:"diff"`   // of the config, without what may be a secret
	Backup  string `json:"backup"` // where what was there before is kept; empty: nowhere
}

// Run implements the command.
func (c *connectCommand) Run(r *run) error {
	client, err := connect.Find(c.Client)
	if err != nil {
		return err
	}
	path, err := c.file(r, client)
	if err != nil {
		return err
	}
	file, err := connect.Open(path)
	if err != nil {
		return err
	}
	change, err := c.change(r, client, file.Text)
	if err != nil {
		return err
	}
	done := connected{Client: client.ID, File: path, Changed: !change.Same(), Diff: change.Diff(path)}
	if done.Changed && !r.json {
		say(r.Stdout, func(w io.Writer) { fmt.Fprintln(w, done.Diff) }) // before it is done
	}
	if done.Changed && !c.DryRun {
		if done.Backup, err = file.Write(change); err != nil {
			return err
		}
		done.Written = true
	}
	return r.show(done, func(w io.Writer) { c.tell(w, client, done) })
}

// file is the client's config.
func (c *connectCommand) file(r *run, client connect.Client) (string, error) {
	if c.File != "" {
		return r.path(c.File), nil
	}
	place := connect.Place{OS: runtime.GOOS, Env: r.Env}
	place.Home, _ = r.Env("HOME")
	place.AppData, _ = r.Env("APPDATA")
	if profile, ok := r.Env("USERPROFILE"); ok && runtime.GOOS == "windows" {
		place.Home = profile
	}
	return client.File(place)
}

// change is what becomes of the config.
func (c *connectCommand) change(r *run, client connect.Client, config []byte) (connect.Change, error) {
	if c.Remove {
		return client.Unset(config)
	}
	if c.Token != "" && (!strings.HasPrefix(c.Token, account.TokenPrefix) || strings.ContainsFunc(c.Token, unusual)) {
		return connect.Change{}, fault.New(fault.Invalid, "The token must be one of elowen's: "+account.TokenPrefix+"…")
	}
	executable, err := os.Executable()
	if err != nil {
		return connect.Change{}, fault.Wrap(fault.Internal, err, "Where elowen itself is can't be found out: "+err.Error())
	}
	if real, err := filepath.EvalSymlinks(executable); err == nil && runtime.GOOS == "windows" {
		executable = real // elsewhere a link may lead to the newest version
	}
	if c.Server == "" {
		if r.absent() {
			return connect.Change{}, fault.Newf(fault.NotFound, "There is no elowen database in %s, so nothing would be remembered there. Name the directory with --data; to begin one there, start `elowen serve --data %s` and make an account; or connect to a server with --server URL and a token.",
				r.data, connect.Shell(r.data))
		}
		if !c.NoCheck && c.Token == "" {
			if err := c.person(r); err != nil {
				return connect.Change{}, err
			}
		}
		entry := client.Local(executable, r.data, c.User)
		entry.Token = c.Token
		return client.Set(config, entry)
	}
	at := mcpCommand{Server: c.Server, Token: c.Token}
	address, err := at.address()
	if err != nil {
		return connect.Change{}, err
	}
	if c.User != "" {
		return connect.Change{}, fault.New(fault.Invalid, "Of a server, the token says whose memories they are. Leave --user out.")
	}
	if !c.NoCheck {
		if err := greet(r.ctx, strings.TrimSuffix(address, api.PathMCP), c.Token); err != nil {
			return connect.Change{}, err
		}
	}
	return client.Set(config, client.Remote(strings.TrimSuffix(address, "/mcp"), c.Token, executable))
}

// person makes sure that it is clear whose memories they are, as elowen mcp finds it out
// when the client starts it: there nobody would read why it isn't.
func (c *connectCommand) person(r *run) error {
	var out, said bytes.Buffer
	asking := *r.System
	asking.Stdin, asking.Stdout, asking.Stderr, asking.Line = strings.NewReader(""), &out, &said, nil
	if asking.Run(r.ctx, []string{"admin", "user", "list", "--json", "--data", r.data}) != exitDone {
		return fault.New(fault.Unavailable, "Whose memories are in "+r.data+" can't be found out: "+strings.TrimSpace(said.String())+". Nothing was written; --no-check writes without asking.")
	}
	var people []api.Person
	if err := json.Unmarshal(out.Bytes(), &people); err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	var names []string
	for _, p := range people {
		switch {
		case c.User != "" && !strings.EqualFold(c.User, p.Name):
		case p.Disabled && c.User != "":
			return fault.New(fault.Forbidden, "The account "+p.Name+" is disabled.")
		case !p.Disabled:
			names = append(names, p.Name)
		}
	}
	switch {
	case c.User != "" && len(names) == 0:
		return fault.Newf(fault.NotFound, "There is no account %q in %s. Nothing was written; --no-check writes without asking.", c.User, r.data)
	case len(names) > 1:
		return fault.Newf(fault.Invalid, "There are several accounts: %s. Name yours with --user NAME.", strings.Join(names, ", "))
	}
	return nil
}

// unusual is true of what no token has.
func unusual(c rune) bool {
	return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && c != '-'
}

// tell says what was done.
func (c *connectCommand) tell(w io.Writer, client connect.Client, done connected) {
	switch {
	case !done.Changed && c.Remove:
		fmt.Fprintf(w, "Elowen isn't in %s. Nothing was changed.\n", done.File)
	case !done.Changed:
		fmt.Fprintf(w, "%s has it so already. Nothing was changed.\n", done.File)
	case !done.Written:
		fmt.Fprintf(w, "Nothing was written. Without --dry-run, %s is changed so.\n", done.File)
	default:
		fmt.Fprintf(w, "Written to %s.\n", done.File)
		if done.Backup != "" {
			fmt.Fprintf(w, "What was there before is in %s.\n", done.Backup)
		}
		if c.Remove {
			fmt.Fprintf(w, "Start %s again, and it forgets of elowen. A token that it had is still good: revoke it in the app.\n", client.Name)
			return
		}
		fmt.Fprintf(w, "Start %s again. It shows whether it is connected under: %s\n", client.Name, client.Look())
	}
}
