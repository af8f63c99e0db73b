package output

import (
	"context"
	"fmt"
	"strings"

	"elowen/server/delivery"
	"elowen/server/tool"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// ReadOutput is the name of the tool that reads kept outputs.
const ReadOutput = "ReadOutput"

// Kit is tools whose outputs are bounded. The others are within it.
type Kit struct {
	within tool.Kit
	store  *Store
}

// Bounded stands around tools: it bounds what they answer, and adds ReadOutput.
func Bounded(within tool.Kit, store *Store) *Kit { return &Kit{within, store} }

// Offers implements tool.Kit.
func (k *Kit) Offers(ctx context.Context, at tool.Place) ([]tool.Offer, error) {
	list, err := k.within.Offers(ctx, at)
	if err != nil {
		return nil, err
	}
	return append(list, tool.Offer{
		Name:        ReadOutput,
		Description: "Reads on in an output of a tool that was too long to be shown whole. The note in that output names its id, and the offset where it was cut.",
		Input:       readInput,
	}), nil
}

// Run implements tool.Kit.
func (k *Kit) Run(ctx context.Context, at tool.Place, name string, args []byte) (tool.Outcome, bool) {
	if name == ReadOutput {
		out, err := k.read(ctx, at, args)
		if err != nil {
			return tool.Failure(err), true
		}
		return out, true
	}
	out, ok := k.within.Run(ctx, at, name, args)
	if ok {
		out = k.bound(ctx, at, out)
	}
	return out, ok
}

// bound brings an output within the limit, and keeps it whole where it is over it.
func (k *Kit) bound(ctx context.Context, at tool.Place, out tool.Outcome) tool.Outcome {
	most := setting.Int("output.shown")
	if len(out.Text) <= most {
		return out
	}
	out.Text = strings.ToValidUTF8(out.Text, "\uFFFD")
	size := len(out.Text)
	id, whole, err := k.store.Keep(ctx, at.Owner, at.Conversation, out.Text, out.Emitted)
	if err != nil && !fault.Is(err, fault.Cancelled) {
		k.store.log.Error("an output could not be kept", "conversation", at.Conversation, "error", err)
	}
	shown := Limit(out.Text, most, func(from, to int) string {
		said := fmt.Sprintf("\n[The bytes %d to %d of %d are not shown here.", from, to, size)
		switch {
		case err != nil:
			said += " They could not be kept; ask for less."
		case whole:
			said += fmt.Sprintf(` Read on with %s {"id": %d, "offset": %d}.`, ReadOutput, id, from)
		default:
			said += fmt.Sprintf(` Read on with %s {"id": %d, "offset": %d}; only the first %d are kept.`, ReadOutput, id, from, setting.Int("output.file"))
		}
		return said + "]\n"
	})
	out.Text, out.Object = shown.Text, nil
	out.Emitted = shown.admit(out.Emitted)
	return out
}

// admit are the memories whose elements stand whole in what is left, none of them with
// the help of a note.
func (s Shown) admit(list []delivery.Emitted) []delivery.Emitted {
	var out []delivery.Emitted
	for _, e := range list {
		if e.Element != "" && s.Holds(e.Element) {
			out = append(out, e)
		}
	}
	return out
}

var readInput = tool.Input(
	tool.Field{Name: "id", Kind: "integer", Doc: "As the note names it", Needed: true},
	tool.Field{Name: "offset", Kind: "integer", Doc: "From which byte on; 0 is the beginning", Setting: "output.offset"},
	tool.Field{Name: "limit", Kind: "integer", Doc: "At most so many bytes", Setting: "output.read"},
)

type readArguments struct {
	ID     tool.ID `json:"id" validate:"min=1"`
	Offset *int    `json:"offset,omitempty" validate:"omitempty,setting=output.offset"`
	Limit  *int    `json:"limit,omitempty" validate:"omitempty,setting=output.read"`
}

func (k *Kit) read(ctx context.Context, at tool.Place, args []byte) (tool.Outcome, error) {
	if _, err := at.Identify(ctx); err != nil {
		return tool.Outcome{}, err
	}
	in, err := tool.Arguments[readArguments](readInput, args)
	if err != nil {
		return tool.Outcome{}, err
	}
	offset, most := 0, setting.Int("output.read")
	if in.Offset != nil {
		offset = *in.Offset
	}
	if in.Limit != nil {
		most = *in.Limit
	}
	p, err := k.store.Read(at.Owner, at.Conversation, int64(in.ID), offset, most)
	if err != nil {
		return tool.Outcome{}, err
	}
	said := fmt.Sprintf("\n[The bytes %d to %d of %d; that is its end.]", p.From, p.To, p.Size)
	if p.To < p.Size {
		said = fmt.Sprintf("\n[The bytes %d to %d of %d. Read on with %s {\"id\": %d, \"offset\": %d}.]", p.From, p.To, p.Size, ReadOutput, in.ID, p.To)
	}
	return tool.Outcome{Text: p.Text + said, Emitted: p.Emitted}, nil
}
