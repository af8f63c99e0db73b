package turn

import (
	"context"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/servertest/scripted"
	"elowen/server/tool"
	"elowen/shared/api"
)

var wholeElement = regexp.MustCompile(`(?s)<memory id="(\d+)"([^>]*)>(.*?)</memory>`)

// versionsIn are the memories that stand whole in what is sent, as id and hash of the body.
func versionsIn(r *scripted.Request) (list []string) {
	for _, m := range r.Asked().Messages {
		for _, e := range wholeElement.FindAllStringSubmatch(m.Text, -1) {
			if !strings.Contains(e[2], "already in context") {
				list = append(list, e[1]+" "+audit.Hash(html.UnescapeString(e[3])))
			}
		}
	}
	return list
}

// sentences of which memories, messages and tools' answers are made.
var topics = []string{"harbour", "ferry", "timetable"}

// observer judges each request of a conversation when it comes.
type observer struct {
	h *house

	mu      sync.Mutex
	wrong   []string
	last    []string // the messages of the last request
	shrinks bool     // something was taken away since
}

func (o *observer) fail(format string, args ...any) {
	o.wrong = append(o.wrong, fmt.Sprintf(format, args...))
}

// sees judges a request for an answer.
func (o *observer) sees(r *scripted.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := r.Asked().Messages
	summary := strings.HasPrefix(asked[len(asked)-1].Text, "Summarize the conversation")
	seen := map[string]bool{}
	var c *delivery.Context
	if err := o.h.d.View(ctx, func(tx *db.Tx) (err error) { c, err = o.h.contexts.In(tx, o.h.ann, o.h.id); return err }); err != nil {
		o.fail("%v", err)
		return
	}
	for _, v := range versionsIn(r) {
		if seen[v] {
			o.fail("%s stands twice in what is sent", v)
		}
		seen[v] = true
		var id int64
		var hash string
		fmt.Sscan(v, &id, &hash)
		if !c.Has(id, hash) {
			o.fail("%s is sent, and is in no entry", v)
		}
	}
	if summary {
		return
	}
	var texts []string
	for _, m := range asked {
		texts = append(texts, fmt.Sprint(m))
	}
	if !o.shrinks && (len(texts) < len(o.last) || !slices.Equal(texts[:len(o.last)], o.last)) {
		o.fail("a request doesn't begin with the one before:\n%q\n%q", o.last, texts)
	}
	o.last, o.shrinks = texts, false
}

func (o *observer) shrink() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shrinks = true
}

// delivered counts what the entries of all of ann's conversations delivered, by memory.
func (h *house) delivered(r *rapid.T) map[int64]int64 {
	counts := map[int64]int64{}
	err := h.d.View(ctx, func(tx *db.Tx) error {
		ids, err := tx.Column(`SELECT id AS v FROM journal_entry WHERE owner_id = ?`, int64(h.ann))
		if err != nil {
			return err
		}
		found, err := journal.Entries(tx, h.ann, ids)
		for _, e := range found {
			list, _ := delivery.DeliveriesOf(e.Entry)
			for _, d := range list {
				counts[d.Memory]++
			}
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return counts
}

// Whatever happens in a conversation, at each call of the model no version of a memory
// stands twice in what is sent, what is sent stands in an entry, each request begins with
// the one before as long as nothing was taken away, and what is counted is what entries
// show, no more and no less.
func TestDeliveryIsExact(t *testing.T) {
	h := newHouse(t)
	copied := map[int64]int64{} // what forks copied, which counts nothing
	var memories []int64
	h.limits(api.LimitsChange{LivePerSearch: api.Some(2), RecallCount: api.Some(3)})
	rapid.Check(t, func(r *rapid.T) {
		c, err := h.Create(ctx, h.ann, api.ConversationAdd{})
		if err != nil {
			r.Fatal(err)
		}
		h.id = c.ID
		o := &observer{h: h, shrinks: true}
		sentence := func(label string) string {
			return fmt.Sprintf("The %s and the %s, number %d.", rapid.SampledFrom(topics).Draw(r, label), rapid.SampledFrom(topics).Draw(r, label), rapid.IntRange(0, 99).Draw(r, label))
		}
		h.tools["Look"] = func(_ context.Context, at tool.Place, _ string) tool.Outcome {
			return tool.Outcome{Text: "Looked at the harbour and its ferry, at " + at.ID + ", for a while."}
		}
		var plan []scripted.Answer
		n := 0
		h.endpoint.Handle(func(q *scripted.Request) scripted.Answer {
			o.sees(q)
			o.mu.Lock()
			defer o.mu.Unlock()
			if len(plan) == 0 {
				return scripted.Says(scripted.Text("That is all."))
			}
			a := plan[0]
			plan = plan[1:]
			return a
		})
		answers := func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			plan = nil
			for range rapid.IntRange(0, 4).Draw(r, "answers") {
				n++
				id := fmt.Sprint("c", n)
				switch rapid.IntRange(0, 7).Draw(r, "answer") {
				case 0:
					plan = append(plan, scripted.Status(401, ""))
				case 1:
					plan = append(plan, scripted.Says(scripted.Text("Half of"), scripted.Cut()))
				case 2, 3:
					plan = append(plan, scripted.Says(scripted.Calls(id, "Look", `{}`)))
				case 4:
					plan = append(plan, scripted.Says(scripted.Calls(id, "MemoryListRecent", `{"limit":3}`)))
				default:
					plan = append(plan, scripted.Says(scripted.Text("I search. "),
						scripted.Calls(id, "MemorySearch", fmt.Sprintf(`{"query":%q,"limit":3,"full":true}`, rapid.SampledFrom(topics).Draw(r, "search"))),
						scripted.Calls(id+"b", "MemorySearch", fmt.Sprintf(`{"query":%q,"limit":2}`, rapid.SampledFrom(topics).Draw(r, "search")))))
				}
			}
		}
		ended := func() {
			h.until("the end of the turn", func() bool {
				h.mu.Lock()
				defer h.mu.Unlock()
				ss := h.sessions[h.id]
				return ss == nil || ss.end == nil
			})
			h.settled()
		}
		branch := func() (list []journal.Entry) {
			if err := h.d.View(ctx, func(tx *db.Tx) (err error) { list, err = journal.Branch(tx, h.ann, h.id); return err }); err != nil {
				r.Fatal(err)
			}
			return list
		}
		for range rapid.IntRange(1, 10).Draw(r, "steps") {
			list := branch()
			step := rapid.IntRange(0, 13).Draw(r, "step")
			switch {
			case step == 0 || len(memories) == 0:
				memories = append(memories, h.remember(sentence("memory")+fmt.Sprint(" It is memory ", len(memories))))
			case step == 1:
				h.edit(rapid.SampledFrom(memories).Draw(r, "edited"), sentence("memory")+fmt.Sprint(" It was edited, time ", n))
				n++
			case step == 2 && len(list) > 0: // another way from an earlier message
				var said []int64
				for _, e := range list {
					if m, ok := e.Payload.(*journal.Message); ok && m.Role == journal.RoleUser {
						said = append(said, e.ID)
					}
				}
				o.shrink()
				answers()
				h.say(sentence("instead"), editing(rapid.SampledFrom(said).Draw(r, "message")))
			case step == 3 && len(list) > 0:
				o.shrink()
				if _, err := h.Go(ctx, h.ann, h.id, api.EntryPick{EntryID: list[rapid.IntRange(0, len(list)-1).Draw(r, "leaf")].ID}); err != nil {
					r.Fatal(err)
				}
			case step == 4 && len(list) > 0:
				before := h.delivered(r)
				f, err := h.Fork(ctx, h.ann, h.id, api.EntryPick{EntryID: list[rapid.IntRange(0, len(list)-1).Draw(r, "leaf")].ID})
				if err != nil {
					r.Fatal(err)
				}
				h.id = f.ID
				o.shrink()
				for id, n := range h.delivered(r) {
					copied[id] += n - before[id]
				}
			case step == 5:
				o.shrink()
				if _, err := h.Compact(ctx, h.ann, h.id, api.CompactStart{}); err == nil {
					ended()
				}
			case step == 6:
				o.shrink()
				if _, err := h.Clear(ctx, h.ann, h.id); err != nil {
					r.Fatal(err)
				}
			case step == 7:
				h.restart()
			case step == 8:
				o.shrink() // what was cut off goes
				answers()
				_, _ = h.Retry(ctx, h.ann, h.id) // there may be nothing to try again
			default:
				answers()
				h.say(sentence("message"))
			}
			ended()
			o.mu.Lock()
			wrong := o.wrong
			o.mu.Unlock()
			if len(wrong) > 0 {
				r.Fatalf("%s", strings.Join(wrong, "\n"))
			}
			counts := h.delivered(r)
			for _, id := range memories {
				if uses := h.uses(id); uses != counts[id]-copied[id] {
					r.Fatalf("memory %d has %d uses, and entries show it %d times", id, uses, counts[id]-copied[id])
				}
			}
		}
	})
}
