package setting

// transcripts are the rows of conversations that were held elsewhere.
var transcripts = []Setting{
	{Key: "transcript.turns", Label: "Turns of a transcript", Unit: "turns", Kind: Whole, Default: 1, Min: 1, Max: 5_000},
	{Key: "transcript.participants", Label: "Participants of a transcript", Unit: "participants", Kind: Whole, Default: 1, Min: 1, Max: 100},
	{Key: "transcript.name", Label: "Name of a participant", Unit: "characters", Kind: Text, Min: 1, Max: 120},
	{Key: "transcript.text", Label: "Text of a turn", Unit: "characters", Kind: Text, Min: 1, Max: 20_000},
	{Key: "transcript.limit", Label: "Turns found", Unit: "turns", Kind: Whole, Default: 10, Min: 1, Max: 50},
	{Key: "transcript.resident", Label: "Memory for the vectors of turns", Help: "Those of accounts that were not searched for longest leave first.", Unit: "bytes", Kind: Whole, Default: 128 << 20, Min: 1 << 20, Max: 1 << 40},
}
