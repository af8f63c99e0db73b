package turn

import (
	"elowen/server/db"
	"elowen/server/journal"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Who gave a chat its title.
const (
	titledNo     = "no"
	titledWords  = "words"  // the first words of its first message
	titledModel  = "model"  // the utility model
	titledPerson = "person" // a person
)

// row is a chat with its conversation.
type row struct {
	journal.Conversation
	project  int64
	pick     api.ModelPick // empty: the role chat
	titled   string
	state    string
	problem  string
	retryAt  int64
	holder   string
	lease    int64
	tokens   int
	window   int
	calledAt int64
	usedAt   int64
}

const chatColumns = `conversation_id, project_id, provider, model, titled, state, problem, retry_at, holder, lease_until, tokens, context_window, called_at, used_at`

func (r *row) fields() []any {
	return []any{&r.ID, &r.project, &r.pick.Provider, &r.pick.Model, &r.titled, &r.state, &r.problem, &r.retryAt, &r.holder, &r.lease, &r.tokens, &r.window, &r.calledAt, &r.usedAt}
}

var errNoChat = fault.New(fault.NotFound, "There is no such conversation.")

// get is one of the account's chats. Errors: NotFound.
func get(tx *db.Tx, owner db.AccountID, id int64) (r row, err error) {
	err = tx.Row(`SELECT `+chatColumns+` FROM chat WHERE conversation_id = ? AND owner_id = ?`, []any{id, int64(owner)}, r.fields()...)
	if fault.Is(err, fault.NotFound) {
		return r, errNoChat
	}
	if err != nil {
		return r, err
	}
	r.Conversation, err = journal.Get(tx, owner, id)
	r.settle(tx.Now)
	return r, err
}

// settle sees that a turn whose program gives no sign any more was interrupted.
func (r *row) settle(now int64) {
	if r.state == api.ChatRunning && r.lease <= now {
		r.state, r.problem, r.retryAt, r.holder = api.ChatInterrupted, "", 0, ""
	}
}

// running tells whether a turn runs, here or in another program.
func (r *row) running() bool { return r.state == api.ChatRunning }

// model is the one that was picked; nil: the role chat.
func (r *row) model() *api.ModelPick {
	if r.pick.Provider == "" {
		return nil
	}
	return &r.pick
}

// create makes the chat of a conversation.
func create(tx *db.Tx, owner db.AccountID, r row) error {
	_, err := tx.Exec(`INSERT INTO chat (conversation_id, owner_id, project_id, provider, model, titled, state, problem, retry_at, holder, lease_until, stop_asked, tokens, context_window, called_at, used_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, '', 0, 0, 0, 0, 0, ?)`,
		r.ID, int64(owner), r.project, r.pick.Provider, r.pick.Model, r.titled, api.ChatIdle, tx.Now)
	return err
}

// take makes a turn of a chat one that this program runs, until the lease is over.
func (s *Store) take(tx *db.Tx, owner db.AccountID, id int64) error {
	tx.Emit(owner, db.NounConversation, id)
	return tx.Must(`UPDATE chat SET state = ?, problem = '', retry_at = 0, holder = ?, lease_until = ?, stop_asked = 0, used_at = ? WHERE conversation_id = ? AND owner_id = ?`,
		api.ChatRunning, s.o.Holder, tx.Now+leaseMillis(), tx.Now, id, int64(owner))
}

func leaseMillis() int64 { return int64(setting.Int("turn.leaseMillis")) }

// renew goes on holding a turn. held is false where it is somebody else's by now, or
// nobody's; stop tells that somebody asked for its end.
func (s *Store) renew(tx *db.Tx, owner db.AccountID, id int64) (held, stop bool, err error) {
	var asked int64
	err = tx.Row(`UPDATE chat SET lease_until = ? WHERE conversation_id = ? AND owner_id = ? AND holder = ? AND state = ? RETURNING stop_asked`,
		[]any{tx.Now + leaseMillis(), id, int64(owner), s.o.Holder, api.ChatRunning}, &asked)
	if fault.Is(err, fault.NotFound) {
		return false, false, nil
	}
	return err == nil, asked != 0, err
}

// release ends a turn that this program runs.
func (s *Store) release(tx *db.Tx, owner db.AccountID, id int64, state, problem string, retryAt int64) error {
	tx.Emit(owner, db.NounConversation, id)
	_, err := tx.Exec(`UPDATE chat SET state = ?, problem = ?, retry_at = ?, holder = '', lease_until = 0, stop_asked = 0, used_at = ? WHERE conversation_id = ? AND owner_id = ? AND holder = ?`,
		state, problem, retryAt, tx.Now, id, int64(owner), s.o.Holder)
	return err
}

// measured notes what an answer took.
func measured(tx *db.Tx, owner db.AccountID, id int64, tokens, window int) error {
	_, err := tx.Exec(`UPDATE chat SET tokens = ?, context_window = ?, called_at = ? WHERE conversation_id = ? AND owner_id = ?`, tokens, window, tx.Now, id, int64(owner))
	return err
}

// recount forgets what was measured: the branch that a conversation goes on with is
// another one.
func recount(tx *db.Tx, owner db.AccountID, id int64) error {
	return tx.Must(`UPDATE chat SET tokens = 0 WHERE conversation_id = ? AND owner_id = ?`, id, int64(owner))
}

// compactAt is from which share of the context an account has a model's summarized, in
// percent; 0: never.
func compactAt(tx *db.Tx, owner db.AccountID, pick api.ModelPick) (percent int, err error) {
	err = tx.Row(`SELECT percent FROM chat_compaction WHERE owner_id = ? AND provider = ? AND model = ?`, []any{int64(owner), pick.Provider, pick.Model}, &percent)
	if fault.Is(err, fault.NotFound) {
		return setting.Int("conversation.compactPercent"), nil
	}
	return percent, err
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{`DELETE FROM relayed_entry WHERE owner_id = ?`, `DELETE FROM relayed_name WHERE owner_id = ?`, `DELETE FROM turn_queue WHERE owner_id = ?`, `DELETE FROM chat WHERE owner_id = ?`, `DELETE FROM chat_compaction WHERE owner_id = ?`} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	return nil
}
