package settings_test

import (
	"context"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/settings"
	"elowen/shared/fault"
)

func TestOneRevisionForAllGroups(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		read := func(group, text string, revision int64) {
			t.Helper()
			err := d.View(context.Background(), func(tx *db.Tx) error {
				got, at, err := settings.Read(tx, group)
				if got != text || at != revision {
					t.Errorf("%s: %q at %d, want %q at %d", group, got, at, text, revision)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		write := func(group, text string) {
			t.Helper()
			if err := d.Update(context.Background(), func(tx *db.Tx) error { _, err := settings.Write(tx, group, text); return err }); err != nil {
				t.Fatal(err)
			}
		}
		read(settings.Models, "", 1)
		write(settings.Models, `{"a":1}`)
		read(settings.Models, `{"a":1}`, 2)
		read(settings.Retention, "", 2)
		write(settings.Retention, `{}`)
		write(settings.Models, `{"b":1}`)
		read(settings.Retention, `{}`, 4)
		read(settings.Models, `{"b":1}`, 4)
	})
	if err := settings.Seen(0, 3); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
	if err := settings.Seen(2, 3); !fault.Is(err, fault.Stale) {
		t.Error(err)
	}
	if err := settings.Seen(3, 3); err != nil {
		t.Error(err)
	}
}
