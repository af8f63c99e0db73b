package delivery

import (
	"strconv"

	"elowen/server/db"
)

// ledger is the handle under which it is kept what was counted for a token; 0: for the
// account itself. No agent can name it.
func ledger(token int64) string { return "token:" + strconv.FormatInt(token, 10) }

// reckon notes what is handed out whole to a token, and answers what of it counts: what
// was not counted for that token, with that very body, within agent.heldMinutes.
func reckon(tx *db.Tx, owner db.AccountID, token int64, whole []Item) (uses []int64, err error) {
	handle, over := ledger(token), tx.Now-heldMillis()
	if _, err := tx.Exec(`INSERT INTO agent_conversation (owner_id, handle, results, used_at) VALUES (?, ?, 1, ?)
		ON CONFLICT (owner_id, handle) DO UPDATE SET results = agent_conversation.results + 1, used_at = excluded.used_at`,
		int64(owner), handle, tx.Now); err != nil {
		return nil, err
	}
	// What is later than now was noted before the clock was set back.
	if _, err := tx.Exec(`DELETE FROM agent_delivery WHERE owner_id = ? AND handle = ? AND (at <= ? OR at > ?)`, int64(owner), handle, over, tx.Now); err != nil {
		return nil, err
	}
	for _, i := range whole {
		n, err := tx.Exec(`INSERT INTO agent_delivery (owner_id, handle, memory_id, body_hash, result, at) VALUES (?, ?, ?, ?, 0, ?)
			ON CONFLICT (owner_id, handle, memory_id) DO UPDATE SET body_hash = excluded.body_hash, at = excluded.at
			WHERE agent_delivery.body_hash <> excluded.body_hash`,
			int64(owner), handle, i.ID, i.Hash, tx.Now)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			uses = append(uses, i.ID)
		}
	}
	return uses, nil
}
