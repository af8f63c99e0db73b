package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding/queue"
	"elowen/server/job"
	"elowen/server/memory"
	"elowen/server/project"
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
	return r.with(func(st *stores) error {
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

// erase removes an account from every noun, in one decision.
func (st *stores) erase(ctx context.Context, name string) (api.Person, error) {
	// Disabled first, in a decision of its own: its windows close before its log goes.
	p, err := st.accounts.Patch(ctx, account.Identity{}, name, 0, api.PersonPatch{Disabled: api.Ptr(true)})
	if err != nil {
		return p, err
	}
	err = st.db.Update(ctx, func(tx *db.Tx) error {
		owner := db.AccountID(p.ID)
		if err := account.MarkErasing(tx, owner); err != nil {
			return err
		}
		if err := project.EraseAccount(tx, owner); err != nil {
			return err
		}
		if err := st.eraseOwned(tx, owner); err != nil {
			return err
		}
		if err := account.Delete(tx, owner); err != nil {
			return err
		}
		tx.Erase()
		return tx.EraseAccountLog(owner)
	})
	return p, err
}

// eraseOwned removes what an owner has in every noun, but for its account.
func (st *stores) eraseOwned(tx *db.Tx, owner db.AccountID) error {
	for _, step := range []func(*db.Tx, db.AccountID) error{
		st.transfer.EraseAccount, st.retention.EraseAccount, job.EraseAccount, queue.EraseAccount, memory.EraseAccount, category.EraseAccount,
	} {
		if err := step(tx, owner); err != nil {
			return err
		}
	}
	return nil
}

// erasePool removes the pool of a project that is deleted. One that holds memories is
// refused: they are several people's.
func (st *stores) erasePool(tx *db.Tx, pool db.AccountID) error {
	n, err := memory.Held(tx, pool)
	if err != nil {
		return err
	}
	if n > 0 {
		return fault.Newf(fault.Taken, "The project's pool still holds %d memories, with those in its trash. Purge them first; nothing was deleted.", n)
	}
	if err := account.MarkPool(tx, pool); err != nil {
		return err
	}
	if err := st.eraseOwned(tx, pool); err != nil {
		return err
	}
	if err := account.ErasePool(tx, pool); err != nil {
		return err
	}
	return tx.EraseAccountLog(pool)
}
