package project

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Found is the project that a program says it works in.
type Found struct {
	ID      int64 // 0: none
	Slug    string
	Aliases []string
	Near    []string // of none: the slugs of those that are called nearly so
}

// nearMost is how many projects are named that are called nearly as was asked for.
const nearMost = 3

// Find is the project of a path, or of a slug, alias or name, among those that the
// account has a part in. A path is only compared with the roots of projects: it may be
// of another machine.
func (s *Store) Find(ctx context.Context, who db.AccountID, told string) (Found, error) {
	var out Found
	told = strings.TrimSpace(told)
	if told == "" {
		return out, nil
	}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		list, err := s.ListIn(tx, account.Identity{Owner: who})
		if err != nil || len(list) == 0 {
			return err
		}
		id, ok, err := Infer(tx, who, told)
		if err != nil {
			return err
		}
		if !ok && !path.IsAbs(told) {
			if id, err = Named(tx, who, strings.ToLower(told)); fault.Is(err, fault.NotFound) {
				err = nil
				for _, p := range list {
					if strings.EqualFold(p.Name, told) {
						id = p.ID
					}
				}
			}
			if err != nil {
				return err
			}
		}
		for _, p := range list {
			if p.ID == id {
				out = Found{ID: id, Slug: p.Slug, Aliases: p.Aliases}
				return nil
			}
		}
		out.Near = near(list, told)
		return nil
	})
	return out, err
}

// near are the slugs of projects that are called nearly as what was told: the last
// part of a path, or a name. The nearest come first.
func near(list []api.Project, told string) []string {
	want := plain(lastOf(told))
	if want == "" {
		return nil
	}
	type candidate struct {
		slug string
		far  int
	}
	var all []candidate
	for _, p := range list {
		names := append([]string{p.Slug, p.Name}, p.Aliases...)
		for _, root := range p.Roots {
			names = append(names, lastOf(root))
		}
		best := -1
		for _, name := range names {
			if far, ok := distance(plain(name), want); ok && (best < 0 || far < best) {
				best = far
			}
		}
		if best >= 0 {
			all = append(all, candidate{p.Slug, best})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var slugs []string
	for _, c := range all[:min(len(all), nearMost)] {
		slugs = append(slugs, c.slug)
	}
	return slugs
}

// lastOf is the last part of a path of any system.
func lastOf(p string) string {
	parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// plain is a name without what people write differently: case, spaces, dashes.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// distance tells whether two names are nearly the same, and how far they are apart:
// one is within the other, or few letters differ.
func distance(a, b string) (int, bool) {
	x, y := []rune(a), []rune(b)
	if len(x) == 0 || len(y) == 0 || len(x) > 200 || len(y) > 200 {
		return 0, false
	}
	short := min(len(x), len(y))
	if short >= 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return max(len(x), len(y)) - short, true
	}
	far := edits(x, y)
	return far, far <= 1+short/4
}

// edits is Levenshtein's distance: how many letters are put in, taken out or changed.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, before+cost)
		}
	}
	return row[len(b)]
}
