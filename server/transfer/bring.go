package transfer

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"elowen/server/db"
	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Bring brings a bundle of files into an account: another system's, or our own lines.
// o.From names its format; empty finds it out. Of another system's everything comes in,
// in one decision, or nothing: what cannot be taken holds the rest back, unless o.Skip
// leaves it out. Errors are those of the whole, as Import's; a file that is broken is
// in the report, with the lines.
func (s *Store) Bring(ctx context.Context, owner db.AccountID, b *foreign.Bundle, o Options) (api.ImportReport, error) {
	return s.bring(ctx, b, o, owner, func(string) (db.AccountID, error) { return owner, nil })
}

// BringAll brings our own lines into the accounts that they name, and anything else into
// the only account there is.
func (s *Store) BringAll(ctx context.Context, b *foreign.Bundle, o Options) (api.ImportReport, error) {
	return s.bring(ctx, b, o, 0, nil)
}

func (s *Store) bring(ctx context.Context, b *foreign.Bundle, o Options, owner db.AccountID, fixed func(string) (db.AccountID, error)) (api.ImportReport, error) {
	leave, err := s.enter(ctx, owner, o.Turn)
	if err != nil {
		return api.ImportReport{}, err
	}
	defer leave()
	found, err := foreign.Read(ctx, b, o.From)
	if err != nil {
		return api.ImportReport{}, err
	}
	if found.Format == api.FormatJSONL {
		in, ok := b.Only()
		if !ok {
			return api.ImportReport{}, fault.New(fault.Invalid, "Lines of elowen's own are one file, and no zip. Bring them in one after the other.")
		}
		report, err := s.run(ctx, in, o, fixed)
		report.Detected = found.Detected
		return report, err
	}
	return db.Long(ctx, s.db, func(ctx context.Context) (api.ImportReport, error) {
		return s.whole(ctx, found, b.Size(), o, fixed)
	})
}

// errHeld takes back what was written before something turned out to be refused.
var errHeld = errors.New("held back")

// whole writes what was found in one decision, or tells what would become of it.
func (s *Store) whole(ctx context.Context, found *foreign.Found, size int64, o Options, fixed func(string) (db.AccountID, error)) (api.ImportReport, error) {
	alone, err := s.alone(ctx, fixed == nil)
	if err != nil {
		return api.ImportReport{}, err
	}
	if fixed == nil && alone == "" {
		return api.ImportReport{}, fault.New(fault.Invalid, "Say whose memories they are with --user NAME.")
	}
	lines := s.judged(found)
	broken := len(found.Faults) > 0
	held := broken || !o.Skip && anyRefused(lines)
	var i *importing
	attempt := func(dry bool) error {
		with := o
		with.DryRun = dry
		i = s.importing(ctx, with, fixed)
		i.alone, i.source, i.reason = alone, found.Format, api.ReasonImportedFrom+foreign.Title(found.Format)
		for _, p := range lines { // as if nobody had looked at it
			p.fate = api.LineFate{Line: p.number, File: p.file, Text: p.excerpt()}
		}
		return aside(s.Log, func(at func(int)) error {
			return i.decide(func(tx *db.Tx) error { return i.all(tx, lines, at) })
		}, func(n int) {
			done := size * int64(n) / int64(len(lines))
			if o.Progress != nil {
				o.Progress(done, size)
			}
			if o.Step != nil {
				o.Step(done, size, n)
			}
		})
	}
	err = attempt(held || o.DryRun)
	if errors.Is(err, errHeld) {
		held = true
		err = attempt(true)
	}
	if err != nil {
		return api.ImportReport{}, err
	}
	held = held || !o.Skip && anyRefused(lines)
	i.report.DryRun, i.report.Format, i.report.Detected, i.report.Broken = o.DryRun, found.Format, found.Detected, broken
	for _, p := range lines {
		if held && p.err == nil && p.fate.Fate == api.FateAdded {
			p.fate.Fate, p.fate.ID = api.FateHeld, 0
		}
		i.tell(p)
	}
	for _, f := range found.Faults {
		tell(&i.report, api.LineFate{Line: f.Line, File: f.File, Fate: api.FateRefused, Message: f.Message})
	}
	shorten(&i.report)
	i.noteWhole(found, held)
	return i.report, nil
}

// all writes every line. Where something turns out to be refused only then, it is errHeld.
func (i *importing) all(tx *db.Tx, lines []*parsed, at func(int)) error {
	for n := 0; n < len(lines); n += chunkLines {
		if err := i.ctx.Err(); err != nil {
			return fault.Wrap(fault.Cancelled, err, "The import was cancelled. Nothing was changed.")
		}
		end := min(n+chunkLines, len(lines))
		if err := i.write(tx, lines[n:end]); err != nil {
			return err
		}
		at(end)
	}
	if !i.o.DryRun && !i.o.Skip && anyRefused(lines) {
		return errHeld
	}
	return i.count(tx)
}

// aside runs work, and tells on this goroutine how far it is: whoever is told may be
// slow to read it, and work has the writer and must not wait. What comes while they are
// is left out.
func aside(log *slog.Logger, work func(at func(int)) error, tell func(int)) error {
	steps, done := make(chan int, 1), make(chan error, 1)
	go func() {
		done <- guard(log, func() error {
			return work(func(n int) {
				select {
				case steps <- n:
				default:
				}
			})
		})
	}()
	for {
		select {
		case n := <-steps:
			tell(n)
		case err := <-done:
			if len(steps) > 0 {
				tell(<-steps)
			}
			return err
		}
	}
}

// judged are the items as lines of an import.
func (s *Store) judged(found *foreign.Found) []*parsed {
	files := map[string]bool{}
	for _, item := range found.Items {
		files[item.File] = true
	}
	for _, f := range found.Faults {
		files[f.File] = true
	}
	if len(files) < 2 { // which file it is need not be said
		for n := range found.Items {
			found.Items[n].File = ""
		}
		for n := range found.Faults {
			found.Faults[n].File = ""
		}
	}
	now := s.db.Now()
	lines := make([]*parsed, len(found.Items))
	for n := range found.Items {
		item := &found.Items[n]
		p := &parsed{number: item.Line, file: item.File, foreign: true, kind: api.LineMemory, err: item.Err}
		if p.err == nil {
			p.err = p.parseMemory(&item.Memory, now)
		} else {
			p.head = item.Head
		}
		if p.err == nil { // a text is one memory, whenever it was made and wherever it stands
			p.dated = false
			p.identity = "text:" + digest(p.memory.Body)
		}
		lines[n] = p
	}
	return lines
}

func anyRefused(lines []*parsed) bool {
	for _, p := range lines {
		if p.err != nil {
			return true
		}
	}
	return false
}

// excerptRunes is how much of a text a report shows.
const excerptRunes = 100

// headBytes is how much of a text is looked at for that.
const headBytes = 8 * excerptRunes

// excerpt is how the text begins, on one line; of a line without one, how that does.
func (p *parsed) excerpt() string {
	said := p.memory.Body
	if said == "" {
		said = p.head
	}
	text := []rune(strings.Join(strings.Fields(said[:min(len(said), headBytes)]), " "))
	if len(text) > excerptRunes {
		text = append(text[:excerptRunes-1], '…')
	}
	return strings.ToValidUTF8(string(text), "")
}

// noteWhole says what else there is to say of an import that is whole.
func (i *importing) noteWhole(found *foreign.Found, held bool) {
	i.report.Notes = append(i.report.Notes, found.Notes...)
	if i.report.DryRun {
		i.noteFaded()
	}
	if i.assumed {
		i.note("They are for %s, the only account here.", i.alone)
	}
	if !held {
		i.noteFiled()
		return
	}
	switch {
	case i.report.Broken:
		i.note("Nothing can be brought in while a file of it cannot be read to its end.")
	case i.report.DryRun:
		i.note("It comes in as a whole or not at all. What is refused can be mended, or left out on request.")
	default:
		i.note("Nothing was written: it comes in as a whole or not at all. Mend what is refused, or leave it out with --skip-refused (skip=1).")
	}
}
