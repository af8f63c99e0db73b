package settings

import (
	"encoding/json"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// storedLimits are the limits that were set.
type storedLimits struct {
	RecallCount  *int `json:"recallCount,omitempty"`
	RecallBytes  *int `json:"recallBytes,omitempty"`
	RecallWaitMs *int `json:"recallWaitMs,omitempty"`

	LiveSearches  *int `json:"liveSearches,omitempty"`
	LivePerSearch *int `json:"livePerSearch,omitempty"`
	LiveBytes     *int `json:"liveBytes,omitempty"`
}

// ReadLimits are the limits in force. What is stored out of its bounds is moved into
// them. Errors: Corrupt.
func ReadLimits(tx *db.Tx) (api.Limits, error) {
	var in storedLimits
	if err := read(tx, Limits, &in); err != nil {
		return api.Limits{}, err
	}
	return api.Limits{
		RecallCount:  number("limits.recallCount", in.RecallCount),
		RecallBytes:  number("limits.recallBytes", in.RecallBytes),
		RecallWaitMs: number("limits.recallWaitMs", in.RecallWaitMs),

		LiveSearches:  number("limits.liveSearches", in.LiveSearches),
		LivePerSearch: number("limits.livePerSearch", in.LivePerSearch),
		LiveBytes:     number("limits.liveBytes", in.LiveBytes),
	}, nil
}

// ChangeLimits saves a change that was judged by its tags.
func ChangeLimits(tx *db.Tx, in api.LimitsChange) error {
	var now storedLimits
	if err := read(tx, Limits, &now); err != nil {
		return err
	}
	take(&now.RecallCount, in.RecallCount)
	take(&now.RecallBytes, in.RecallBytes)
	take(&now.RecallWaitMs, in.RecallWaitMs)
	take(&now.LiveSearches, in.LiveSearches)
	take(&now.LivePerSearch, in.LivePerSearch)
	take(&now.LiveBytes, in.LiveBytes)
	return write(tx, Limits, now)
}

// storedRuntime is what was set of the runtime.
type storedRuntime struct {
	// By the id of the embedding space that was in use when they were saved; 0: none was.
	Spaces           map[int64]thresholds `json:"spaces,omitempty"`
	ImportanceWeight *int                 `json:"importanceWeight,omitempty"`
	VitalityWeight   *int                 `json:"vitalityWeight,omitempty"`
	LateInteraction  *bool                `json:"lateInteraction,omitempty"`
	FileTools        *bool                `json:"fileTools,omitempty"`
	PrivateServers   *bool                `json:"privateServers,omitempty"`
}

// thresholds belong to a model: what is alike in one is far apart in another.
type thresholds struct {
	RelevanceFloor      *int `json:"relevanceFloor,omitempty"`
	DuplicateThreshold  *int `json:"duplicateThreshold,omitempty"`
	ParaphraseThreshold *int `json:"paraphraseThreshold,omitempty"`
}

// ReadRuntime is the runtime in force while an embedding space is in use, 0 for none.
// Errors: Corrupt.
func ReadRuntime(tx *db.Tx, space int64) (api.Runtime, error) {
	var in storedRuntime
	if err := read(tx, Runtime, &in); err != nil {
		return api.Runtime{}, err
	}
	of := in.Spaces[space]
	out := api.Runtime{
		RelevanceFloor:      optional("runtime.relevanceFloor", of.RelevanceFloor),
		DuplicateThreshold:  optional("runtime.duplicateThreshold", of.DuplicateThreshold),
		ParaphraseThreshold: optional("runtime.paraphraseThreshold", of.ParaphraseThreshold),
		ImportanceWeight:    number("runtime.importanceWeight", in.ImportanceWeight),
		VitalityWeight:      number("runtime.vitalityWeight", in.VitalityWeight),
		LateInteraction:     flag("runtime.lateInteraction", in.LateInteraction),
		FileTools:           flag("runtime.fileTools", in.FileTools),
		PrivateServers:      flag("runtime.privateServers", in.PrivateServers),
	}
	return out, nil
}

// ChangeRuntime saves a change that was judged by its tags, while an embedding space is
// in use: its thresholds are of that space.
func ChangeRuntime(tx *db.Tx, space int64, in api.RuntimeChange) error {
	var now storedRuntime
	if err := read(tx, Runtime, &now); err != nil {
		return err
	}
	of := now.Spaces[space]
	take(&of.RelevanceFloor, in.RelevanceFloor)
	take(&of.DuplicateThreshold, in.DuplicateThreshold)
	take(&of.ParaphraseThreshold, in.ParaphraseThreshold)
	if now.Spaces == nil {
		now.Spaces = map[int64]thresholds{}
	}
	if now.Spaces[space] = of; of == (thresholds{}) {
		delete(now.Spaces, space)
	}
	take(&now.ImportanceWeight, in.ImportanceWeight)
	take(&now.VitalityWeight, in.VitalityWeight)
	take(&now.LateInteraction, in.LateInteraction)
	take(&now.FileTools, in.FileTools)
	take(&now.PrivateServers, in.PrivateServers)
	return write(tx, Runtime, now)
}

func take[T any](stored **T, change api.Optional[T]) {
	if change.Set {
		*stored = change.Value
	}
}

// number is what was set within the row's bounds, or its default.
func number(key string, set *int) int {
	row := setting.Get(key)
	if set == nil {
		return int(row.Default)
	}
	return int(row.Clamp(float64(*set)))
}

// flag is what was set, or the row's default.
func flag(key string, set *bool) bool {
	if set == nil {
		return setting.Get(key).Default != 0
	}
	return *set
}

func optional(key string, set *int) *int {
	if set == nil {
		return nil
	}
	return api.Ptr(number(key, set))
}

func read(tx *db.Tx, group string, into any) error {
	text, _, err := Read(tx, group)
	if err != nil || text == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fault.Wrap(fault.Corrupt, err, "The stored settings of the group "+group+" cannot be read. Save them again.")
	}
	return nil
}

func write(tx *db.Tx, group string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	_, err = Write(tx, group, string(text))
	return err
}
