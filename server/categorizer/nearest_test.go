package categorizer

import (
	"testing"
	"time"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/local"
	"elowen/server/embedding/local/weight"
	"elowen/shared/api"
)

// notes are texts of our own with the category that they belong to; "" belongs to none.
var shelves = []api.CategoryAdd{
	{Name: "Travel", Description: "trips, trains, ships, hotels, visas"},
	{Name: "Cooking", Description: "recipes, ingredients, kitchen tools, what tastes good"},
	{Name: "Work", Description: "the job, colleagues, meetings, deadlines, the office"},
	{Name: "Health", Description: "doctors, medicine, allergies, sleep, sport"},
	{Name: "Programming", Description: "source code, programming languages, editors, build tools, servers"},
}

var notes = []struct{ shelf, text string }{
	{"Travel", "The night train to Vienna leaves from platform nine."},
	{"Travel", "Our hotel in Lisbon has no breakfast before eight."},
	{"Travel", "Das Visum für Japan gilt bis März."},
	{"Travel", "Färjan till Gotland går klockan sju."},
	{"Cooking", "Grandmother's dumplings need a pinch of nutmeg."},
	{"Cooking", "The oven runs twenty degrees too hot, so bread is done sooner."},
	{"Cooking", "Do guláše patří dvakrát tolik cibule než masa."},
	{"Cooking", "A la tortilla le pongo la cebolla muy hecha."},
	{"Work", "The quarterly report is due on the second Friday."},
	{"Work", "My manager wants meetings to end ten minutes early."},
	{"Work", "Die neue Kollegin heißt Frau Brandt und sitzt im dritten Stock."},
	{"Health", "I am allergic to penicillin."},
	{"Health", "The dentist wants to see me again in June."},
	{"Health", "Jag springer fem kilometer varannan morgon."},
	{"Programming", "The compiler must be called with the flag for race detection."},
	{"Programming", "We indent with tabs and keep functions short."},
	{"Programming", "Server běží na portu 8080 za proxy."},
	{"", "The moon of that planet was found in 1978."},
	{"", "Her favourite colour is a very dark green."},
	{"", "The old oak fell in the storm last autumn."},
	{"", "Der Nachbar heißt mit Vornamen Ottokar."},
	{"", "Three sonnets of his were never printed."},
}

// The built-in model files what clearly belongs somewhere, and next to nothing that
// doesn't; what is wrong costs more than what is left.
func TestByMeaning(t *testing.T) {
	models := local.New(weight.Files{})
	m, err := models.Open(local.Multilingual)
	if err != nil {
		t.Skip("this build has no weights of the built-in model: " + err.Error())
	}
	t.Cleanup(func() { _ = models.Close() })
	clock := dbtest.NewClock(dbtest.Start)
	h := newHouse(t, dbtest.Open(t, clock), clock)
	e := local.Embedder{Model: m}
	service := embedding.NewService()
	var now embedding.Stored
	if err := h.d.Update(ctx, func(tx *db.Tx) (err error) { now, _, err = embedding.Activate(tx, e.Space()); return err }); err != nil {
		t.Fatal(err)
	}
	service.Use(&embedding.Snapshot{Stored: now, Embedder: e, Profile: embedding.KnownProfile(now.Space)})
	if !h.nearest.ready(service.Snapshot()) {
		t.Skip("no means of the built-in model are shipped")
	}
	h.Categorizer = New(Options{DB: h.d, Memories: h.memories, Models: h.models, Service: service, Feed: h.o.Feed, Wake: func(int64) <-chan time.Time { return nil }})
	of := map[int64]string{}
	for _, in := range shelves {
		of[h.category(h.ann, in)] = in.Name
	}
	ids := make([]int64, len(notes))
	for i, n := range notes {
		ids[i] = h.add(h.ann, api.MemoryAdd{Body: n.text}).ID
	}
	h.Pass(ctx)
	for _, id := range ids {
		if got := of[h.in(h.ann, id)]; got != "" {
			t.Fatalf("filed in %s before it had a vector", got)
		}
	}
	if err := h.d.Update(ctx, func(tx *db.Tx) error {
		texts, err := h.memories.Texts(tx, h.ann, ids)
		if err != nil {
			return err
		}
		var items []embedding.Item
		for _, x := range texts {
			results, err := e.Embed(ctx, []string{x.Text}, embedding.Passage)
			if err != nil {
				return err
			}
			items = append(items, embedding.Item{Memory: x.Memory, BodyHash: x.Hash, Script: embedding.Group(x.Text), Vectors: results[0].Vectors})
		}
		_, err = embedding.Put(tx, h.ann, now.ID, items)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if at := h.Pass(ctx); at != 0 {
		t.Errorf("again at %d", at)
	}
	right, wrong, belong := 0, 0, 0
	for i, n := range notes {
		got := of[h.in(h.ann, ids[i])]
		if n.shelf != "" {
			belong++
		}
		switch {
		case got == "":
		case got == n.shelf:
			right++
		default:
			wrong++
			t.Logf("%q went to %s", n.text, got)
		}
	}
	t.Logf("of %d that belong somewhere %d were filed rightly, %d wrongly", belong, right, wrong)
	if wrong > 1 || right < belong/2 {
		t.Errorf("%d right and %d wrong of %d", right, wrong, belong)
	}
	for i, n := range notes {
		if of[h.in(h.ann, ids[i])] == n.shelf && n.shelf != "" {
			events, err := h.memories.Events(ctx, h.ann, ids[i], "", 5)
			if e := events.Items[0]; err != nil || e.Model != local.Multilingual || e.Actor != audit.ActorDaemon {
				t.Errorf("%+v %v", e, err)
			}
			break
		}
	}
	if len(h.script.Requests()) != 0 {
		t.Error("the utility model was asked")
	}
}
