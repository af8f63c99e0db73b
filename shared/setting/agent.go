package setting

// agents are the rows of what agents are handed through their tools.
var agents = []Setting{
	{Key: "agent.search", Label: "Memories that a search of an agent finds", Unit: "memories", Kind: Whole, Default: 6, Min: 1, Max: 50},
	{Key: "agent.list", Label: "Memories that an agent lists", Unit: "memories", Kind: Whole, Default: 10, Min: 1, Max: 50},
	{Key: "agent.bytes", Label: "Text that one result hands an agent", Help: "Of the memories' bodies together.", Unit: "bytes", Kind: Whole, Default: 20_000, Min: 1, Max: 200_000},
	{Key: "agent.beginning", Label: "Characters that stand for a memory that an agent has", Unit: "characters", Kind: Whole, Default: 80, Min: 80, Max: 80},
	{Key: "agent.heldMinutes", Label: "Minutes for which an agent is taken to have what it was handed", Unit: "minutes", Kind: Whole, Default: 30, Min: 1, Max: 1_440},
	{Key: "agent.heldResults", Label: "Results for which an agent is taken to have what it was handed", Unit: "results", Kind: Whole, Default: 20, Min: 1, Max: 1_000},
	{Key: "agent.conversations", Label: "Conversations of agents that an account keeps", Kind: Whole, Default: 200, Min: 1, Max: 10_000},
	{Key: "agent.conversation", Label: "Conversation", Unit: "characters", Kind: Text, Min: 0, Max: 128},
	{Key: "agent.path", Label: "Path of a project", Unit: "characters", Kind: Text, Min: 0, Max: 1_000},
	{Key: "agent.category", Label: "Name of a category", Unit: "characters", Kind: Text, Min: 0, Max: 80},
	{Key: "agent.callMillis", Label: "Milliseconds that a call of a tool may take", Unit: "ms", Kind: Whole, Default: 60_000, Min: 1_000, Max: 600_000},
	{Key: "account.tokenAttempts", Label: "Wrong tokens from one address before new ones have to wait", Unit: "a quarter of an hour", Kind: Whole, Default: 30, Min: 1, Max: 1_000},
}
