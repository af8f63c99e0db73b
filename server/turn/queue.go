package turn

import (
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// enqueue has a message wait. Errors: TooMany.
func enqueue(tx *db.Tx, owner db.AccountID, id int64, content string, steer bool) (api.Queued, error) {
	var waiting int
	if err := tx.Row(`SELECT COUNT(*) FROM turn_queue WHERE conversation_id = ? AND owner_id = ?`, []any{id, int64(owner)}, &waiting); err != nil {
		return api.Queued{}, err
	}
	if most := setting.Int("conversation.queued"); waiting >= most {
		return api.Queued{}, fault.Newf(fault.TooMany, "%d messages wait in this conversation already. This one was not taken.", waiting)
	}
	q := api.Queued{Content: content, Steer: steer, At: api.Time(tx.Now)}
	flag := 0
	if steer {
		flag = 1
	}
	tx.Emit(owner, db.NounConversation, id)
	var err error
	if q.ID, err = tx.NewID(owner, "turn_queue"); err != nil {
		return q, err
	}
	return q, tx.Must(`INSERT INTO turn_queue (id, owner_id, conversation_id, content, steer, at) VALUES (?, ?, ?, ?, ?, ?)`, q.ID, int64(owner), id, content, flag, tx.Now)
}

// waiting is what waits in conversations, by conversation, the first one first.
func waiting(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64][]api.Queued, error) {
	found := map[int64][]api.Queued{}
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT conversation_id, id, content, steer, at FROM turn_queue WHERE conversation_id IN (`+in+`) AND owner_id = ? ORDER BY id`, append(args, int64(owner))...)
		err := rows.Each(func() error {
			var id, steer int64
			var q api.Queued
			if err := rows.Scan(&id, &q.ID, &q.Content, &steer, (*int64)(&q.At)); err != nil {
				return err
			}
			q.Steer = steer != 0
			found[id] = append(found[id], q)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// dequeue takes messages out of the queue: the first one, or all that steer. The caller
// appends them in the same transaction.
func dequeue(tx *db.Tx, owner db.AccountID, id int64, steering bool) ([]api.Queued, error) {
	all, err := waiting(tx, owner, []int64{id})
	if err != nil {
		return nil, err
	}
	var list []api.Queued
	for _, q := range all[id] {
		if steering && !q.Steer || !steering && len(list) > 0 {
			continue
		}
		if _, err := tx.Exec(`DELETE FROM turn_queue WHERE id = ? AND owner_id = ?`, q.ID, int64(owner)); err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// unqueue takes a message back that has not begun. Errors: NotFound.
func unqueue(tx *db.Tx, owner db.AccountID, id, queued int64) error {
	err := tx.Must(`DELETE FROM turn_queue WHERE id = ? AND conversation_id = ? AND owner_id = ?`, queued, id, int64(owner))
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, "There is no such message in the queue; its turn may have begun.")
	}
	tx.Emit(owner, db.NounConversation, id)
	return err
}
