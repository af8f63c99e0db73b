package account

import (
	"reflect"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// Every switch that travels has its row in the setting table, which each account
// changes for itself, and a column; no row has nothing to switch.
func TestSwitchesAreRowsOfTheTable(t *testing.T) {
	var rows []string
	for _, s := range setting.All() {
		if strings.HasPrefix(s.Key, "me.") {
			rows = append(rows, s.Key)
			if s.Kind != setting.Bool || s.Who != setting.Member || s.Label == "" {
				t.Errorf("%+v", s)
			}
		}
	}
	wire := reflect.TypeFor[api.MeMemory]()
	if len(rows) != wire.NumField() || len(memorySwitches) != wire.NumField() {
		t.Fatalf("%d rows, %d switches, %d fields", len(rows), len(memorySwitches), wire.NumField())
	}
	for i, s := range memorySwitches {
		name := strings.TrimPrefix(s.row, "me.")
		var m api.MeMemory
		*s.of(&m) = true
		p := api.MeMemoryPatch{}
		on := reflect.ValueOf(m)
		for f := range wire.NumField() {
			if on.Field(f).Bool() != (wire.Field(f).Tag.Get("json") == name) {
				t.Errorf("%s switches %s", s.row, wire.Field(f).Name)
			}
			if wire.Field(f).Tag.Get("json") == name {
				reflect.ValueOf(&p).Elem().FieldByName(wire.Field(f).Name).Set(reflect.ValueOf(api.Ptr(true)))
			}
		}
		if rows[i] != s.row || s.change(&p) == nil {
			t.Errorf("%s: row %s, changed by %+v", s.row, rows[i], p)
		}
	}
}

// A new account has the switches of the table, whatever the schema's own defaults are.
func TestNewAccountsHaveTheTablesSwitches(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			ann, err := InsertLocked(tx, "ann", "", api.RoleMember, 0)
			if err != nil {
				return err
			}
			me, err := MeIn(tx, Identity{Owner: ann})
			for i, s := range memorySwitches {
				if got, want := *s.of(&me.Memory), setting.Get(s.row).Default == 1; got != want {
					t.Errorf("%s is %v (%d)", s.row, got, i)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
