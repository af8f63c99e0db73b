package recall

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
)

// Request is a question of the program's own: of a turn, or of a tool.
type Request struct {
	Query   string
	Project int64 // 0: in none
	Limit   int   // 0: limits.recallCount
	Bytes   int   // of the bodies together; 0: limits.recallBytes
	After   int64 // noted or last changed at or after, in Unix milliseconds; 0: whenever
	Before  int64 // noted or last changed before; 0: whenever
	Exclude Exclusion
}

// Exclusion names memories that are passed over before anything is scored.
type Exclusion interface {
	// IDs are the memories that may have to be passed over.
	IDs() []int64
	// Has tells whether a memory is, as its body is now: one whose body has changed
	// since it was delivered may come again.
	Has(id int64, bodyHash string) bool
}

// IDs excludes memories whatever their bodies are.
type IDs []int64

// IDs implements Exclusion.
func (l IDs) IDs() []int64 { return l }

// Has implements Exclusion.
func (IDs) Has(int64, string) bool { return true }

// Recalled is a memory that was picked.
type Recalled struct {
	api.Memory
	Owner      db.AccountID // whose it is: the account, or a pool
	BodyHash   string
	Similarity *float64 // cosine; nil: words alone found it
	Relevance  float64
	Score      float64
}

// Result is what was found for a Request.
type Result struct {
	Memories []Recalled // the best first
	Path     string     // api.PathSemantic or api.PathKeyword
	Note     string     // what people should know of how it was found; empty: nothing
}

// Retriever finds memories for questions. What it hands out is not counted.
type Retriever interface {
	Recall(ctx context.Context, account db.AccountID, r Request) (Result, error)
}

var _ Retriever = (*Store)(nil)
