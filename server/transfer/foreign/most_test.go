package foreign_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// export is an export with many memories: in the formats that are only put together
// once all is read, as in those that are taken as they are read.
func export(from string, n int) (name, text string) {
	var b strings.Builder
	list := func(line string) {
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
	}
	switch from {
	case api.FormatMem0:
		b.WriteString(`{"results":[{"memory":"first"}`)
		list(",\n" + `{"memory":"fact %d"}`)
		b.WriteString("]}")
		return "a.json", b.String()
	case api.FormatClaude:
		b.WriteString(`[{"conversations_memory":"`)
		list(`fact %d\n`)
		b.WriteString(`last"}]`)
		return "a.json", b.String()
	case api.FormatChatGPT:
		b.WriteString(`[{"title":"a","mapping":{"x":{}`)
		list(",\n" + `"m%d":{"message":{"author":{"role":"assistant"},"create_time":1,"recipient":"bio","content":{"content_type":"text","parts":["a fact"]}}}`)
		b.WriteString(`,"last":{"message":{"author":{"role":"assistant"},"create_time":1,"recipient":"bio","content":{"content_type":"text","parts":["last"]}}}}}]`)
		return "a.json", b.String()
	}
	list("- fact %d\n")
	b.WriteString("- last\n")
	return "a.md", b.String()
}

var putTogether = []string{api.FormatMem0, api.FormatClaude, api.FormatChatGPT, api.FormatMarkdown}

// Too many memories are too many, and no broken file, whatever the format.
func TestMoreMemoriesThanComeIn(t *testing.T) {
	for _, from := range putTogether {
		name, text := export(from, setting.Int("import.items"))
		found, err := foreign.Read(context.Background(), held(t, name, []byte(text)), from)
		if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "more than 100000 memories") || len(found.Faults) != 0 {
			t.Errorf("%s: %v %+v", from, err, found)
		}
	}
}

// later is a context that ends after it was asked so many times.
type later struct {
	context.Context
	left int
}

func (l *later) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// Who is cancelled, at whatever point, reads nothing of a broken file.
func TestCancelledAnywhere(t *testing.T) {
	for _, from := range putTogether {
		name, text := export(from, 20)
		for asked := 0; ; asked++ {
			found, err := foreign.Read(&later{context.Background(), asked}, held(t, name, []byte(text)), from)
			if err == nil {
				if len(found.Items) != 21 || len(found.Faults) != 0 {
					t.Errorf("%s: %s", from, told(found))
				}
				if asked < 21 {
					t.Errorf("%s asked only %d times", from, asked)
				}
				break
			}
			if !fault.Is(err, fault.Cancelled) || len(found.Faults) != 0 {
				t.Errorf("%s, cancelled after %d: %v %+v", from, asked, err, found.Faults)
			}
		}
	}
}
