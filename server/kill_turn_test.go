package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

// say says something in a conversation, and tells whether that was accepted.
func (v *victim) say(conversation int64, content string) bool {
	req, err := http.NewRequest(http.MethodPost, "http://"+v.addr+api.ConversationPath(conversation, "messages"), strings.NewReader(fmt.Sprintf(`{"content":%q}`, content)))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+v.token)
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	return a.StatusCode == http.StatusAccepted
}

// The server is killed at random instants of a turn with tools. Each time the store is
// whole, every accepted message is there or waits, the branch can be read, what is counted
// is what entries show, and the turn can be tried again.
func TestKilledInATurn(t *testing.T) {
	rounds := 20
	if os.Getenv("ELOWEN_SOAK") == "1" {
		rounds = 200
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	script := scripted.New(t)
	script.Handle(func(r *scripted.Request) scripted.Answer {
		list := r.Asked().Messages
		if last := list[len(list)-1]; last.Role == "tool" {
			return scripted.Says(scripted.Pieces("The ferry leaves at noon, says the timetable.", 8))
		}
		id := fmt.Sprint("c", len(list))
		return scripted.Says(scripted.Text("I look. "), scripted.Calls(id, "MemorySearch", `{"query":"timetable of the ferry"}`), scripted.Calls(id+"b", "MemoryListRecent", `{"limit":2}`))
	})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	v := &victim{t: t, data: filepath.Join(t.TempDir(), "data"), addr: free.Addr().String()}
	v.run("a long enough password\n", "admin", "user", "add", "anna", "--admin", "--password-stdin")
	v.token = strings.TrimSpace(v.run("", "admin", "token", "create", "--user", "anna", "--scopes", "read,write,admin"))
	v.start()
	var now api.Settings
	v.call(http.MethodGet, api.PathSettings, nil, &now)
	v.call(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "mine", Kind: api.ProviderOpenAI, BaseURL: script.OpenAI()},
	}, Roles: map[string]*api.Role{api.RoleChat: {Provider: "mine", Model: "m"}}}, nil)
	var memories []int64
	for i := range 6 {
		var m api.MemoryAdded
		v.call(http.MethodPost, api.PathMemory, api.MemoryAdd{Body: fmt.Sprintf("The ferry number %d has a timetable of its own.", i)}, &m)
		memories = append(memories, m.ID)
	}
	v.kill()

	var conversations []int64
	accepted := map[int64][]string{}
	interrupted := 0
	for round := range rounds {
		v.start()
		if round%5 == 0 {
			var c api.Conversation
			v.call(http.MethodPost, api.PathConversations, api.ConversationAdd{}, &c)
			conversations = append(conversations, c.ID)
		}
		id := conversations[len(conversations)-1]
		if round%2 == 1 {
			var c api.Conversation
			if v.call(http.MethodGet, api.ConversationPath(id), nil, &c); c.State == api.ChatInterrupted {
				v.call(http.MethodPost, api.ConversationPath(id, "retry"), nil, nil)
			}
		}
		for n := range 2 {
			content := fmt.Sprintf("When does ferry number %d leave, asked in round %d, time %d?", n, round, n)
			if !v.say(id, content) {
				t.Fatalf("%q is not accepted by a server that lives", content)
			}
			accepted[id] = append(accepted[id], content)
		}
		time.Sleep(time.Duration(random.Int64N(int64(120 * time.Millisecond))))
		v.kill()
		v.run("", "admin", "verify")
		v.start()
		interrupted += v.held(t, round, id, accepted[id])
		v.counted(round, conversations, memories)
		v.kill()
	}
	if interrupted == 0 {
		t.Error("no turn was ever cut off")
	}
	// All of them come to their end when they are tried again.
	v.start()
	for _, id := range conversations {
		var c api.Conversation
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			v.call(http.MethodGet, api.ConversationPath(id), nil, &c)
			if c.State == api.ChatIdle && len(c.Queued) == 0 {
				break
			}
			if c.State != api.ChatRunning {
				v.call(http.MethodPost, api.ConversationPath(id, "retry"), nil, nil)
			}
			if time.Since(began) > 60*time.Second {
				t.Fatalf("it never ends: %+v", c)
			}
		}
		v.held(t, rounds, id, accepted[id])
	}
	v.counted(rounds, conversations, memories)
	v.kill()
	t.Logf("%d of %d turns were cut off", interrupted, rounds)
}

// entries are all of a conversation's active branch.
func (v *victim) entries(id int64) []api.ConversationEntry {
	var page api.Page[api.ConversationEntry]
	v.call(http.MethodGet, api.ConversationPath(id, "messages?limit=500"), nil, &page)
	if page.NextCursor != "" {
		v.t.Fatal("more entries than a page")
	}
	return page.Items
}

// held sees that what was accepted in a conversation is there, in its order, said or
// waiting. It tells whether a turn was cut off.
func (v *victim) held(t *testing.T, round int, id int64, accepted []string) int {
	t.Helper()
	var c api.Conversation
	v.call(http.MethodGet, api.ConversationPath(id), nil, &c)
	var there []string
	for _, e := range v.entries(id) {
		if e.Role == api.MessageUser {
			there = append(there, e.Content)
		}
	}
	for _, q := range c.Queued {
		there = append(there, q.Content)
	}
	if strings.Join(there, "\n") != strings.Join(accepted, "\n") {
		t.Errorf("after kill %d: there are %q, accepted were %q", round+1, there, accepted)
	}
	if c.State == api.ChatInterrupted {
		return 1
	}
	return 0
}

// counted compares the uses of memories with what entries show.
func (v *victim) counted(round int, conversations, memories []int64) {
	shown := map[int64]int64{}
	for _, id := range conversations {
		for _, e := range v.entries(id) {
			for _, m := range e.Memories {
				shown[m.ID]++
			}
		}
	}
	for _, id := range memories {
		var m api.Memory
		v.call(http.MethodGet, api.MemoryPath(id), nil, &m)
		if m.UseCount != shown[id] {
			v.t.Errorf("after kill %d: memory %d has %d uses, and entries show it %d times", round+1, id, m.UseCount, shown[id])
		}
	}
}
