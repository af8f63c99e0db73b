package connect

import (
	"bytes"
	"fmt"
	"reflect"

	"elowen/shared/fault"
)

// configMost is the largest config that is changed, in bytes. Claude Code keeps a
// history in its own, of some megabytes.
const configMost = 32 << 20

// depthMost is how deep a config may nest; parsers call themselves for each level.
const depthMost = 1000

// format is how a kind of config is changed.
type format interface {
	// read decodes a config: maps, lists, strings, numbers and so on. An empty one is an
	// empty map.
	read(config []byte) (map[string]any, error)
	// set gives the entry those fields.
	set(config []byte, servers string, f fields) ([]byte, error)
	// unset takes the entry out, which is there.
	unset(config []byte, servers string) ([]byte, error)
	// hide is a config for people: as it is laid out, without what may be a secret.
	hide(config []byte, servers string) []byte
}

// Change is what a config would become.
type Change struct {
	Client        Client
	Before, After []byte
}

// Same tells whether there is nothing to write.
func (c Change) Same() bool { return bytes.Equal(c.Before, c.After) }

// Set puts the entry into a config, nil or empty for one that isn't there yet. Errors:
// Invalid, with the reason, where the config isn't understood.
func (c Client) Set(config []byte, e Entry) (Change, error) {
	return c.change(config, func(now map[string]any) ([]byte, error) {
		after, err := c.format.set(config, c.servers, c.fields(e))
		if err != nil {
			return nil, err
		}
		is, err := c.format.read(after)
		if err != nil {
			return nil, err
		}
		if got, _ := c.entry(is); !same(got, c.fields(e)) {
			return nil, errUnsafe(c)
		}
		return after, nil
	})
}

// Unset takes elowen's entry out of a config. One without stays as it is. Errors as of
// Set.
func (c Client) Unset(config []byte) (Change, error) {
	return c.change(config, func(now map[string]any) ([]byte, error) {
		if _, there := c.entry(now); !there {
			return config, nil
		}
		after, err := c.format.unset(config, c.servers)
		if err != nil {
			return nil, err
		}
		is, err := c.format.read(after)
		if err != nil {
			return nil, err
		}
		if _, there := c.entry(is); there {
			return nil, errUnsafe(c)
		}
		return after, nil
	})
}

// change reads a config, has it changed, and makes sure that nothing else did.
func (c Client) change(config []byte, change func(now map[string]any) ([]byte, error)) (Change, error) {
	if len(config) > configMost {
		return Change{}, fault.Newf(fault.TooLarge, "The config of %s is larger than %d MiB. It stays as it is.", c.Name, configMost>>20)
	}
	if depth(config) > depthMost {
		return Change{}, refused(c, fmt.Errorf("it nests too deep"))
	}
	before, err := c.format.read(config)
	if err != nil {
		return Change{}, refused(c, err)
	}
	switch list := before[c.servers].(type) {
	case nil, map[string]any:
	default:
		return Change{}, refused(c, fmt.Errorf("%s is a %T there, and lists no servers", c.servers, list))
	}
	after, err := change(before)
	if err != nil {
		if fault.Is(err, fault.Invalid) {
			return Change{}, err
		}
		return Change{}, refused(c, err)
	}
	is, err := c.format.read(after)
	if err != nil || !reflect.DeepEqual(c.others(before), c.others(is)) {
		return Change{}, errUnsafe(c)
	}
	return Change{Client: c, Before: config, After: after}, nil
}

// entry is elowen's entry in a config.
func (c Client) entry(config map[string]any) (any, bool) {
	servers, _ := config[c.servers].(map[string]any)
	e, there := servers[Name]
	return e, there
}

// others is a config without elowen's entry.
func (c Client) others(config map[string]any) map[string]any {
	all := map[string]any{}
	for k, v := range config {
		all[k] = v
	}
	servers := map[string]any{}
	if list, ok := config[c.servers].(map[string]any); ok {
		for k, v := range list {
			if k != Name {
				servers[k] = v
			}
		}
	}
	all[c.servers] = servers
	return all
}

// same tells whether an entry that was read is what the fields say, beside what isn't
// about how elowen is reached.
func same(entry any, want fields) bool {
	e, ok := entry.(map[string]any)
	if !ok {
		return false
	}
	named := map[string]bool{}
	for _, f := range want {
		named[f.name] = true
		if !equal(e[f.name], f.value) {
			return false
		}
	}
	for name := range e {
		if how[name] && !named[name] {
			return false
		}
	}
	return true
}

func equal(is, want any) bool {
	switch want := want.(type) {
	case string:
		return is == want
	case []string:
		l, ok := is.([]any)
		if !ok || len(l) != len(want) {
			return false
		}
		for i := range l {
			if l[i] != want[i] {
				return false
			}
		}
		return true
	case fields:
		m, ok := is.(map[string]any)
		if !ok || len(m) != len(want) {
			return false
		}
		for _, f := range want {
			if !equal(m[f.name], f.value) {
				return false
			}
		}
		return true
	}
	return false
}

// depth is at least how deep a text nests: brackets in its strings count as well.
func depth(text []byte) (most int) {
	now := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			now++
			most = max(most, now)
		case '}', ']':
			now = max(now-1, 0)
		}
	}
	return most
}

func refused(c Client, err error) error {
	return fault.Wrap(fault.Invalid, err, "The config of "+c.Name+" can't be changed safely: "+err.Error()+". It stays as it is; mend it, or add elowen there by hand.")
}

func errUnsafe(c Client) error {
	return refused(c, fmt.Errorf("elowen's entry is written there in a way that isn't known"))
}
