package tool

import (
	"context"
	"encoding/json"

	"elowen/server/db"
	"elowen/server/delivery"
)

// Kit is tools that the model of a conversation of ours may call. Those of a Set are
// one; several are put together by Kits.
type Kit interface {
	// Offers are the tools as a model is told of them, always in the same order, since
	// providers keep what a request begins with.
	Offers(ctx context.Context, at Place) ([]Offer, error)
	// Run runs a tool that was offered; ok is false where it is none of the kit's. It
	// answers an Outcome whatever happens, and soon once ctx ends.
	Run(ctx context.Context, at Place, name string, args []byte) (out Outcome, ok bool)
}

// Offer is a tool as a model is told of it.
type Offer struct {
	Name, Description string
	Input             json.RawMessage // JSON schema of an object
}

// Place is where in a conversation of ours a tool runs.
type Place struct {
	Call                      // whose Identify is asked when the tool runs, and whose Within is set
	Owner        db.AccountID // whose conversation it is
	Conversation int64
	ID           string // of the call, as the model named it
}

// Outcome is what became of a call.
type Outcome struct {
	Text    string // for the model
	Object  any    // the same for people and programs; nil: nothing
	Failed  bool   // Text says why, and what to do
	Emitted []delivery.Emitted
}

// Emitted of an Outcome are the memories that Text may hold whole: which it does is
// judged by delivery.Admit, on the text as the model is shown it. Whoever cuts Text
// leaves Emitted as it is; whoever writes a memory's body into another text (a script
// that prints it) gives it the Element that stands there.

// Kits are several kits as one; of two tools of one name the first kit's counts.
type Kits []Kit

// Offers implements Kit.
func (k Kits) Offers(ctx context.Context, at Place) ([]Offer, error) {
	var all []Offer
	seen := map[string]bool{}
	for _, kit := range k {
		list, err := kit.Offers(ctx, at)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if !seen[o.Name] {
				seen[o.Name] = true
				all = append(all, o)
			}
		}
	}
	return all, nil
}

// Run implements Kit.
func (k Kits) Run(ctx context.Context, at Place, name string, args []byte) (Outcome, bool) {
	for _, kit := range k {
		if out, ok := kit.Run(ctx, at, name, args); ok {
			return out, true
		}
	}
	return Outcome{}, false
}

// Kit is the set as the tools of conversations.
func (s *Set) Kit() Kit { return setKit{s} }

type setKit struct{ *Set }

// Offers implements Kit.
func (k setKit) Offers(context.Context, Place) ([]Offer, error) {
	list := make([]Offer, len(k.list))
	for i, t := range k.list {
		list[i] = Offer{Name: t.Name, Description: t.Description, Input: t.Input}
	}
	return list, nil
}

// Run implements Kit.
func (k setKit) Run(ctx context.Context, at Place, name string, args []byte) (Outcome, bool) {
	t := k.Get(name)
	if t == nil {
		return Outcome{}, false
	}
	r := k.Set.Run(ctx, t, at.Call, args)
	return Outcome{Text: r.Text, Object: r.Object, Failed: r.Failed, Emitted: r.Emitted}, true
}
