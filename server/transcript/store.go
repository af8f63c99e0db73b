package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/journal"
	"elowen/server/late"
	"elowen/server/validation"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Store is made of.
type Options struct {
	Service *embedding.Service
	Late    *late.Reranker // nil: there is none
	// Background smooths how rare words are; it is asked for once there is a question.
	// nil knows no word.
	Background func() words.Background
	Log        *slog.Logger // nil is silent
}

// Store keeps transcripts. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	o       Options
	indexes *indexes
}

// New makes the store over an open database.
func New(d *db.DB, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Background == nil {
		o.Background = func() words.Background { return nil }
	}
	return &Store{db: d, o: o, indexes: newIndexes(int64(setting.Int("transcript.resident")))}
}

// added is what is remembered of an Add: nothing of what was said.
type added struct {
	ID int64 `json:"id"`
}

// Add stores a transcript. Errors: Invalid; Gone for a repeated request whose transcript
// was deleted since.
func (s *Store) Add(ctx context.Context, owner db.AccountID, in api.TranscriptAdd) (api.Transcript, error) {
	in, err := judged(in)
	if err != nil {
		return api.Transcript{}, err
	}
	drafts := draftsOf(in)
	words := ready(drafts)
	did, err := db.Do(ctx, s.db, func(tx *db.Tx) (added, error) {
		id, err := add(tx, owner, in, drafts, words)
		return added{id}, err
	})
	if err != nil {
		return api.Transcript{}, err
	}
	var out api.Transcript
	err = s.db.View(ctx, func(tx *db.Tx) (err error) {
		out, err = get(tx, owner, did.ID)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Gone, "This was done before, and the transcript has been deleted since.")
	}
	return out, err
}

// judged is a transcript as it is stored, if it may be.
func judged(in api.TranscriptAdd) (api.TranscriptAdd, error) {
	if err := validation.Struct(in); err != nil {
		return in, err
	}
	in.Participants, in.Turns = slices.Clone(in.Participants), slices.Clone(in.Turns)
	known := make(map[string]bool, len(in.Participants))
	for i := range in.Participants {
		p := &in.Participants[i]
		if p.Name = strings.TrimSpace(p.Name); known[p.Name] {
			return in, fault.BadField("participants["+strconv.Itoa(i)+"].name", "unique", "", "Two participants have this name. Each needs one of its own.")
		}
		if known[p.Name] = true; p.Role == "" {
			p.Role = api.ParticipantPerson
		}
	}
	at := in.StartedAt
	for i := range in.Turns {
		t := &in.Turns[i]
		if t.Speaker = strings.TrimSpace(t.Speaker); !known[t.Speaker] {
			field := "turns[" + strconv.Itoa(i) + "].speaker"
			return in, fault.BadField(field, "participant", "", field+" is not the name of a participant.")
		}
		if t.Text = strings.TrimSpace(t.Text); t.At == nil {
			t.At = at
		}
		at = t.At
	}
	return in, nil
}

// kinds are those of the conversations that surfaces bring.
var kinds = map[string]string{api.SurfaceVoice: journal.KindVoice, api.SurfaceChat: journal.KindChat, api.SurfaceTeamChat: journal.KindRoom}

// add stores a judged transcript: its drafts, with their words.
func add(tx *db.Tx, owner db.AccountID, in api.TranscriptAdd, drafts []journal.Draft, words []termed) (int64, error) {
	c, err := journal.Begin(tx, owner, kinds[in.Surface], "", int64(*in.StartedAt))
	if err != nil {
		return 0, err
	}
	who, err := json.Marshal(in.Participants)
	if err != nil {
		return 0, fault.Wrap(fault.Internal, err, "")
	}
	if _, err := tx.Exec(`INSERT INTO transcript (conversation_id, owner_id, surface, participants, turns) VALUES (?, ?, ?, ?, ?)`,
		c.ID, int64(owner), in.Surface, string(who), len(in.Turns)); err != nil {
		return 0, err
	}
	entries, err := journal.Append(tx, owner, c.ID, 0, drafts...)
	if err != nil {
		return 0, err
	}
	of := make(map[int64]termed, len(entries))
	for i, e := range entries {
		of[e.ID] = words[i]
	}
	return c.ID, index(tx, owner, entries, of)
}

// draftsOf are the turns of a judged transcript as the journal takes them.
func draftsOf(in api.TranscriptAdd) []journal.Draft {
	roles := map[string]string{}
	for _, p := range in.Participants {
		if roles[p.Name] = journal.RoleUser; p.Role == api.ParticipantAgent {
			roles[p.Name] = journal.RoleAssistant
		}
	}
	drafts := make([]journal.Draft, len(in.Turns))
	for i, t := range in.Turns {
		drafts[i] = journal.Draft{At: int64(*t.At), Payload: &journal.Message{Role: roles[t.Speaker], Speaker: t.Speaker, Content: t.Text}}
	}
	return drafts
}

const columns = `conversation_id, surface, participants, turns`

// row is a transcript without what the journal knows of it.
type row struct {
	id           int64
	surface      string
	participants string
	turns        int
}

func (r *row) fields() []any { return []any{&r.id, &r.surface, &r.participants, &r.turns} }

// served is a row as it is served.
func (r *row) served(c journal.Conversation) (api.Transcript, error) {
	t := api.Transcript{ID: r.id, Surface: r.surface, StartedAt: api.Time(c.StartedAt), CreatedAt: api.Time(c.CreatedAt), Participants: []api.Participant{}, Turns: r.turns}
	if err := json.Unmarshal([]byte(r.participants), &t.Participants); err != nil {
		return t, fault.Wrap(fault.Corrupt, fmt.Errorf("transcript %d: %w", r.id, err), "A transcript cannot be read.")
	}
	return t, nil
}

// get is one of the account's transcripts. Errors: NotFound.
func get(tx *db.Tx, owner db.AccountID, id int64) (api.Transcript, error) {
	var r row
	if err := tx.Row(`SELECT `+columns+` FROM transcript WHERE conversation_id = ? AND owner_id = ?`, []any{id, int64(owner)}, r.fields()...); err != nil {
		if fault.Is(err, fault.NotFound) {
			err = fault.New(fault.NotFound, "There is no such transcript.")
		}
		return api.Transcript{}, err
	}
	c, err := journal.Get(tx, owner, id)
	if err != nil {
		return api.Transcript{}, err
	}
	return r.served(c)
}

// list are rows with what the journal knows of them, in the order of the query.
func list(tx *db.Tx, owner db.AccountID, query string, args ...any) ([]api.Transcript, error) {
	rows := tx.Query(query, args...)
	defer rows.Close()
	var found []row
	var ids []int64
	for rows.Next() {
		var r row
		if err := rows.Scan(r.fields()...); err != nil {
			return nil, err
		}
		found, ids = append(found, r), append(ids, r.id)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	conversations, err := journal.GetAll(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	out := make([]api.Transcript, 0, len(found))
	for i := range found {
		t, err := found[i].served(conversations[found[i].id])
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// among tells which of conversations are transcripts of the account's.
func among(tx *db.Tx, owner db.AccountID, conversations []int64) (map[int64]api.Transcript, error) {
	found := make(map[int64]api.Transcript, len(conversations))
	for in, args := range db.InParts(conversations) {
		some, err := list(tx, owner, `SELECT `+columns+` FROM transcript WHERE conversation_id IN (`+in+`) AND owner_id = ?`, append(args, int64(owner))...)
		if err != nil {
			return nil, err
		}
		for _, t := range some {
			found[t.ID] = t
		}
	}
	return found, nil
}
