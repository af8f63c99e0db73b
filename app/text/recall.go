package text

import (
	"math"
	"strconv"
	"strings"

	"elowen/shared/api"
)

// Of recall: the check, the map, and the state of the index.
const (
	RecallCheck  = "Recall check"
	Question     = "Question"
	QuestionHint = "What would somebody ask?"
	Check        = "Check"
	AnyProject   = "No project"
	Project      = "Project"
	Change       = "change"
	CheckCaption = "Candidates, best first"
	CheckIntro   = "Ask as an assistant would. You see which memories would be handed over and why each other one would not. Nothing is counted as used."
	NoneRecalled = "Nothing would be recalled"

	Similarity    = "Similarity"
	Keyword       = "Keyword"
	Late          = "Word by word"
	Relevance     = "Relevance"
	Score         = "Score"
	Outcome       = "Outcome"
	Recalled      = "recalled"
	NoNumber      = "none"
	ByWordsAlone  = "Found by words alone."
	PassedOver    = "Passed over by the request"
	OutByRank     = "A hundred others are closer"
	NoModel       = "No embedding model is set up: memories are found by their words."
	ChooseModel   = "Choose a model"
	ChangeModel   = "Change the model"
	MatchWords    = "Words"
	MatchMeaning  = "Meaning"
	MatchBy       = "Search by"
	SimilarIntent = "Memories near in meaning come first."
)

// IndexedFor counts what is indexed for a model.
func IndexedFor(x api.IndexState) string {
	if x.Model == "" {
		return NoModel
	}
	s := IndexedOf(x.Indexed, x.Total) + " for " + x.Model
	if x.Failed > 0 {
		s += ", " + Number(x.Failed) + " could not be"
	}
	return s
}

// IndexTrouble says what is wrong with the model, and when it is asked again.
func IndexTrouble(problem, retry string) string {
	s := strings.TrimRight(problem, ".") + ". Memories are found by their words meanwhile"
	if retry != "" {
		s += "; it is asked again " + retry
	}
	return s + "."
}

// WouldRecall counts what a question would bring.
func WouldRecall(n int) string {
	if n == 0 {
		return NoneRecalled
	}
	return Number(n) + " would be recalled"
}

// RecallCost is how much text that is, and how long it took.
func RecallCost(bytes, most, millis int) string {
	return ", " + Number(bytes) + " of " + Number(most) + " bytes, in " + Number(millis) + " ms. Nothing was counted as used."
}

// NoneWhy says why nothing would be recalled.
func NoneWhy(considered int) string {
	if considered == 0 {
		return ". No memory that may be recalled has these words or is near to them in meaning, or they ask nothing, as “ok” and “go on” don't."
	}
	return ". " + Memories(considered) + " were looked at; none is relevant enough."
}

// ScoreIs is the sum that candidates are ordered by, and what its relevance means; the
// weights are per mille.
func ScoreIs(floor float64, importance, vitality int) string {
	part := func(n int) string { return Percent(float64(n) / 1000) }
	return "Recalled from a relevance of " + Percent(floor) + ", or for a rare word that both have. The score, which orders them, is " + part(1000-importance-vitality) + " relevance, " + part(importance) + " importance and " + part(vitality) + " vitality. A relevance of 0% is no nearer than what is about something else, 100% as near as what usually belongs to a question; it may be more or less"
}

// Percent writes a share of one, or what may be more or less than that.
func Percent(v float64) string {
	s := strconv.FormatFloat(math.Abs(100*v), 'f', 0, 64) + "%"
	if v < 0 && s != "0%" {
		return "−" + s
	}
	return s
}

// NotRecalled heads the candidates that would not be.
func NotRecalled(shown, considered int) string {
	return "Not recalled: " + Number(shown) + " shown of " + Number(considered) + " looked at"
}

// WhyNot is the reason of a candidate that isn't picked; rank is that of the picked
// one which it is a duplicate of, from 1.
func WhyNot(c api.Candidate, floor float64, rank, count, bytes int) string {
	switch c.Reason {
	case api.ReasonExcluded:
		return PassedOver
	case api.ReasonRank:
		return OutByRank
	case api.ReasonFloor:
		return "Not relevant enough: " + Percent(c.Relevance) + ", needs " + Percent(floor)
	case api.ReasonDuplicate:
		if rank > 0 {
			return "Says the same as number " + strconv.Itoa(rank)
		}
		return "Says the same as a recalled one"
	case api.ReasonBytes:
		return "Does not fit into " + Number(bytes) + " bytes any more"
	case api.ReasonCount:
		return Number(count) + " better ones were enough"
	}
	return c.Reason
}

// Of the map.
const (
	MapTab        = "Map"
	MapHint       = "Arrows go from memory to memory, Enter opens, + and − zoom, 0 shows all, Shift and drag selects."
	MapList       = "The list holds the same memories."
	MapSize       = "size: importance"
	MapStrength   = "strength: vitality"
	MapByCategory = "each category around a place of its own, as there is no embedding model."
	MapPlacing    = "Placing memories…"
	MapFailed     = "The map could not be read"
	MemoriesUnit  = "memories"
	ZoomIn        = "Zoom in"
	ZoomOut       = "Zoom out"
	ZoomFit       = "Show all"
	Lasso         = "Lasso: draw around memories to select them"
)

// MapLabel says what the map is.
func MapLabel(n int) string { return "Map of " + Memories(n) }

// MapBy says what places stand for, and since when.
func MapBy(model, ago string) string {
	return "near in place = near in meaning · " + model + ", computed " + ago
}

// MapRest counts what is not placed by meaning.
func MapRest(n int) string {
	return " · " + Number(n) + " not indexed, beside their category"
}
