package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/local"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/late"
	"elowen/server/transcript"
	"elowen/server/words"
	"elowen/shared/api"
)

// transcriptWays are the ways in which turns are found.
var transcriptWays = []way{
	{name: "as it comes: multilingual E5, words, late interaction", model: local.Multilingual, late: true},
	{name: "without late interaction", model: local.Multilingual},
	{name: "words and late interaction, no embedding", late: true},
	{name: "words alone"},
}

// speaking is somebody whose transcripts are the sessions of a conversation.
type speaking struct {
	id    db.AccountID
	place map[int64]int // of turns
}

// transcripts prints evidence recall over conversations that are stored as transcripts:
// one account a conversation, each session a transcript, asked as
// /api/transcripts/search is.
func (w *recaller) transcripts(ctx context.Context, out io.Writer, path string) error {
	list, unknown, err := conversations(path)
	if err != nil {
		return err
	}
	keeper := w.keeper(nil)
	var owners []speaking
	questions, turns := 0, 0
	for i, c := range list {
		l, err := w.spoke(ctx, keeper, fmt.Sprintf("t%d", i), c)
		if err != nil {
			return err
		}
		owners = append(owners, l)
		questions, turns = questions+len(c.questions), turns+len(c.turns)
	}
	fmt.Fprintf(out, "\nLoCoMo as transcripts, evidence recall@10 in percent: %d conversations, %d turns, %d questions, %d unknown turns dropped\n", len(list), turns, questions, unknown)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "way\t1–4\tall\tsingle hop 4\tmulti hop 1\ttime 2\topen 3\tadversarial 5")
	for _, one := range transcriptWays {
		keeper, err := w.listens(ctx, one)
		if err != nil {
			return err
		}
		var f found
		for i, c := range list {
			for _, q := range c.questions {
				got, err := keeper.Search(ctx, owners[i].id, api.TranscriptSearch{Query: q.text})
				if err != nil {
					return err
				}
				var picked []int
				for _, turn := range got.Turns {
					picked = append(picked, owners[i].place[turn.ID])
				}
				f.add(q, picked)
			}
		}
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\n", one.name, f.of(1, 2, 3, 4), f.of(1, 2, 3, 4, 5), f.of(4), f.of(1), f.of(2), f.of(3), f.of(5))
	}
	return t.Flush()
}

// keeper keeps transcripts, with late interaction or without.
func (w *recaller) keeper(r *late.Reranker) *transcript.Store {
	return transcript.New(w.db, transcript.Options{Service: w.service, Late: r, Background: func() words.Background { return w.words }})
}

// spoke makes somebody with a conversation's sessions.
func (w *recaller) spoke(ctx context.Context, keeper *transcript.Store, name string, c conversation) (speaking, error) {
	l := speaking{place: map[int64]int{}}
	if _, err := w.accounts.Add(ctx, api.PersonAdd{Name: name, Password: password, Role: api.RoleMember}); err != nil {
		return l, err
	}
	var err error
	if l.id, err = w.named(ctx, name); err != nil {
		return l, err
	}
	at := 0
	for _, s := range c.sessions {
		in := api.TranscriptAdd{Surface: api.SurfaceTeamChat, StartedAt: api.Ptr(api.Time(s.at.UnixMilli()))}
		for _, said := range s.said {
			who := api.Participant{Name: said.speaker}
			if !slices.Contains(in.Participants, who) {
				in.Participants = append(in.Participants, who)
			}
			in.Turns = append(in.Turns, api.TurnAdd{Speaker: said.speaker, Text: said.text})
		}
		stored, err := keeper.Add(ctx, l.id, in)
		if err != nil {
			return l, err
		}
		whole, err := keeper.Get(ctx, l.id, stored.ID)
		if err != nil {
			return l, err
		}
		for _, turn := range whole.Items {
			l.place[turn.ID] = at
			at++
		}
	}
	return l, nil
}

// listens finds turns in one way from now on; what they lack is indexed, by the queue
// that a server has.
func (w *recaller) listens(ctx context.Context, one way) (*transcript.Store, error) {
	w.service = embedding.NewService()
	var kinds []queue.Kind
	err := w.db.Update(ctx, func(tx *db.Tx) error {
		if one.model == "" {
			_, err := embedding.Deactivate(tx)
			return err
		}
		model := kept{w.models[one.model]}
		_, _, err := embedding.Activate(tx, model.Space())
		if err != nil {
			return err
		}
		space, err := embedding.Current(tx)
		w.service.Use(&embedding.Snapshot{Stored: space, Embedder: model, Profile: embedding.KnownProfile(space.Space)})
		return err
	})
	if err != nil {
		return nil, err
	}
	if one.model != "" {
		kinds = append(kinds, transcript.NewVectors(w.service))
	}
	var r *late.Reranker
	if one.late {
		r = w.late
		kinds = append(kinds, transcript.NewTokens(r, func() bool { return true }, nil))
	}
	changes := feed.New(w.db)
	defer changes.Close()
	q := queue.New(queue.Options{
		DB: w.db, Memories: w.memories, Feed: changes, Service: w.service, Kinds: kinds,
		Wake: func(int64) <-chan time.Time { return nil },
	})
	for more := true; more; {
		more, _ = q.Pass(ctx)
	}
	return w.keeper(r), ctx.Err()
}
