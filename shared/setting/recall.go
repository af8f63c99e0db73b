package setting

// recall are the rows of recall: what one question may ask for, the groups limits and
// runtime of the settings, and what the program fixes.
var recall = []Setting{
	{Key: "limits.recallCount", Label: "Memories recalled with a message", Help: "At most this many are handed over.", Unit: "memories", Kind: Whole, Default: 10, Min: 1, Max: 100, Who: Admin},
	{Key: "limits.recallBytes", Label: "Text recalled with a message", Help: "The texts of those memories together are no longer than this.", Unit: "bytes", Kind: Whole, Default: 20_000, Min: 1, Max: 200_000, Who: Admin},
	{Key: "limits.recallWaitMs", Label: "Wait for memories before answering", Help: "How long an answer waits for what is recalled before it begins; 0 never waits. What comes later is handed over while it works.", Unit: "ms", Kind: Whole, Default: 5_000, Min: 0, Max: 30_000, Who: Admin},

	{Key: "runtime.relevanceFloor", Label: "Relevant enough from", Help: "What answers a question less well than this is not recalled. Empty: what suits the model.", Unit: "per mille", Kind: Whole, Default: 200, Min: 100, Max: 800, Who: Admin},
	{Key: "runtime.duplicateThreshold", Label: "Duplicate from", Help: "Two memories that are at least this alike say the same. Empty: what suits the model.", Unit: "per mille", Kind: Whole, Default: 930, Min: 500, Max: 980, Who: Admin},
	{Key: "runtime.paraphraseThreshold", Label: "Same thing in other words from", Help: "Of two memories that are at least this alike only the better one is recalled. Empty: what suits the model.", Unit: "per mille", Kind: Whole, Default: 700, Min: 500, Max: 980, Who: Admin},
	{Key: "runtime.importanceWeight", Label: "Share of importance", Help: "How much it counts in the order of what is relevant enough.", Unit: "per mille", Kind: Whole, Default: 100, Min: 0, Max: 300, Who: Admin},
	{Key: "runtime.vitalityWeight", Label: "Share of vitality", Help: "How much it counts in the order of what is relevant enough.", Unit: "per mille", Kind: Whole, Default: 100, Min: 0, Max: 300, Who: Admin},
	{Key: "runtime.lateInteraction", Label: "Compare word by word", Help: "A second, closer look at the best candidates; finds more, in English.", Kind: Bool, Default: 1, Who: Admin},
	{Key: "runtime.fileTools", Label: "Read a project's files", Help: "In a conversation about a project the model may list, read and search what is below its roots on this machine, for the project's members.", Kind: Bool, Default: 0, Who: Admin},
	{Key: "runtime.privateServers", Label: "Servers at private addresses", Help: "Members' own MCP servers may be on this machine or in its network.", Kind: Bool, Default: 0, Who: Admin},

	{Key: "recall.query", Label: "Question", Unit: "characters", Kind: Text, Min: 0, Max: 20_000},
	{Key: "recall.limit", Label: "Memories asked for", Unit: "memories", Kind: Whole, Default: 10, Min: 1, Max: 100},
	{Key: "recall.bytes", Label: "Text asked for", Unit: "bytes", Kind: Whole, Default: 20_000, Min: 1, Max: 200_000},
	{Key: "recall.exclude", Label: "Memories passed over", Kind: Whole, Default: 0, Min: 0, Max: 5_000},
	{Key: "recall.embedMillis", Label: "Milliseconds that the embedding of a question may take", Help: "Then recall goes by words.", Unit: "ms", Kind: Whole, Default: 4_000, Min: 10, Max: 30_000},
	{Key: "recall.questions", Label: "Embedded questions that are kept", Kind: Whole, Default: 256, Min: 1, Max: 10_000},
	{Key: "sorting.hours", Label: "Hours in which a new memory is sorted by itself", Help: "What is older is sorted when somebody asks for it.", Unit: "hours", Kind: Whole, Default: 24, Min: 1, Max: 720},
	{Key: "maintenance.shown", Label: "Maintenance jobs shown", Kind: Whole, Default: 20, Min: 1, Max: 20},
	{Key: "maintenance.hours", Label: "Hours that the receipt of a maintenance job is kept", Unit: "hours", Kind: Whole, Default: 24, Min: 1, Max: 720},
	{Key: "calibrate.memories", Label: "Memories that a calibration compares", Kind: Whole, Default: 2_000, Min: 100, Max: 5_000},
	{Key: "similar.waitMillis", Label: "Milliseconds that an add waits for what resembles it by meaning", Unit: "ms", Kind: Whole, Default: 300, Min: 1, Max: 5_000},
	{Key: "similar.waiting", Label: "Adds that wait for it at a time", Kind: Whole, Default: 4, Min: 1, Max: 64},
}
