package live_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"elowen/server/account"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
)

// From the call that adds a memory to the frame in each of a thousand sockets of
// one process, which here is the same one: the clients' work is in it too.
func BenchmarkBroadcast1000Sockets(b *testing.B) {
	for _, accounts := range []int{1, 1000} {
		b.Run(fmt.Sprint("accounts=", accounts), func(b *testing.B) { broadcast(b, 1000, accounts) })
	}
}

func broadcast(b *testing.B, sockets, accounts int) {
	d := serve(b, projectiontest.Open(b, nil), nil)
	people := make([]account.Identity, accounts)
	tokens := make([]string, accounts)
	for i := range people {
		people[i] = d.Account(fmt.Sprint("p", i))
		tokens[i] = d.token(b, people[i]).Token
	}
	d.Fill(people[0], 200, func(i int) string { return fmt.Sprint("fact ", i) })
	type arrival struct {
		socket int
		at     time.Time
	}
	arrivals := make(chan arrival, 4*sockets)
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for i := range sockets {
		c := d.dial(b, tokens[i%accounts])
		c.subscribe("w", api.MemoryQuery{}, 0, 60)
		c.until("a snapshot", func() bool { return c.windows["w"].Loaded })
		all.Add(1)
		go func(conn *websocket.Conn) {
			defer all.Done()
			for {
				if _, _, err := conn.Read(ctx); err != nil {
					return
				}
				arrivals <- arrival{i, time.Now()}
			}
		}(c.conn)
	}
	defer all.Wait()
	defer cancel()
	var delays []time.Duration
	n := 0
	for b.Loop() {
		n++
		who := n % accounts
		began := time.Now()
		d.Add(people[who], fmt.Sprint("new fact ", n), 5)
		for range sockets / accounts {
			delays = append(delays, (<-arrivals).at.Sub(began))
		}
		time.Sleep(20 * time.Millisecond) // one change at a time, as people make them
	}
	slices.Sort(delays)
	at := func(share float64) float64 {
		return float64(delays[int(share*float64(len(delays)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}
