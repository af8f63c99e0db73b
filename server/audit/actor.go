package audit

import (
	"strconv"
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
)

// Actor is who makes a change.
type Actor struct {
	Name  string // user:ID, token:ID, agent, daemon, migration, import
	Model string // where a model decided

	// Scopes are what the token that did it was allowed to do, separated by commas; empty
	// where no token did.
	Scopes string
}

// By is who makes a request, as the audit names them.
func By(i account.Identity) Actor {
	a := Actor{Name: i.Actor()}
	if i.TokenID != 0 {
		a.Scopes = strings.Join(i.Scopes, ",")
	}
	return a
}

// scopes are the actor's, one by one; nil where there are none.
func (a Actor) scopes() []string {
	if a.Scopes == "" {
		return nil
	}
	return strings.Split(a.Scopes, ",")
}

// Outward is an actor's name as it travels. Numbers mean nothing elsewhere: owner, whose
// memory it is about, becomes api.ActorSelf, another account takes its name along, if it
// is among the people, and of what is left goes the kind alone.
func Outward(name string, owner db.AccountID, people map[db.AccountID]account.Named) string {
	kind, number, _ := strings.Cut(name, ":")
	if kind == kindToken {
		return kind
	}
	if kind != kindUser || !isNumber(number) {
		return name
	}
	id := Account(name)
	if id == owner {
		return api.ActorSelf
	}
	if p, ok := people[id]; ok {
		return kind + ":" + p.Name
	}
	return kind
}

// Inward is the name of an actor that travelled, where its owner has another number and
// named tells the account of a name, 0 for none. A number names nobody here.
func Inward(name string, owner db.AccountID, named func(string) (db.AccountID, error)) (string, error) {
	if name == api.ActorSelf {
		return kindUser + ":" + strconv.FormatInt(int64(owner), 10), nil
	}
	kind, rest, _ := strings.Cut(name, ":")
	if kind == kindToken || kind == kindUser && isNumber(rest) {
		return kind, nil
	}
	if kind != kindUser || rest == "" {
		return name, nil
	}
	id, err := named(rest)
	if err != nil || id == 0 {
		return name, err
	}
	return kind + ":" + strconv.FormatInt(int64(id), 10), nil
}

// Kind is what an actor is, without a number or a name.
func Kind(name string) string {
	if name == api.ActorSelf {
		return kindUser
	}
	kind, _, _ := strings.Cut(name, ":")
	return kind
}

// The actors that are no one's.
const (
	ActorAgent     = "agent"
	ActorDaemon    = "daemon"
	ActorMigration = "migration"
	ActorImport    = "import"
)

// The kinds of actor that have a number.
const (
	kindUser  = "user"
	kindToken = "token"
)

// Account is the account that an actor's name tells, 0 where it tells none.
func Account(name string) db.AccountID {
	kind, id, _ := strings.Cut(name, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	if kind != kindUser || err != nil || n < 0 {
		return 0
	}
	return db.AccountID(n)
}

// Token is the token that an actor's name tells, 0 where it tells none.
func Token(name string) int64 {
	kind, id, _ := strings.Cut(name, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	if kind != kindToken || err != nil || n < 0 {
		return 0
	}
	return n
}

// Who tells who did something, in words, as one who reads it understands them.
// Another account's name is nobody's business; only the readers of a pool are told
// each other's names, which are people. What somebody calls a token is told to nobody
// else.
type Who struct {
	Viewer db.AccountID
	Shared bool // it is about a pool's memory
	People map[db.AccountID]account.Named
	Tokens map[int64]account.NamedToken // revoked ones too
}

// token are the words for a program with a token: by its name, where it is the
// viewer's, else by its person's. ok is false where nobody knows the token, as one that was
// revoked before names were kept.
func (w Who) token(name string) (words string, ok bool) {
	t, ok := w.Tokens[Token(name)]
	switch {
	case !ok:
		return "", false
	case t.Owner == w.Viewer:
		return "Your token “" + t.Name + "”", true
	}
	p, ok := w.People[t.Owner]
	return "A program of " + p.DisplayName, ok && w.Shared
}

// Words are an actor's. A number that was carried over from elsewhere names nobody.
func (w Who) Words(name, action string, carried bool) string {
	actor, number, _ := strings.Cut(name, ":")
	if !carried {
		if words, ok := w.token(name); ok {
			return words
		}
	}
	if w.Shared {
		if id := Account(name); id != 0 && id != w.Viewer && !carried {
			if p, ok := w.People[id]; ok {
				return p.DisplayName
			}
		}
		switch actor {
		case kindToken:
			return "A program with a token"
		case ActorAgent:
			return "An assistant"
		}
	}
	switch actor {
	case kindUser:
		if !carried && number == strconv.FormatInt(int64(w.Viewer), 10) {
			return "You"
		}
		return "A person"
	case kindToken:
		return "A program with your token"
	case ActorAgent:
		return "Your assistant"
	case ActorDaemon:
		if action == ActionEvict {
			return "Daily sweep"
		}
		return "Elowen"
	case ActorMigration:
		return "The move from the older system"
	case ActorImport:
		return "The import"
	case "":
		return "Somebody"
	}
	return strings.ToUpper(actor[:1]) + actor[1:]
}

// Deleter is who moved a memory to the trash, as its row has it: the kind
// (api.DeletedBy…, empty where nobody knows), and in words.
func (w Who) Deleter(by, how string) (kind, words string) {
	words = w.Words(by, how, false)
	switch actor, number, _ := strings.Cut(by, ":"); {
	case how == ActionEvict:
		return api.DeletedBySweep, w.Words(ActorDaemon, ActionEvict, false)
	case how == ActionMerge:
		return api.DeletedByMerge, words
	case actor == kindUser && number == strconv.FormatInt(int64(w.Viewer), 10):
		return api.DeletedByYou, words
	case actor == kindUser:
		return api.DeletedByPerson, words
	case actor == ActorAgent || actor == kindToken:
		return api.DeletedByAgent, words
	case actor == ActorDaemon:
		return api.DeletedByElowen, words
	}
	return "", words
}
