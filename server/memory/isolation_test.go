package memory

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Whatever bob calls with ids of ann's memories and categories, he learns nothing
// and changes nothing: every exported method of the store is here, and a new one
// that is not fails the test.
func TestNothingCrossesAccounts(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		bob := audit.Actor{Name: "user:2"}
		hers, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Hers"})
		if err != nil {
			t.Fatal(err)
		}
		const secret = "saffron"
		m := f.add(secret+" is in the pantry", inCategory(hers.ID), importance(1))
		n := f.add(secret+" is in the pantry too", importance(1))
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr(secret + " is in the cellar")})
		gone := f.add(secret + " was here")
		f.trash(gone.ID)
		f.recall(m.ID)
		f.clock.Advance(300 * day) // due, all of them
		his, err := f.Add(ctx, f.bob, bob, api.SourceUser, api.MemoryAdd{Body: "his own " + secret + "less words in the pantry is too"})
		if err != nil {
			t.Fatal(err)
		}
		if len(his.Similar) != 0 {
			t.Errorf("similar to another's: %+v", his.Similar)
		}
		change := f.bulk(api.MemoryBulk{IDs: []int64{n.ID}, Action: api.BulkKind, Kind: api.Ptr("spice")}).Undo
		before, seq := f.dump(f.ann), f.seq(f.ann)

		in := func(fn func(tx *db.Tx) (any, error)) (out any, err error) {
			err = f.d.Update(ctx, func(tx *db.Tx) error { out, err = fn(tx); return err })
			return out, err
		}
		terms := f.rules.set(func(*Terms) {})
		body := "x"
		calls := map[string]func() (any, error){
			"Add": func() (any, error) {
				return f.Add(ctx, f.bob, bob, api.SourceUser, api.MemoryAdd{Body: m.Body, CategoryID: api.Some(hers.ID)})
			},
			"Get":         func() (any, error) { return f.Get(ctx, f.bob, m.ID) },
			"Patch":       func() (any, error) { return f.Patch(ctx, f.bob, bob, m.ID, 0, api.MemoryPatch{Body: &body}) },
			"Patch stale": func() (any, error) { return f.Patch(ctx, f.bob, bob, m.ID, 1, api.MemoryPatch{Body: &body}) },
			"Patch category": func() (any, error) {
				return f.Patch(ctx, f.bob, bob, his.ID, 0, api.MemoryPatch{CategoryID: api.Some(hers.ID)})
			},
			"Patch version": func() (any, error) {
				return f.Patch(ctx, f.bob, bob, m.ID, 0, api.MemoryPatch{Version: api.Ptr(int64(1))})
			},
			"SetCategory": func() (any, error) {
				return f.SetCategory(ctx, f.bob, bob, m.ID, 0, api.CategoryChoice{})
			},
			"Trash":      func() (any, error) { return f.Trash(ctx, f.bob, bob, m.ID, 0, "") },
			"Restore":    func() (any, error) { return f.Restore(ctx, f.bob, bob, gone.ID, 0, "") },
			"Purge":      func() (any, error) { return f.Purge(ctx, f.bob, bob, []int64{gone.ID}) },
			"EmptyTrash": func() (any, error) { return f.EmptyTrash(ctx, f.bob, bob, api.EmptyTrash{}) },
			"Merge": func() (any, error) {
				return f.Merge(ctx, f.bob, bob, api.MemoryMerge{IDs: []int64{m.ID, n.ID}, Body: "x"})
			},
			"Bulk": func() (any, error) {
				return f.Bulk(ctx, f.bob, bob, api.MemoryBulk{IDs: []int64{m.ID}, Action: api.BulkTrash})
			},
			"Bulk all": func() (any, error) {
				return f.Bulk(ctx, f.bob, bob, api.MemoryBulk{All: &api.MemoryQuery{CategoryID: hers.ID, Status: "all"}, Action: api.BulkTrash})
			},
			"Bulk words": func() (any, error) {
				return f.Bulk(ctx, f.bob, bob, api.MemoryBulk{All: &api.MemoryQuery{Q: "cellar"}, Action: api.BulkTrash})
			},
			"Undo":                 func() (any, error) { return f.Undo(ctx, f.bob, bob, api.MemoryUndo{Change: change}) },
			"DeleteSharedCategory": func() (any, error) { return f.DeleteSharedCategory(ctx, f.bob, bob, hers.ID, 0) },
			"ExportWritten": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					for c, err := range f.ExportWritten(tx, f.bob, f.ann) {
						t.Errorf("what ann wrote at bob's: %+v %v", c, err)
					}
					return nil, nil
				})
			},
			"Facts": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Facts(tx, f.bob, []int64{m.ID, n.ID}) })
			},
			"CountActive": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					n, err := f.CountActive(tx, f.bob)
					if n != 1 {
						t.Errorf("bob has %d", n)
					}
					return nil, err
				})
			},
			"SetMeaning": func() (any, error) { f.SetMeaning(nil); return nil, nil },  // it takes no account
			"SetTokens":  func() (any, error) { f.SetTokens("now"); return nil, nil }, // likewise
			"Counted": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					for b, err := range f.Counted(tx, f.bob) {
						if err != nil || b.ID != his.ID {
							t.Errorf("counts for bob: %+v %v", b, err)
						}
					}
					return nil, nil
				})
			},
			"Places": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { p, err := f.Places(tx, f.bob); return p.Pools(), err })
			},
			"DeleteCategory": func() (any, error) { return f.DeleteCategory(ctx, f.bob, bob, hers.ID, 0) },
			"Events":         func() (any, error) { return f.Events(ctx, f.bob, m.ID, "", 0) },
			"Events all":     func() (any, error) { return f.Events(ctx, f.bob, 0, "", 0) },
			"Events cursor":  func() (any, error) { return f.Events(ctx, f.bob, m.ID, "ZTEzd3Uxb2c", 0) },
			"History":        func() (any, error) { return f.History(ctx, f.bob, m.ID, 0) },
			"Detail": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Detail(tx, f.bob, m.ID, 0) })
			},
			"Similar":      func() (any, error) { return f.Similar(ctx, f.bob, m.ID, 5) },
			"MarkRecalled": func() (any, error) { return f.MarkRecalled(ctx, f.bob, []int64{m.ID, n.ID}) },
			"Recalled": func() (any, error) {
				var out any
				err := f.d.Update(ctx, func(tx *db.Tx) (err error) {
					out, err = f.Recalled(tx, f.bob, []int64{m.ID, n.ID})
					return err
				})
				return out, err
			},
			"Recent": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					ids, _, _, err := f.Recent(tx, f.bob, Place{}, 100)
					return f.rowsOf(tx, ids), err
				})
			},
			"Reinforce": func() (any, error) { return f.Reinforce(ctx, f.bob, bob, m.ID, 9, "") },
			"Stats":     func() (any, error) { return f.Stats(ctx, f.bob) },
			"Rows": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Rows(tx, f.bob, []int64{m.ID, gone.ID}) })
			},
			"Briefs": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					var list []Brief
					for _, ids := range [][]int64{nil, {m.ID, n.ID}} {
						for b, err := range f.Briefs(tx, f.bob, ids) {
							if err != nil {
								return nil, err
							}
							if b.ID != his.ID {
								list = append(list, *b)
							}
						}
					}
					return list, nil
				})
			},
			"Search": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { h, _, err := f.Search(tx, f.bob, secret, true); return h, err })
			},
			"hits": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.hits(tx, f.bob, api.MemoryQuery{Q: secret}) })
			},
			"Due": func() (any, error) { return f.due(f.bob, terms, f.clock.Now()), nil },
			"CountDue": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.CountDue(tx, f.bob, terms, f.clock.Now()) })
			},
			"AutoEvict": func() (any, error) { return f.AutoEvict(ctx, f.bob, m.ID, f.clock.Now(), 5, terms) },
			"Evicted": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return audit.Evicted(tx, f.bob, f.clock.Now()) })
			},
			"Rekey": func() (any, error) {
				other := terms
				other.Policy.HalfLifeDays = [10]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}
				return in(func(tx *db.Tx) (any, error) {
					if err := f.Rekey(tx, f.bob, other); err != nil {
						return nil, err
					}
					return nil, f.Rekey(tx, f.bob, terms)
				})
			},
			"Insert": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					return f.Insert(tx, f.bob, bob, "", []Carried{{Body: "x", CategoryID: hers.ID}})
				})
			},
			"Export": func() (any, error) {
				var list []Carried
				for _, c := range f.export(f.bob) {
					if c.ID != his.ID {
						list = append(list, c)
					}
				}
				return list, nil
			},
			"ExportPurged": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					var list []any
					for e, err := range f.ExportPurged(tx, f.bob) {
						if err != nil {
							return nil, err
						}
						list = append(list, e)
					}
					return list, nil
				})
			},
			"InsertPurged": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.InsertPurged(tx, f.bob, bob, nil) })
			},
			"Twins": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Twins(tx, f.bob, []string{m.Body, n.Body}) })
			},
			"Hashes": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					list, err := f.Hashes(tx, f.bob, []int64{hers.ID})
					if len(list) != 0 {
						t.Errorf("bob is given %v", list)
					}
					return list, err
				})
			},
			"TrimUsage":     func() (any, error) { return f.TrimUsage(ctx, f.bob) },
			"IndexOutdated": func() (any, error) { return in(func(tx *db.Tx) (any, error) { return f.IndexOutdated(tx, f.bob) }) },
			"Reindex":       func() (any, error) { return f.Reindex(ctx, f.bob) },
			"Bodies": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					list, err := f.Bodies(tx, f.bob, 0, 100)
					if err == nil && (len(list) != 1 || list[0].Memory != his.ID) {
						t.Errorf("bob's bodies: %v", list)
					}
					return nil, err
				})
			},
			"BodiesOf": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					list, err := f.BodiesOf(tx, f.bob, []int64{m.ID, n.ID})
					if len(list) > 0 {
						t.Errorf("bodies of another: %v", list)
					}
					return nil, err
				})
			},
			"Texts": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Texts(tx, f.bob, []int64{m.ID, n.ID}) })
			},
			"Filing": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Filing(tx, f.bob, m.ID) })
			},
			"Filings": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					return f.Filings(tx, f.bob, Sorting{All: true, Upto: 1 << 60}, 1<<60, 100)
				})
			},
			"CountFilings": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					count, err := f.CountFilings(tx, f.bob, Sorting{All: true, Upto: 1 << 60})
					if count != 1 {
						t.Errorf("%d memories of bob's to be sorted", count)
					}
					return nil, err
				})
			},
			"Unfiled": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) { return f.Unfiled(tx, f.bob, 0, 0, 100) })
			},
			"Members": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					ids, err := f.Members(tx, f.bob, hers.ID, 100)
					if len(ids) > 0 {
						t.Errorf("members of another's category: %v", ids)
					}
					return nil, err
				})
			},
			"File": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					if moved, err := f.File(tx, f.bob, bob, Filing{ID: m.ID, Revision: m.Revision, Hash: audit.Hash(m.Body), CategoryID: *m.CategoryID}, hers.ID, ""); moved || err != nil {
						t.Errorf("another's memory was filed: %v", err)
					}
					own, err := f.Filing(tx, f.bob, his.ID)
					if err != nil {
						t.Error(err)
					}
					return f.File(tx, f.bob, bob, own, hers.ID, "")
				})
			},
			"CountIndexed": func() (any, error) {
				return in(func(tx *db.Tx) (any, error) {
					_, total, err := f.CountIndexed(tx, f.bob)
					if total != 1 {
						t.Errorf("bob has %d memories", total)
					}
					return nil, err
				})
			},
		}
		for name, call := range calls {
			out, err := call()
			text := ""
			if err != nil {
				text = fmt.Sprintf("%+v %+v", err, fault.ProblemOf(err))
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("%s: %v", name, err)
				}
			} else if j, err := json.Marshal(out); err != nil {
				t.Error(err)
			} else {
				text = string(j)
			}
			if strings.Contains(text, secret+" ") {
				t.Errorf("%s tells bob %s", name, text)
			}
			if f.seq(f.ann) != seq || f.dump(f.ann) != before {
				t.Fatalf("%s changed ann's rows", name)
			}
		}
		methods := reflect.TypeFor[*Store]()
		for i := range methods.NumMethod() {
			if name := methods.Method(i).Name; calls[name] == nil {
				t.Errorf("%s is not tried", name)
			}
		}
		if counts, err := in(func(tx *db.Tx) (any, error) { return CountByCategory(tx, f.bob, []int64{hers.ID}) }); err != nil || len(counts.(map[int64]int)) != 0 {
			t.Errorf("bob counts her memories: %v %v", counts, err)
		}
		// And what he did get is his alone.
		st, err := f.Stats(ctx, f.bob)
		if err != nil || st.Active != 1 || st.Deleted != 0 || st.DueNow != 0 {
			t.Errorf("bob's numbers: %+v %v", st, err)
		}
	})
}

// dump is all rows of an account's.
func (f *fixture) dump(owner db.AccountID) string {
	f.t.Helper()
	var b strings.Builder
	f.view(func(tx *db.Tx) error {
		for _, q := range []string{
			`SELECT ` + columns + ` FROM memory WHERE owner_id = ? ORDER BY id`,
		} {
			rows := tx.Query(q, int64(owner))
			for rows.Next() {
				var r row
				if err := rows.Scan(r.dest()...); err != nil {
					return err
				}
				fmt.Fprintf(&b, "%+v\n", r)
			}
			rows.Close()
			if err := rows.Err(); err != nil {
				return err
			}
		}
		for _, table := range []string{"memory_version", "memory_event", "usage_event", "category"} {
			var n int
			if err := tx.Row(`SELECT COUNT(*) FROM `+table+` WHERE owner_id = ?`, []any{int64(owner)}, &n); err != nil {
				return err
			}
			fmt.Fprintln(&b, table, n)
		}
		return nil
	})
	b.WriteString(f.indexOf(owner))
	return b.String()
}

// rowsOf are bob's view of memories, as one text.
func (f *fixture) rowsOf(tx *db.Tx, ids []int64) any {
	list, err := f.Rows(tx, f.bob, ids)
	if err != nil || len(list) != len(ids) {
		f.t.Errorf("%d of %v: %v", len(list), ids, err)
	}
	return list
}
