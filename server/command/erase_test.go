package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/journal"
	"elowen/server/output"
	"elowen/server/project"
	"elowen/server/servertest/scripted"
	"elowen/server/tool"
	"elowen/server/turn"
	"elowen/shared/api"
)

// owned is a column that says whose a row is.
type owned struct {
	table, column string
	insert        string // of a row; its parameters are the owner and a text
}

// notOwners are columns that name an account without making the row its own.
var notOwners = map[string]string{
	"project.pool_id": "a pool goes with its project",
}

// values are what a column must hold where the type alone doesn't tell.
var values = map[string]string{
	"memory.status":                 "'active'",
	"conversation.kind":             "'chat'",
	"journal_entry.conversation_id": "(SELECT id FROM conversation WHERE owner_id = ?1)",
	"chat.conversation_id":          "(SELECT id FROM conversation WHERE owner_id = ?1)",
	"chat.titled":                   "'no'",
	"chat.state":                    "'idle'",
	"turn_queue.conversation_id":    "(SELECT id FROM conversation WHERE owner_id = ?1)",
	"mcp_server.kind":               "'http'",
	"transcript.conversation_id":    "(SELECT id FROM conversation WHERE owner_id = ?1)",
}

// ownedTables finds every column of the schema that is called owner_id or account_id,
// or refers to an account, with a row to be put there.
func ownedTables(t *testing.T, d *db.DB) []owned {
	t.Helper()
	type column struct {
		name, kind string
		given, pk  bool // has a value of its own; is part of the key
	}
	tables := map[string][]column{}
	owners := map[string]string{}
	err := d.View(context.Background(), func(tx *db.Tx) error {
		rows := tx.Query(`SELECT m.name, p.name, p.type, p."notnull" = 0 OR p.dflt_value IS NOT NULL, p.pk > 0, COALESCE(f."table", '')
			FROM sqlite_schema m JOIN pragma_table_info(m.name) p LEFT JOIN pragma_foreign_key_list(m.name) f ON f."from" = p.name
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`)
		defer rows.Close()
		for rows.Next() {
			var table, refers string
			var c column
			if err := rows.Scan(&table, &c.name, &c.kind, &c.given, &c.pk, &refers); err != nil {
				return err
			}
			tables[table] = append(tables[table], c)
			if _, not := notOwners[table+"."+c.name]; !not && (c.name == "owner_id" || c.name == "account_id" || refers == "account") {
				owners[table] = c.name
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	var list []owned
	for _, table := range slices.Sorted(maps.Keys(owners)) {
		var names, vals []string
		for _, c := range tables[table] {
			value := "1"
			switch {
			case c.name == owners[table]:
				value = "?1"
			case c.given && !c.pk || c.name == "id":
				continue
			case values[table+"."+c.name] != "":
				value = values[table+"."+c.name]
			case c.kind == "TEXT":
				value = "?2"
			case c.kind == "BLOB":
				value = "x'00'"
			}
			names, vals = append(names, c.name), append(vals, value)
		}
		list = append(list, owned{table, owners[table], fmt.Sprintf(`INSERT OR IGNORE INTO %s (%s) SELECT %s WHERE ?2 <> ''`, table, strings.Join(names, ", "), strings.Join(vals, ", "))})
	}
	return list
}

// refersTo orders tables by what a row of theirs has to find there already.
func refersTo(o owned) int {
	if strings.Contains(o.insert, "FROM conversation") {
		return 1
	}
	return 0
}

// left is the tables that have rows of an owner.
func left(tx *db.Tx, list []owned, owner db.AccountID) (tables []string, err error) {
	for _, o := range list {
		var n int
		if err := tx.Row(`SELECT COUNT(*) FROM `+o.table+` WHERE `+o.column+` = ?`, []any{int64(owner)}, &n); err != nil {
			return nil, err
		}
		if n > 0 {
			tables = append(tables, o.table)
		}
	}
	return tables, nil
}

// Whatever table has an owner, the erasure of an account empties of that account's
// rows, by a step of its own, and leaves everybody else's.
func TestErasureEmptiesEveryTable(t *testing.T) {
	ctx := context.Background()
	d := dbtest.Open(t, nil)
	s, _, _ := sitting(t.TempDir())
	st := put(d, s, t.TempDir(), slog.New(slog.DiscardHandler))
	var ann, bob db.AccountID
	list := ownedTables(t, d)
	slices.SortStableFunc(list, func(a, b owned) int { return refersTo(a) - refersTo(b) })
	if len(list) < 20 {
		t.Fatalf("only %d tables have an owner: the test looks at the wrong thing", len(list))
	}
	err := d.Update(ctx, func(tx *db.Tx) (err error) {
		if ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0); err != nil {
			return err
		}
		if bob, err = account.InsertLocked(tx, "bob", "", api.RoleMember, 0); err != nil {
			return err
		}
		// What the rows refer to.
		for _, q := range []string{
			`INSERT INTO embedding_space (id, identity, kind, endpoint, model, asked, file, created_at) VALUES (1, 'x', 'x', '', 'x', 0, '', 0)`,
			`INSERT INTO project (id, slug, name, description, created_at, updated_at) VALUES (1, 'x', 'x', '', 0, 0)`,
		} {
			if _, err := tx.Exec(q); err != nil {
				return err
			}
		}
		for _, o := range list {
			// In this order: what is filled in may point at rows of whoever came before.
			for _, name := range []string{"ann", "bob"} {
				owner := map[string]db.AccountID{"ann": ann, "bob": bob}[name]
				if _, err := tx.Exec(o.insert, int64(owner), name); err != nil {
					return fmt.Errorf("%s: %w", o.insert, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("say in this test what such a row looks like: %+v", err)
	}
	all := func(owner db.AccountID) (tables []string) {
		err := d.View(ctx, func(tx *db.Tx) (err error) { tables, err = left(tx, list, owner); return err })
		if err != nil {
			t.Fatal(err)
		}
		return tables
	}
	if n := len(all(bob)); n != len(list) {
		t.Fatalf("rows in %d of %d tables: %q", n, len(list), all(bob))
	}

	// Without what falls with the account's row itself.
	undo := errors.New("undo")
	err = d.Update(ctx, func(tx *db.Tx) error {
		for _, step := range []func(*db.Tx, db.AccountID) error{account.MarkErasing, project.EraseAccount, st.eraseOwned} {
			if err := step(tx, bob); err != nil {
				return err
			}
		}
		tables, err := left(tx, list, bob)
		if want := []string{"identity", "revoked_token", "session", "token"}; err == nil && !slices.Equal(tables, want) {
			t.Errorf("the steps leave rows in %q; only %q go with the account itself", tables, want)
		}
		return errors.Join(err, undo)
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}

	if _, err := st.erase(ctx, "bob"); err != nil {
		t.Fatal(err)
	}
	if tables := all(bob); len(tables) > 0 {
		t.Errorf("rows are left in %q", tables)
	}
	if tables := all(ann); len(tables) != len(list) {
		t.Errorf("the other account has rows in %q alone", tables)
	}
}

// tardy is a tool that answers much, long after its turn was ended.
type tardy struct{ begun, open chan struct{} }

func (k tardy) Offers(context.Context, tool.Place) ([]tool.Offer, error) {
	return []tool.Offer{{Name: "Late", Input: []byte(`{"type":"object"}`)}}, nil
}

func (k tardy) Run(context.Context, tool.Place, string, []byte) (tool.Outcome, bool) {
	k.begun <- struct{}{}
	<-k.open
	return tool.Outcome{Text: strings.Repeat("secret words ", 1<<17)}, true
}

// What a tool answers after the conversation that it ran in was deleted, or its account
// erased, is written nowhere.
func TestNothingOfTheErasedComesBack(t *testing.T) {
	for what, remove := range map[string]func(st *stores, owner db.AccountID, id int64) error{
		"the account":      func(st *stores, _ db.AccountID, _ int64) error { _, err := st.erase(t.Context(), "ann"); return err },
		"the conversation": func(st *stores, owner db.AccountID, id int64) error { return st.turns.Delete(t.Context(), owner, id) },
	} {
		t.Run(what, func(t *testing.T) {
			ctx, dir := t.Context(), t.TempDir()
			s, _, _ := sitting(dir)
			st := put(dbtest.Open(t, nil), s, dir, slog.New(slog.DiscardHandler))
			kit := tardy{make(chan struct{}), make(chan struct{})}
			st.turns = turn.New(st.db, turn.Options{
				Snapshots: journal.NewSnapshots(0), Memories: st.memories, Recall: st.recall, Models: turn.ModelsOf(st.models), Identify: st.conversing, Wake: func(int64) <-chan time.Time { return nil },
				Kit: output.Bounded(kit, st.outputs),
				Deleted: func(owner db.AccountID, conversation int64) {
					if err := st.outputs.Remove(owner, conversation); err != nil {
						t.Error(err)
					}
				},
			})
			defer st.turns.Close()
			endpoint := scripted.New(t)
			endpoint.Next(scripted.Says(scripted.Calls("c", "Late", "{}")))
			now, err := st.models.Settings(ctx, true)
			if err == nil {
				_, err = st.models.Save(ctx, api.ModelsChange{
					Revision:  now.Revision,
					Providers: []api.ProviderChange{{ID: "p", Kind: api.ProviderOpenAI, BaseURL: endpoint.OpenAI()}},
					Roles:     map[string]*api.Role{api.RoleChat: {Provider: "p", Model: "m"}},
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			var ann db.AccountID
			if err := st.db.Update(ctx, func(tx *db.Tx) (err error) {
				ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			c, err := st.turns.Create(ctx, ann, api.ConversationAdd{})
			if err == nil {
				_, err = st.turns.Send(ctx, ann, c.ID, api.MessageSend{Content: "Go."})
			}
			if err != nil {
				t.Fatal(err)
			}
			<-kit.begun
			if err := remove(st, ann, c.ID); err != nil {
				t.Fatal(err)
			}
			close(kit.open)
			st.turns.Close() // waits for its end
			err = filepath.WalkDir(filepath.Join(dir, output.DirName), func(name string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					t.Errorf("%s is there", name)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
