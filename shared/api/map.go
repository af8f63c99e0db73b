package api

// PathMap is the path of the map.
const PathMap = "/api/memory/map"

// MapSide is how many units wide and high a map is: places are 0 to MapSide.
const MapSide = 65_535

// MapRecord is how many bytes one memory takes in Map.Points, little-endian: id (6), x
// and y (2 each), place of its category in Map.Categories (1), importance (1), shown
// vitality (1), and 1 where it is placed by meaning, else 0 (1).
const MapRecord = 14

// Map answers GET /api/memory/map: where the active memories are. Near in place is
// near in meaning, where they are placed by meaning.
type Map struct {
	Total      int       `json:"total"`
	Points     string    `json:"points"`     // base64 of MapRecord bytes a memory, by ascending id
	Categories []int64   `json:"categories"` // the first is 0, for none
	Clusters   []Cluster `json:"clusters"`   // the largest first
	Model      string    `json:"model"`      // by whose vectors they are placed; empty: around their categories
	Placed     int       `json:"placed"`     // by meaning
	ComputedAt Time      `json:"computedAt"` // the places
	AsOf       Time      `json:"asOf"`
}

// Cluster is a group of memories on a map: an ellipse of one standard deviation.
type Cluster struct {
	X          int      `json:"x"`
	Y          int      `json:"y"`
	Major      int      `json:"major"` // the longer half-axis
	Minor      int      `json:"minor"`
	Angle      float64  `json:"angle"` // of the longer one to the right, in radians, clockwise
	Count      int      `json:"count"`
	CategoryID int64    `json:"categoryId"` // of most of them; 0: of no one's
	Words      []string `json:"words"`      // that are frequent in it and rare elsewhere
}
