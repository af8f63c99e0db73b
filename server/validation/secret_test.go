package validation

import (
	"encoding/json"
	"reflect"
	"testing"

	"elowen/shared/api"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What was a secret is told as one, absent and empty ones as what they are, and the
// request itself keeps what it came with.
func TestHidden(t *testing.T) {
	key := func(s string) []api.ProviderChange {
		return []api.ProviderChange{{ID: "mine", APIKey: api.Some(s)}, {ID: "none", APIKey: api.Null[string]()}, {ID: "absent"}}
	}
	for _, c := range []struct{ in, want any }{
		{api.MePatch{DisplayName: api.Ptr("Ann"), Password: api.Ptr("new one"), CurrentPassword: api.Ptr("old one")},
			api.MePatch{DisplayName: api.Ptr("Ann"), Password: api.Ptr(hiddenText), CurrentPassword: api.Ptr(hiddenText)}},
		{api.MePatch{DisplayName: api.Ptr("Ann")}, api.MePatch{DisplayName: api.Ptr("Ann")}},
		{api.PersonAdd{Name: "ann", Password: "secret"}, api.PersonAdd{Name: "ann", Password: hiddenText}},
		{api.PersonAdd{Name: "ann"}, api.PersonAdd{Name: "ann"}},
		{api.PersonPatch{Password: api.Ptr("secret")}, api.PersonPatch{Password: api.Ptr(hiddenText)}},
		{api.ModelsChange{Revision: 4, Providers: key("sk-1")}, api.ModelsChange{Revision: 4, Providers: key(hiddenText)}},
		{api.ModelTest{Role: "chat", Provider: &key("sk-1")[0]}, api.ModelTest{Role: "chat", Provider: &key(hiddenText)[0]}},
		{api.ModelTest{Role: "chat"}, api.ModelTest{Role: "chat"}},
	} {
		before := asJSON(t, c.in)
		got, ok := Hidden(c.in)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v becomes %+v, not %+v", c.in, got, c.want)
		}
		if after := asJSON(t, c.in); after != before {
			t.Errorf("%s became %s", before, after)
		}
	}
	for _, in := range []any{nil, api.MemoryAdd{Body: "password"}, api.IDs{}} {
		if got, ok := Hidden(in); ok {
			t.Errorf("%+v has secrets: %+v", in, got)
		}
	}
}
