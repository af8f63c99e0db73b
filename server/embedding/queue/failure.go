package queue

import (
	"time"

	"elowen/server/db"
	"elowen/server/memory"
)

// failure is what could not be derived from a body.
type failure struct {
	hash    string // of the body
	tries   int64
	retryAt int64 // Unix milliseconds
}

// The time until a body is tried again: from firstRetry, twice as long each time, at
// most longestRetry.
const (
	firstRetry   = time.Minute
	longestRetry = 24 * time.Hour
)

// retryAt is when a body is tried again that failed so often.
func retryAt(now, tries int64) int64 {
	pause := longestRetry
	if tries < 12 {
		pause = min(firstRetry<<max(tries-1, 0), longestRetry)
	}
	return now + pause.Milliseconds()
}

// failures reads those of an account.
func failures(tx *db.Tx, owner db.AccountID, kind, source string) (map[int64]failure, error) {
	rows := tx.Query(`SELECT memory_id, body_hash, tries, retry_at FROM derivation_failure WHERE owner_id = ? AND kind = ? AND source = ?`, int64(owner), kind, source)
	defer rows.Close()
	found := map[int64]failure{}
	for rows.Next() {
		var id int64
		var f failure
		if err := rows.Scan(&id, &f.hash, &f.tries, &f.retryAt); err != nil {
			return nil, err
		}
		found[id] = f
	}
	return found, rows.Err()
}

// saveFailure notes one more failure of a body, unless it is its memory's no more.
func saveFailure(tx *db.Tx, owner db.AccountID, kind, source string, t memory.Text, was failure, reason string) (failure, error) {
	f := failure{hash: t.Hash, tries: 1}
	if was.hash == t.Hash {
		f.tries = was.tries + 1
	}
	f.retryAt = retryAt(tx.Now, f.tries)
	_, err := tx.Exec(`INSERT INTO derivation_failure (owner_id, kind, source, memory_id, body_hash, tries, retry_at, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner_id, kind, source, memory_id) DO UPDATE SET body_hash = excluded.body_hash, tries = excluded.tries, retry_at = excluded.retry_at, reason = excluded.reason`,
		int64(owner), kind, source, t.Memory, f.hash, f.tries, f.retryAt, reason)
	return f, err
}

// dropFailures forgets those of memories, of every model.
func dropFailures(tx *db.Tx, owner db.AccountID, kind string, ids []int64) error {
	for in, args := range db.InParts(ids) {
		if _, err := tx.Exec(`DELETE FROM derivation_failure WHERE owner_id = ? AND kind = ? AND memory_id IN (`+in+`)`, append([]any{int64(owner), kind}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM derivation_failure WHERE owner_id = ?`, int64(owner))
	return err
}
