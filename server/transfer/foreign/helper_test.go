package foreign_test

import "time"

var sampleTime = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
