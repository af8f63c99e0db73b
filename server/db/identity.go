package db

// idSpan is how many ids of a table an account has to itself. Below 2^53, where a
// number that passes through JavaScript stays what it is, there is room for two million
// accounts.
const idSpan = int64(1) << 32

// NewIDs takes n ids for rows of an account's in a table, and gives the first of them:
// the rows are inserted under these ids, in the same decision. Each account counts for
// itself, in a range of its own, so that ids tell nobody of other accounts. They ascend,
// and never come back.
func (tx *Tx) NewIDs(owner AccountID, table string, n int) (first int64, err error) {
	from := (int64(owner) - 1) * idSpan
	err = tx.Row(`INSERT INTO identity (owner_id, of, last) VALUES (?, ?, ?) ON CONFLICT (owner_id, of) DO UPDATE SET last = identity.last + ? RETURNING last`,
		[]any{int64(owner), table, from + int64(n), n}, &first)
	return first - int64(n) + 1, err
}

// NewID takes one id, as NewIDs does.
func (tx *Tx) NewID(owner AccountID, table string) (int64, error) { return tx.NewIDs(owner, table, 1) }

// Gave tells whether an id is of those that NewIDs gives the account. Ids from before
// each account counted for itself all lie in the first account's range.
func (a AccountID) Gave(id int64) bool {
	from := (int64(a) - 1) * idSpan
	return id > from && id <= from+idSpan
}
