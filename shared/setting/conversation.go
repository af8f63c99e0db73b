package setting

// conversations are the rows of conversations: what a person may send, how a turn goes,
// and what of the group limits is for recall while a turn works.
var conversations = []Setting{
	{Key: "limits.liveSearches", Label: "Searches while a turn works", Help: "At most so many a turn; 0 switches them off.", Unit: "searches", Kind: Whole, Default: 10, Min: 0, Max: 20, Who: Admin},
	{Key: "limits.livePerSearch", Label: "Memories of a search while a turn works", Help: "0 switches them off.", Unit: "memories", Kind: Whole, Default: 2, Min: 0, Max: 10, Who: Admin},
	{Key: "limits.liveBytes", Label: "Text recalled while a turn works", Help: "Of the blocks as the model is shown them, a turn.", Unit: "bytes", Kind: Whole, Default: 20_000, Min: 10_000, Max: 40_000, Who: Admin},

	{Key: "conversation.title", Label: "Title", Unit: "characters", Kind: Text, Min: 0, Max: 200, Who: Member},
	{Key: "conversation.message", Label: "Message", Unit: "characters", Kind: Text, Min: 1, Max: 200_000, Who: Member},
	{Key: "conversation.instructions", Label: "Instructions for a summary", Unit: "characters", Kind: Text, Min: 0, Max: 4_000, Who: Member},
	{Key: "conversation.queued", Label: "Messages that may wait in a conversation", Kind: Whole, Default: 20, Min: 1, Max: 100},
	{Key: "conversation.compactPercent", Label: "Context used before it is summarized", Help: "Of what the model takes; 0 never summarizes by itself.", Unit: "percent", Kind: Whole, Default: 80, Min: 0, Max: 95, Who: Member},
	{Key: "conversation.compactLeast", Label: "Least share of the context before it is summarized", Unit: "percent", Kind: Whole, Default: 30, Min: 30, Max: 30},
	{Key: "conversation.keptPercent", Label: "Share of the context that a summary leaves as it was", Unit: "percent", Kind: Whole, Default: 20, Min: 5, Max: 50},
	{Key: "conversation.freedPercent", Label: "Least share of the context that a summary frees", Help: "Where it would free less, as tools take the most of it, none is written.", Unit: "percent", Kind: Whole, Default: 10, Min: 1, Max: 50},
	{Key: "conversation.rows", Label: "Entries shown of a conversation", Unit: "entries", Kind: Whole, Default: 100, Min: 1, Max: 200},

	{Key: "turn.rounds", Label: "Answers of the model in one turn", Help: "Then it ends, and can be gone on with.", Kind: Whole, Default: 60, Min: 1, Max: 1_000},
	{Key: "turn.answer", Label: "Answer of the model", Unit: "bytes", Kind: Whole, Default: 1 << 20, Min: 1 << 10, Max: 8 << 20},
	{Key: "turn.calls", Label: "Tools that one answer may call", Kind: Whole, Default: 32, Min: 1, Max: 128},
	{Key: "turn.toolMillis", Label: "Milliseconds that a tool may take", Unit: "ms", Kind: Whole, Default: 120_000, Min: 1_000, Max: 3_600_000},
	{Key: "turn.result", Label: "Answer of a tool as the model is shown it", Unit: "bytes", Kind: Whole, Default: 100_000, Min: 1 << 10, Max: 1 << 20},
	{Key: "turn.leaseMillis", Label: "Milliseconds after which a turn counts as cut off", Help: "Where the program that ran it gives no sign.", Unit: "ms", Kind: Whole, Default: 60_000, Min: 5_000, Max: 600_000},
	{Key: "turn.coldMinutes", Label: "Minutes after which the provider has forgotten a conversation", Unit: "minutes", Kind: Whole, Default: 60, Min: 1, Max: 1_440},
	{Key: "turn.titleWords", Label: "Words of a message that make a title", Unit: "words", Kind: Whole, Default: 8, Min: 1, Max: 30},
	{Key: "turn.running", Label: "Turns that run at a time", Kind: Whole, Default: 256, Min: 1, Max: 10_000},

	{Key: "live.queryLeast", Label: "Shortest text that is searched for while a turn works", Unit: "characters", Kind: Whole, Default: 24, Min: 24, Max: 24},
	{Key: "live.queryMost", Label: "Text that is searched for while a turn works", Help: "The end of what the tools and the model said.", Unit: "characters", Kind: Whole, Default: 2_000, Min: 2_000, Max: 2_000},
	{Key: "live.searchSeconds", Label: "Seconds after which a search while a turn works is given up", Unit: "seconds", Kind: Whole, Default: 30, Min: 30, Max: 30},

	{Key: "journal.resident", Label: "Memory for conversations that are open", Help: "Those that were not used for longest leave first.", Unit: "bytes", Kind: Whole, Default: 64 << 20, Min: 1 << 20, Max: 1 << 40},
}
