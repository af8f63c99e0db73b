package remote

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpguts"

	"elowen/server/account"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func flag(on bool) int64 {
	if on {
		return 1
	}
	return 0
}

var errBoth = fault.BadField("kind", "excluded", "", "A server over HTTP has an address; a program has a command and arguments.")

// nameForm is how names are written: they are a part of names of tools.
var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// settle judges and normalizes a server.
func (r *row) settle() error {
	if r.name = strings.ToLower(strings.TrimSpace(r.name)); !nameForm.MatchString(r.name) {
		return fault.BadField("name", "name", "", "A name has small letters and digits, with single dashes between them.")
	}
	if r.address = strings.TrimSpace(r.address); r.kind == api.ServerStdio {
		if r.address == "" {
			return fault.BadField("command", "required", "", "Name the program that is started.")
		}
		return nil
	}
	u, err := url.Parse(r.address)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fault.BadField("url", "url", "", "The address must be such as https://tools.example.org/mcp.")
	case u.User != nil:
		return fault.BadField("url", "url", "", "An address has no name and password in it. Give them as the header Authorization.")
	}
	u.Fragment = ""
	r.address = u.String()
	return nil
}

// place is what a server's secrets belong to: where they go.
func (r *row) place() string {
	if r.kind == api.ServerStdio {
		return r.address + "\x00" + r.arguments
	}
	u, err := url.Parse(r.address)
	if err != nil {
		return r.address
	}
	return u.Scheme + "://" + u.Host
}

// take makes the change of a patch, and judges what comes of it.
func (r *row) take(in api.ServerPatch) error {
	if r.kind == api.ServerStdio && in.URL != nil || r.kind == api.ServerHTTP && (in.Command != nil || in.Args != nil) {
		return errBoth
	}
	if in.Name != nil {
		r.name = *in.Name
	}
	if in.URL != nil {
		r.address = *in.URL
	}
	if in.Command != nil {
		r.address = *in.Command
	}
	if in.Args != nil {
		r.arguments = stored(*in.Args)
	}
	if in.Enabled != nil {
		r.enabled = flag(*in.Enabled)
	}
	return r.settle()
}

// may tells whether somebody may have a server of a kind. Errors: Forbidden.
func may(who account.Identity, kind string) error {
	if kind == api.ServerStdio && (who.Role != api.RoleAdmin || !who.Can(api.ScopeAdmin)) {
		return fault.New(fault.Forbidden, "A program runs on this machine, so only an administrator adds or changes one.")
	}
	return nil
}

// variableForm is how variables of a program's environment are named.
var variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// fixed are headers that the connection itself is made of.
var fixed = regexp.MustCompile(`(?i)^(host|content-length|content-type|accept|transfer-encoding|connection|upgrade|te|trailer|mcp-.*|origin|proxy-.*)$`)

// checkSecrets judges headers or variables.
func checkSecrets(kind string, secrets map[string]string) error {
	for name, value := range secrets {
		ok := variableForm.MatchString(name) && !strings.ContainsRune(value, 0)
		if kind == api.ServerHTTP {
			ok = httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value) && !fixed.MatchString(name)
		}
		if !ok {
			return fault.BadField("secrets", "name", "", "“"+cut(name, 60)+"” can't be given: it is not the name of a header or variable, its value is none, or the connection itself sets it.")
		}
	}
	return nil
}
