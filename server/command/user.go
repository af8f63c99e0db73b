package command

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"elowen/server/account"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type userCommand struct {
	Add     userAdd     `cmd:"" help:"Make an account."`
	List    userList    `cmd:"" help:"List the accounts."`
	Disable userDisable `cmd:"" help:"End an account's sessions and tokens and let nobody sign in, or let them again with --undo."`
	Passwd  userPasswd  `cmd:"" help:"Set an account's password. Its sessions end."`
	Erase   userErase   `cmd:"" help:"Erase an account with all its memories and their audit. This cannot be undone."`
}

// password is how a password is told: at the terminal, or on standard input.
type password struct {
	PasswordStdin bool `help:"Read the password from the first line of standard input instead of asking for it."`
}

func (p password) prompt() string { return "Password: " }

// read reads a password for the command, asking where a person is.
func (p password) read(r *run) (string, error) {
	if !p.PasswordStdin {
		return r.askTwice(p.prompt())
	}
	line, err := bufio.NewReader(io.LimitReader(r.Stdin, 4096)).ReadString('\n')
	if err != nil && (err != io.EOF || line == "") {
		return "", fault.New(fault.Invalid, "There is no password on standard input.")
	}
	return strings.TrimRight(line, "\r\n"), nil
}

type userAdd struct {
	Name        string `arg:"" help:"Name to sign in with."`
	Admin       bool   `help:"Make an administrator."`
	DisplayName string `help:"Name to be shown."`
	Locked      bool   `help:"Set no password yet: nobody can sign in until one is set."`
	password
}

func (c *userAdd) needsSecret() bool { return !c.PasswordStdin && !c.Locked }

// Run implements the command.
func (c *userAdd) Run(r *run) error {
	in := api.PersonAdd{Name: c.Name, DisplayName: c.DisplayName, Role: api.RoleMember}
	if c.Admin {
		in.Role = api.RoleAdmin
	}
	if !c.Locked {
		var err error
		if in.Password, err = c.read(r); err != nil {
			return err
		}
		if in.Password == "" {
			return fault.New(fault.Invalid, "The password is empty. Use --locked to set none.")
		}
	}
	if err := validation.Struct(in); err != nil {
		return err
	}
	return r.with(func(st *stores) error {
		p, err := st.accounts.Add(r.ctx, in)
		if err != nil {
			return err
		}
		return r.show(p, func(w io.Writer) { fmt.Fprintf(w, "Made the account %s (%s).\n", visible(p.Name), p.Role) })
	})
}

type userList struct{}

// Run implements the command.
func (c *userList) Run(r *run) error {
	return r.reading(func(st *stores) error {
		people, err := st.accounts.People(r.ctx)
		if err != nil {
			return err
		}
		return r.show(people, func(w io.Writer) {
			table(w, []string{"NAME", "SHOWN AS", "ROLE", "STATE", "SINCE"}, func(add func(...any)) {
				for _, p := range people {
					state := "active"
					switch {
					case p.Disabled:
						state = "disabled"
					case p.Locked:
						state = "locked, no password yet"
					}
					add(p.Name, p.DisplayName, p.Role, state, short(p.CreatedAt))
				}
			})
		})
	})
}

type userDisable struct {
	Name string `arg:"" help:"Name of the account."`
	Undo bool   `help:"Let the account sign in again. Its sessions and tokens stay ended."`
}

// Run implements the command.
func (c *userDisable) Run(r *run) error {
	return r.with(func(st *stores) error {
		p, err := st.accounts.Patch(r.ctx, account.Identity{}, c.Name, 0, api.PersonPatch{Disabled: api.Ptr(!c.Undo)})
		if err != nil {
			return err
		}
		return r.show(p, func(w io.Writer) {
			if c.Undo {
				fmt.Fprintf(w, "%s can sign in again.\n", visible(p.Name))
				return
			}
			fmt.Fprintf(w, "Disabled %s.\n", visible(p.Name))
		})
	})
}

type userPasswd struct {
	Name string `arg:"" help:"Name of the account."`
	password
}

func (c *userPasswd) needsSecret() bool { return !c.PasswordStdin }

// Run implements the command.
func (c *userPasswd) Run(r *run) error {
	secret, err := c.read(r)
	if err != nil {
		return err
	}
	in := api.PersonPatch{Password: &secret}
	if err := validation.Struct(in); err != nil {
		return err
	}
	return r.with(func(st *stores) error {
		p, err := st.accounts.Patch(r.ctx, account.Identity{}, c.Name, 0, in)
		if err != nil {
			return err
		}
		return r.show(p, func(w io.Writer) {
			fmt.Fprintf(w, "Set the password of %s. Its sessions have ended.\n", visible(p.Name))
		})
	})
}

type userErase struct {
	Name string `arg:"" help:"Name of the account."`
	Yes  bool   `help:"Do it without asking for the name again."`
}

// Run implements the command.
func (c *userErase) Run(r *run) error {
	if !c.Yes {
		return fault.Newf(fault.Invalid, "This erases %s with all memories and their audit, and cannot be undone. Repeat it with --yes to do it.", c.Name)
	}
	return r.with(func(st *stores) error {
		p, err := st.erase(r.ctx, c.Name)
		if err != nil {
			return err
		}
		return r.show(p, func(w io.Writer) {
			fmt.Fprintf(w, "Erased %s. Backups made before still have it.\n", visible(p.Name))
		})
	})
}
