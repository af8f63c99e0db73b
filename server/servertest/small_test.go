package servertest_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"elowen/shared/api"
)

// worldly are questions of the world at large, which no fact of recall's answers.
var worldly = []string{
	"What is the capital of Mongolia?",
	"What is the capital of France?",
	"Which city is the capital of Australia?",
	"What's the capital city of Kenya?",
	"Population of Canada in 2020?",
	"How many people live in Tokyo?",
	"What is the population of Nigeria?",
	"How many inhabitants does Norway have?",
	"How tall is Mount Kilimanjaro?",
	"What is the height of the Eiffel Tower?",
	"How high is the Matterhorn?",
	"How long is the Nile?",
	"How far away is the Moon?",
	"When did the Titanic sink?",
	"In what year did the Berlin Wall fall?",
	"When was the French Revolution?",
	"What was the date of the first Moon landing?",
	"When did Queen Victoria die?",
	"How do I make pancake batter?",
	"What goes into a classic carbonara?",
	"How long should I boil an egg?",
	"Recipe for hummus",
	"How much flour do I need for a sponge cake?",
	"Who painted the Mona Lisa?",
	"Who wrote War and Peace?",
	"Who is the president of Brazil?",
	"What currency does Japan use?",
	"What language is spoken in Iran?",
	"What is the speed of light?",
	"What is the square root of 144?",
	"How many legs does a spider have?",
	"What is the chemical symbol of gold?",
	"How does a refrigerator work?",
	"What time zone is Hawaii in?",
	"Which country has won the most World Cups?",
	"What does HTTP stand for?",
}

// A memory of a few facts, as everybody's is at first: each fact is found by its own
// question, whatever the number, and what is asked of the world finds nothing. The fewer
// memories, the less there is to be taken for an answer.
func TestFewFactsAreSilentOfTheWorld(t *testing.T) {
	s := wholeServer(t)
	var facts [][]string
	for _, f := range rows(t, "development/facts.tsv") {
		if f[0] == "en" {
			facts = append(facts, f)
		}
	}
	questions := slices.Clone(worldly)
	for _, f := range rows(t, "development/foreign.tsv") {
		if f[0] == "en" {
			questions = append(questions, f[1])
		}
	}
	for _, size := range []struct {
		facts, stores int
		silent        float64 // share of the questions of the world, at least
	}{{1, 6, 0.98}, {2, 5, 0.98}, {3, 3, 0.97}, {5, 2, 0.94}, {8, 1, 0.89}} {
		silent, asked, found, own := 0, 0, 0, 0
		for store := range size.stores {
			name := fmt.Sprintf("few-%d-%d", size.facts, store)
			c := s.Person(name)
			ask := func(question string) (list []int64) {
				var got api.Retrieved
				c.Must(http.MethodPost, api.PathRetrieve, api.RetrieveRequest{Query: question}, &got)
				for _, m := range got.Memories {
					list = append(list, m.ID)
				}
				return list
			}
			kept := facts[store*size.facts:][:size.facts]
			ids := make([]int64, len(kept))
			for i, f := range kept {
				ids[i] = c.Add(f[1]).Memory.ID
			}
			whole(t, name, c)
			for i, f := range kept {
				own++
				if slices.Contains(ask(f[2]), ids[i]) {
					found++
				} else {
					t.Errorf("%d facts: %q doesn't find %q", size.facts, f[2], f[1])
				}
			}
			for _, q := range questions {
				asked++
				if len(ask(q)) == 0 {
					silent++
				} else {
					t.Logf("%d facts: %q finds something", size.facts, q)
				}
			}
		}
		share := float64(silent) / float64(asked)
		t.Logf("%d facts: %d of %d own questions find theirs, %.1f%% of %d others find nothing", size.facts, found, own, 100*share, asked)
		if share < size.silent {
			t.Errorf("%d facts: %.3f of what is asked of the world finds nothing, at least %v is asked", size.facts, share, size.silent)
		}
	}
}
