package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/transcript"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// spoken are an account's transcripts with their turns, without ids, the first first.
func (h *house) spoken(owner db.AccountID) (all []api.TranscriptWhole) {
	h.t.Helper()
	s := transcript.New(h.d, transcript.Options{})
	page, err := s.List(context.Background(), owner, "", 500)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, t := range page.Items {
		whole, err := s.Get(context.Background(), owner, t.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		whole.ID = 0
		for i := range whole.Items {
			whole.Items[i].ID = 0
		}
		all = append([]api.TranscriptWhole{whole}, all...)
	}
	return all
}

func (h *house) speak(owner db.AccountID, in api.TranscriptAdd) int64 {
	h.t.Helper()
	out, err := transcript.New(h.d, transcript.Options{}).Add(context.Background(), owner, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return out.ID
}

func (h *house) exportedOf(owner db.AccountID) string {
	h.t.Helper()
	var b bytes.Buffer
	if err := h.Export(context.Background(), owner, &b); err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

func talk(startedAt int64, turns ...string) api.TranscriptAdd {
	in := api.TranscriptAdd{Surface: api.SurfaceTeamChat, StartedAt: api.Ptr(api.Time(startedAt)),
		Participants: []api.Participant{{Name: "Anna <a>", Role: api.ParticipantSelf}, {Name: "Bö", Role: api.ParticipantPerson}, {Name: "Helper", Role: api.ParticipantAgent}}}
	for i, text := range turns {
		in.Turns = append(in.Turns, api.TurnAdd{Speaker: in.Participants[i%3].Name, Text: text, At: api.Ptr(api.Time(startedAt + int64(i)*1000))})
	}
	return in
}

// Transcripts come back the same, also those that are too long for a line; the same file
// again changes nothing, and what was deleted stays so.
func TestTranscriptsRoundTrip(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		a := open(t, d)
		anna, bert := a.person("anna"), a.person("bert")
		var long []string
		for i := range 60 {
			long = append(long, fmt.Sprintf("Turn %d: %s\u2028\"\\", i, strings.Repeat("říp ", 2500)))
		}
		a.speak(anna, talk(1_700_000_000_000, "When does the ferry leave?", "At six.", "It leaves at 06:00 from pier 3."))
		clock.Advance(86_400_000)
		a.speak(anna, talk(1_600_000_000_123, long...))
		a.speak(anna, api.TranscriptAdd{Surface: api.SurfaceVoice, StartedAt: api.Ptr(api.Time(0)), Participants: []api.Participant{{Name: "me"}}, Turns: []api.TurnAdd{{Speaker: "me", Text: "Hm."}}})
		a.speak(bert, talk(1_700_000_000_000, "Bert's own."))
		clock.Advance(86_400_000)

		var all bytes.Buffer
		if err := a.ExportAll(context.Background(), &all); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(all.String()) {
			if len(line) > 1<<20 {
				t.Errorf("a line of %d bytes", len(line))
			}
			if strings.Contains(line, `"type":"transcript"`) {
				lines++
			}
		}
		if lines < 6 {
			t.Fatalf("%d lines of transcripts: the long one is in one", lines)
		}
		b := open(t, dbtest.Open(t, clock))
		dry, err := b.ImportAll(context.Background(), bytes.NewReader(all.Bytes()), dryRun)
		if err != nil {
			t.Fatal(err)
		}
		report, err := b.ImportAll(context.Background(), bytes.NewReader(all.Bytes()), byImport)
		if err != nil || report.Refused != 0 || report.Added != dry.Added || report.Existing != dry.Existing {
			t.Fatalf("%+v, dry %+v, %v", report, dry, err)
		}
		for _, name := range []string{"anna", "bert"} {
			was, is := a.spoken(a.owner(name)), b.spoken(b.owner(name))
			if len(was) == 0 || !reflect.DeepEqual(was, is) {
				t.Errorf("%s: %.600s\nbecame\n%.600s", name, mustJSON(t, was), mustJSON(t, is))
			}
			if x, y := a.exportedOf(a.owner(name)), b.exportedOf(b.owner(name)); x != y {
				t.Errorf("%s: the exports differ", name)
			}
		}
		var faults []string
		if err := b.d.View(context.Background(), func(tx *db.Tx) (err error) {
			faults, err = transcript.Check(tx, b.owner("anna"))
			return err
		}); err != nil || len(faults) > 0 {
			t.Errorf("%v %v", faults, err)
		}

		// Again, into both.
		for _, h := range []*house{a, b} {
			before := h.spoken(h.owner("anna"))
			report, err := h.ImportAll(context.Background(), bytes.NewReader(all.Bytes()), byImport)
			if err != nil || report.Added != 0 || report.Refused != 0 || !reflect.DeepEqual(h.spoken(h.owner("anna")), before) {
				t.Errorf("again: %+v %v", report, err)
			}
		}
		// What was deleted since stays so.
		s := transcript.New(b.d, transcript.Options{})
		page, err := s.List(context.Background(), b.owner("bert"), "", 5)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(context.Background(), b.owner("bert"), page.Items[0].ID); err != nil {
			t.Fatal(err)
		}
		report, err = b.ImportAll(context.Background(), bytes.NewReader(all.Bytes()), byImport)
		if err != nil || report.Kept != 1 || len(b.spoken(b.owner("bert"))) != 0 {
			t.Errorf("after deleting: %+v %v", report, err)
		}
	})
}

// A transcript comes in whole or not at all, and what is wrong with it is said of its lines.
func TestTranscriptsThatAreNotWhole(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	part := func(n, of int, more string) string {
		return fmt.Sprintf(`{"type":"transcript","part":%d,"parts":%d,%s"turns":[{"speaker":"me","text":"part %d of %d"}]}`, n, of, more, n, of)
	}
	head := `"surface":"voice","startedAt":"2026-01-02T03:04:05Z","participants":[{"name":"me"}],`
	whole := func(more string) string {
		return `{"type":"transcript",` + head + more + `"turns":[{"speaker":"me","text":"hm"}]}`
	}
	memory := `{"type":"memory","body":"Between."}`
	for _, c := range []struct {
		name    string
		lines   []string
		refused int
		kept    int // transcripts that come in
	}{
		{"whole", []string{whole("")}, 0, 1},
		{"in parts", []string{part(1, 3, head), part(2, 3, ""), part(3, 3, ""), memory}, 0, 1},
		{"without its end", []string{part(1, 3, head), part(2, 3, "")}, 2, 0},
		{"without its beginning", []string{part(2, 3, ""), part(3, 3, "")}, 2, 0},
		{"something between", []string{part(1, 2, head), memory, part(2, 2, "")}, 2, 0},
		{"in another order", []string{part(2, 2, ""), part(1, 2, head)}, 2, 0},
		{"one begins in another", []string{part(1, 2, head), part(1, 2, head), part(2, 2, "")}, 1, 1},
		{"of another number", []string{part(1, 2, head), part(2, 3, "")}, 2, 0},
		{"no part", []string{part(0, 2, head)}, 1, 0},
		{"a part beyond all", []string{part(3, 2, head)}, 1, 0},
		{"two accounts", []string{part(1, 2, head+`"account":"anna",`), part(2, 2, `"account":"bert",`)}, 2, 0},
		{"no surface", []string{strings.Replace(whole(""), "voice", "letter", 1)}, 1, 0},
		{"an unknown speaker", []string{strings.Replace(whole(""), `"speaker":"me"`, `"speaker":"you"`, 1)}, 1, 0},
		{"no turns", []string{`{"type":"transcript",` + head + `"turns":[]}`}, 1, 0},
		{"a body", []string{whole(`"body":"x",`)}, 1, 0},
		{"an unknown field", []string{whole(`"voice":1,`)}, 1, 0},
		{"a text that is too long", []string{strings.Replace(whole(""), "hm", strings.Repeat("x", 20_001), 1)}, 1, 0},
		{"from the future", []string{whole(`"createdAt":"2999-01-01T00:00:00Z",`)}, 0, 1},
		{"cut off", []string{whole("")[:80]}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			owner := h.person("p" + strings.ReplaceAll(c.name, " ", ""))
			file := strings.Join(c.lines, "\n")
			dry, err := h.Import(context.Background(), owner, strings.NewReader(file), dryRun)
			if err != nil {
				t.Fatal(err)
			}
			got, err := h.Import(context.Background(), owner, strings.NewReader(file), byImport)
			if err != nil || got.Refused != c.refused || got.Lines != len(c.lines) || len(h.spoken(owner)) != c.kept {
				t.Errorf("%d transcripts, %s %v", len(h.spoken(owner)), mustJSON(t, got), err)
			}
			if dry.Refused != got.Refused || dry.Added != got.Added {
				t.Errorf("a dry run says %s", mustJSON(t, dry))
			}
			for _, f := range got.Fates {
				if f.Fate == api.FateRefused && f.Message == "" {
					t.Errorf("%+v", f)
				}
			}
			for _, w := range h.spoken(owner) {
				if int64(w.CreatedAt) > h.d.Now() {
					t.Errorf("it came in the future: %s", mustJSON(t, w.Transcript))
				}
			}
		})
	}
	if len(h.spoken(anna)) != 0 {
		t.Error("something is another's")
	}
	var line api.Line
	if err := json.Unmarshal([]byte(whole("")), &line); err != nil || line.Type != api.LineTranscript {
		t.Errorf("%+v %v", line, err)
	}
}

var dryRun = transfer.Options{By: byImport.By, DryRun: true}
