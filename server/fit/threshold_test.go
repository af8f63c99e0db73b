package fit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/embedding"
)

// Whatever the cosines are, what is called the same fact is no looser than what hides a
// memory, and what makes one of two no looser than that.
func TestThresholdsAreInOrder(t *testing.T) {
	cosine := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 60)
	rapid.Check(t, func(t *rapid.T) {
		same, different := cosine.Draw(t, "same"), cosine.Draw(t, "different")
		slices.Sort(same)
		slices.Sort(different)
		var got embedding.Thresholds
		set(&got, same, different)
		if got.Paraphrase > got.Duplicate || got.Duplicate > got.Reinforce {
			t.Fatalf("%+v", got)
		}
		over := 0
		for _, x := range different {
			if x > got.Duplicate {
				over++
			}
		}
		if over > 1+len(different)*3/100 {
			t.Fatalf("%d of %d different facts are called the same", over, len(different))
		}
	})
}
