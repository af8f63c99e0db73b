package servertest_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"elowen/server/embedding/local"
	"elowen/server/embedding/local/weight"
	"elowen/server/servertest"
	"elowen/shared/api"
)

// rows are the lines of a file of recall's facts, at their tabs.
func rows(t *testing.T, name string) (list [][]string) {
	t.Helper()
	file, err := os.ReadFile("../recall/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		list = append(list, strings.Split(strings.TrimRight(line, "\n"), "\t"))
	}
	return list
}

// tally is how many of ten questions went well.
type tally struct{ top, found, english, englishFound, silent int }

// aim is what is asked of each language, of ten, in an account of its own and in one with
// all eighty facts.
var aim = tally{top: 8, englishFound: 6, silent: 9}

// Facts in eight languages, asked in other words, in their language and in English, and
// questions of other domains: through HTTP, on a new server as it comes, each language
// in an account of its own and all in one. The constants of recall were chosen on other
// facts (recall/testdata/development). With -v it prints the table of README.md.
func TestFactsInEightLanguages(t *testing.T) {
	s := wholeServer(t)
	facts, foreign := rows(t, "acceptance/facts.tsv"), rows(t, "acceptance/foreign.tsv")
	var languages []string
	for _, f := range facts {
		if n := len(languages); n == 0 || languages[n-1] != f[0] {
			languages = append(languages, f[0])
		}
	}
	accounts := map[string]*servertest.Client{}
	ids := map[string]map[string]int64{} // by account and body
	for _, name := range append([]string{"all"}, languages...) {
		c := s.Person(name)
		accounts[name], ids[name] = c, map[string]int64{}
		for _, f := range facts {
			if name == "all" || name == f[0] {
				ids[name][f[1]] = c.Add(f[1]).Memory.ID
			}
		}
	}
	for name, c := range accounts {
		whole(t, name, c)
	}
	ask := func(account, question string) (list []int64) {
		var got api.Retrieved
		accounts[account].Must(http.MethodPost, api.PathRetrieve, api.RetrieveRequest{Query: question}, &got)
		for _, m := range got.Memories {
			list = append(list, m.ID)
		}
		return list
	}
	measured := func(account, language string) (n tally) {
		count := func(question, body string, top, found *int) {
			id := ids[account][body]
			for i, got := range ask(account, question) {
				if got == id {
					*found++
					if i == 0 {
						*top++
					}
				}
			}
		}
		for _, f := range facts {
			if f[0] == language {
				count(f[2], f[1], &n.top, &n.found)
				count(f[3], f[1], &n.english, &n.englishFound)
			}
		}
		for _, f := range foreign {
			if f[0] == language && len(ask(account, f[1])) == 0 {
				n.silent++
			}
		}
		return n
	}
	var table strings.Builder
	table.WriteString("\n| of ten | on top | English question: on top (found) | no answer to what is foreign | in all eighty: on top | English question: on top (found) | no answer |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, language := range languages {
		alone, all := measured(language, language), measured("all", language)
		fmt.Fprintf(&table, "| %s | %d | %d (%d) | %d | %d | %d (%d) | %d |\n", names[language],
			alone.top, alone.english, alone.englishFound, alone.silent, all.top, all.english, all.englishFound, all.silent)
		for in, got := range map[string]tally{"alone": alone, "in all": all} {
			if got.top < aim.top || got.englishFound < aim.englishFound || got.silent < aim.silent {
				t.Errorf("%s, %s: %+v, at least %+v is asked", language, in, got, aim)
			}
		}
	}
	t.Log(table.String())
}

// wholeServer is a new server as it comes, with the built-in models.
func wholeServer(t *testing.T) *servertest.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("the built-in models embed hundreds of texts")
	}
	models := local.New(weight.Files{})
	for _, name := range []string{local.Multilingual, local.English} {
		m, err := models.Open(name)
		if err != nil || !m.Available() {
			t.Skip("this build has no weights of the built-in models")
		}
	}
	_ = models.Close()
	s := servertest.Start(t, servertest.Options{Whole: true})
	s.Setup("admin")
	return s
}

// What is asked of the world at large is seldom in anybody's memories, and recall takes
// that into account. What somebody keeps of it is found all the same, asked by the very
// questions that are foreign to others.
func TestWhatIsKeptOfTheWorldIsFound(t *testing.T) {
	s := wholeServer(t)
	c := s.Person("scholar")
	facts := rows(t, "world.tsv")
	ids := make([]int64, len(facts))
	for i, f := range facts {
		ids[i] = c.Add(f[1]).Memory.ID
	}
	whole(t, "scholar", c)
	for i, f := range facts {
		var got api.Retrieved
		c.Must(http.MethodPost, api.PathRetrieve, api.RetrieveRequest{Query: f[2]}, &got)
		if len(got.Memories) == 0 || got.Memories[0].ID != ids[i] {
			t.Errorf("%s: %q finds %d memories, and not %q first", f[0], f[2], len(got.Memories), f[1])
		}
	}
}

var names = map[string]string{
	"en": "English", "cs": "Czech", "sv": "Swedish", "de": "German", "es": "Spanish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean",
}

// whole waits until all of a person's memories have their vectors, and those in English
// their token vectors.
func whole(t *testing.T, name string, c *servertest.Client) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 4*time.Minute; time.Sleep(200 * time.Millisecond) {
		var page api.Page[api.Memory]
		c.Must(http.MethodGet, api.PathMemory+"?limit=100", nil, &page)
		ready := len(page.Items) > 0
		for _, m := range page.Items {
			english := strings.IndexFunc(m.Body, func(r rune) bool { return r > 0x7f }) < 0 && strings.Contains(" "+m.Body, " the ")
			ready = ready && m.Indexed && (m.LateIndexed || !english)
		}
		if ready {
			return
		}
	}
	t.Fatalf("%s: not indexed", name)
}
