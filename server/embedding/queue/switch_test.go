package queue_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/embedding/endpoint"
	"elowen/server/embedding/openai"
	"elowen/shared/api"
)

func remote(s *embeddingtest.Server, model string) *endpoint.Client {
	return endpoint.New(endpoint.Config{
		Space: embedding.Space{Kind: api.ProviderOpenAI, Endpoint: s.URL + "/v1", Model: model}, Format: openai.Format{},
	})
}

// From one endpoint to another and back, each time in the middle of a request: what
// comes late is not stored, nothing is embedded twice that was stored, and in the end
// switching back asks nobody.
func TestEndpointsAreSwitchedInTheMiddleOfARun(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		h := newHouse(t, d, clock)
		a, b := embeddingtest.NewServer(t, "a", 8), embeddingtest.NewServer(t, "b", 12)
		toA, toB := remote(a, "m"), remote(b, "m") // the same model, and another width
		const n = 200
		for i := range n {
			h.add(h.ann, fmt.Sprintf("body %d", i))
		}
		// The third request to each is answered when another one is in use already.
		at := func(third *atomic.Int64, then func()) func(http.ResponseWriter, *http.Request, []string) bool {
			return func(http.ResponseWriter, *http.Request, []string) bool {
				if third.Add(1) == 3 {
					then()
				}
				return false
			}
		}
		var toldA, toldB atomic.Int64
		a.Fail(at(&toldA, func() { h.use(toB) }))
		b.Fail(at(&toldB, func() { h.use(toA) }))
		h.use(toA)
		h.drain()
		h.wants(h.ann, n, n)
		if got := len(a.Texts()); got != n+32 {
			t.Errorf("%d texts went to A, want %d and those of the late request", got, n)
		}
		if got := len(b.Texts()); got != 3*32 {
			t.Errorf("%d texts went to B", got)
		}
		labels := func() {
			t.Helper()
			err := d.View(ctx, func(tx *db.Tx) error {
				texts := map[int64]string{}
				list, err := h.memories.Bodies(tx, h.ann, 0, n)
				if err != nil {
					return err
				}
				ids := make([]int64, len(list))
				for i := range list {
					ids[i] = list[i].Memory
				}
				bodies, err := h.memories.Texts(tx, h.ann, ids)
				if err != nil {
					return err
				}
				for _, b := range bodies {
					texts[b.Memory] = b.Text
				}
				rows := tx.Query(`SELECT v.memory_id, s.endpoint, v.vector FROM embedding_vector v JOIN embedding_space s ON s.id = v.space_id WHERE v.owner_id = ?`, int64(h.ann))
				defer rows.Close()
				for rows.Next() {
					var id int64
					var where string
					var raw []byte
					if err := rows.Scan(&id, &where, &raw); err != nil {
						return err
					}
					salt, width := "a", 8
					if where == b.URL+"/v1" {
						salt, width = "b", 12
					}
					v := make([]float32, width)
					if !embedding.Decode(v, raw) || !embeddingtest.Same(v, salt, texts[id]) {
						t.Errorf("memory %d has a vector that is not its own in the space of %s", id, salt)
					}
				}
				return rows.Err()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		labels()
		h.use(toB)
		h.wants(h.ann, 64, n) // what came before the switch is there
		h.drain()
		h.wants(h.ann, n, n)
		requests := a.Requests()
		h.use(toA)
		h.wants(h.ann, n, n)
		h.drain()
		if a.Requests() != requests {
			t.Errorf("switching back made %d requests", a.Requests()-requests)
		}
		labels()
	})
}
