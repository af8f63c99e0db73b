package setting

// relayed are the rows of what other programs ask for as they would ask OpenAI.
var relayed = []Setting{
	{Key: "v1.body", Label: "Request of another program", Help: "With all that was said, and pictures.", Unit: "bytes", Kind: Whole, Default: 16 << 20, Min: 1, Max: 16 << 20},
	{Key: "v1.messages", Label: "Messages of a request of another program", Kind: Whole, Default: 10_000, Min: 1, Max: 10_000},
	{Key: "v1.tools", Label: "Tools that a request of another program offers", Kind: Whole, Default: 512, Min: 0, Max: 512},
	{Key: "v1.conversation", Label: "Name of a conversation of another program", Unit: "bytes", Kind: Text, Min: 0, Max: 128},
	{Key: "v1.running", Label: "Answers on their way for an account's other programs", Kind: Whole, Default: 16, Min: 1, Max: 1_000},
	{Key: "v1.inputs", Label: "Texts embedded in one request of another program", Kind: Whole, Default: 2_048, Min: 1, Max: 2_048},
}
