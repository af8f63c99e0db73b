package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// conversation is one of LoCoMo's: turns, and questions with the turns that answer
// them.
type conversation struct {
	turns     []string // as they are stored: "[date] speaker: text", with the caption of a picture
	sessions  []session
	questions []evidenced
}

// session is what was said on one day. The turns of all sessions, in their order, are the
// conversation's.
type session struct {
	at   time.Time
	said []spoken
}

// spoken is a turn.
type spoken struct{ speaker, text string }

// dates is how sessions are dated.
const dates = "3:04 pm on 2 January, 2006"

// evidenced is a question with the places of the turns that it is answered by.
type evidenced struct {
	text     string
	category int // 1 to 5
	turns    []int
}

// conversations are a file of LoCoMo (https://github.com/snap-research/locomo) with
// the number of named turns that are not in it. Ids stand apart by ";" and spaces; a
// question is asked if at least one of its turns is there.
func conversations(path string) (list []conversation, unknown int, err error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	var raw []struct {
		QA []struct {
			Question string   `json:"question"`
			Evidence []string `json:"evidence"`
			Category int      `json:"category"`
		} `json:"qa"`
		Conversation map[string]json.RawMessage `json:"conversation"`
	}
	if err := json.Unmarshal(file, &raw); err != nil {
		return nil, 0, fmt.Errorf("%s is no file of conversations: %w", path, err)
	}
	for _, r := range raw {
		var c conversation
		places := map[string]int{}
		for _, n := range sessions(r.Conversation) {
			var date string
			if err := json.Unmarshal(r.Conversation[fmt.Sprintf("session_%d_date_time", n)], &date); err != nil {
				return nil, 0, err
			}
			var turns []struct {
				Speaker string `json:"speaker"`
				Text    string `json:"text"`
				ID      string `json:"dia_id"`
				Caption string `json:"blip_caption"`
			}
			if err := json.Unmarshal(r.Conversation[fmt.Sprintf("session_%d", n)], &turns); err != nil {
				return nil, 0, err
			}
			at, err := time.Parse(dates, date)
			if err != nil {
				return nil, 0, err
			}
			one := session{at: at}
			for _, t := range turns {
				if t.Caption != "" {
					t.Text += " (" + t.Caption + ")"
				}
				places[t.ID] = len(c.turns)
				c.turns = append(c.turns, fmt.Sprintf("[%s] %s: %s", date, t.Speaker, t.Text))
				one.said = append(one.said, spoken{t.Speaker, t.Text})
			}
			if len(one.said) > 0 {
				c.sessions = append(c.sessions, one)
			}
		}
		for _, q := range r.QA {
			one := evidenced{text: q.Question, category: q.Category}
			for _, e := range q.Evidence {
				for _, id := range strings.FieldsFunc(e, func(r rune) bool { return r == ';' || r == ' ' }) {
					place, ok := places[id]
					switch {
					case !ok:
						unknown++
					case !slices.Contains(one.turns, place):
						one.turns = append(one.turns, place)
					}
				}
			}
			if len(one.turns) > 0 && one.category >= 1 && one.category <= 5 {
				c.questions = append(c.questions, one)
			}
		}
		list = append(list, c)
	}
	return list, unknown, nil
}

// sessions are the numbers of a conversation's sessions, ascending.
func sessions(c map[string]json.RawMessage) (list []int) {
	for key := range c {
		number, ok := strings.CutPrefix(key, "session_")
		if n, err := strconv.Atoi(number); ok && err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// found is the mean, over questions, of the share of their turns that were found.
type found struct{ sum, count [6]float64 }

func (f *found) add(q evidenced, picked []int) {
	n := 0
	for _, turn := range q.turns {
		if slices.Contains(picked, turn) {
			n++
		}
	}
	f.sum[q.category] += float64(n) / float64(len(q.turns))
	f.count[q.category]++
}

// of is the mean over some categories, in percent.
func (f *found) of(categories ...int) float64 {
	sum, count := 0.0, 0.0
	for _, c := range categories {
		sum += f.sum[c]
		count += f.count[c]
	}
	if count == 0 {
		return 0
	}
	return 100 * sum / count
}
