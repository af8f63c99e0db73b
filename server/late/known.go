package late

import _ "embed"

// What package fit made: for axes and background token vectors see New.
var (
	//go:embed known/axes.bin
	knownAxes []byte
	//go:embed known/background.bin
	knownBackground []byte
)
