package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Carried is a transcript that is brought from elsewhere: judged, and with its words, so
// that little is left to be done on the writer.
type Carried struct {
	in       api.TranscriptAdd
	came     int64
	drafts   []journal.Draft
	words    []termed
	identity string
}

// Carry makes a transcript ready to be brought in. came is when it came to where it is
// brought from, in Unix milliseconds; 0, and what is in the future, stand for the moment
// in which it is brought in. Errors: Invalid.
func Carry(in api.TranscriptAdd, came int64) (*Carried, error) {
	in, err := judged(in)
	if err != nil {
		return nil, err
	}
	identity, err := identityOf(in)
	if err != nil {
		return nil, err
	}
	return &Carried{in: in, came: came, drafts: draftsOf(in), identity: identity}, nil
}

// Identity names the transcript by all that was said, when and by whom: what is carried
// twice has the same one.
func (c *Carried) Identity() string { return c.identity }

func identityOf(judged api.TranscriptAdd) (string, error) {
	text, err := json.Marshal(judged)
	if err != nil {
		return "", fault.Wrap(fault.Internal, err, "")
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// Ready takes the words, which costs the most and needs no transaction.
func (c *Carried) Ready() {
	if c.words == nil {
		c.words = ready(c.drafts)
	}
}

// Insert brings it in, and gives its id.
func (c *Carried) Insert(tx *db.Tx, owner db.AccountID) (int64, error) {
	c.Ready()
	id, err := add(tx, owner, c.in, c.drafts, c.words)
	if err == nil && c.came > 0 && c.came < tx.Now {
		err = journal.Came(tx, owner, id, c.came)
	}
	return id, err
}

// There finds a transcript of the account's that says the same; 0 where there is none.
func (c *Carried) There(tx *db.Tx, owner db.AccountID) (int64, error) {
	some, err := list(tx, owner, `SELECT `+columns+` FROM transcript WHERE owner_id = ? AND surface = ? AND turns = ? ORDER BY conversation_id`,
		int64(owner), c.in.Surface, len(c.in.Turns))
	if err != nil {
		return 0, err
	}
	for _, t := range some {
		if t.StartedAt != *c.in.StartedAt {
			continue
		}
		whole, err := carried(tx, owner, t)
		if err != nil {
			return 0, err
		}
		same, err := identityOf(whole)
		if err != nil {
			return 0, err
		}
		if same == c.identity {
			return t.ID, nil
		}
	}
	return 0, nil
}

// Owns tells whether a transcript is there and the account's.
func Owns(tx *db.Tx, owner db.AccountID, id int64) (bool, error) {
	_, err := get(tx, owner, id)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Export gives the account's transcripts as they would be added, those that came first
// first, with when each came (Unix milliseconds). One at a time is held with its turns.
func Export(tx *db.Tx, owner db.AccountID) iter.Seq2[Exported, error] {
	return func(yield func(Exported, error) bool) {
		all, err := list(tx, owner, `SELECT `+columns+` FROM transcript WHERE owner_id = ? ORDER BY conversation_id`, int64(owner))
		if err != nil {
			yield(Exported{}, err)
			return
		}
		for _, t := range all {
			in, err := carried(tx, owner, t)
			if !yield(Exported{in, int64(t.CreatedAt)}, err) || err != nil {
				return
			}
		}
	}
}

// Exported is a transcript as it would be added, and when it came here.
type Exported struct {
	api.TranscriptAdd
	Came int64
}

// carried is a stored transcript as it would be added again.
func carried(tx *db.Tx, owner db.AccountID, t api.Transcript) (api.TranscriptAdd, error) {
	out := api.TranscriptAdd{Surface: t.Surface, StartedAt: &t.StartedAt, Participants: t.Participants}
	branch, err := journal.Branch(tx, owner, t.ID)
	if err != nil {
		return out, err
	}
	for _, e := range branch {
		if one, ok := turn(e); ok {
			out.Turns = append(out.Turns, api.TurnAdd{Speaker: one.Speaker, Text: one.Text, At: &one.At})
		}
	}
	return out, nil
}
