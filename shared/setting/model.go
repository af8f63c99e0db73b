package setting

// models are the rows of model providers and of embedding.
var models = []Setting{
	{Key: "model.baseUrl", Label: "Address", Help: "Such as https://api.example.org/v1.", Unit: "characters", Kind: Text, Min: 0, Max: 2_000, Who: Admin},
	{Key: "model.apiKey", Label: "Key", Help: "Stored encrypted and never shown again.", Unit: "characters", Kind: Secret, Min: 0, Max: 4_000, Who: Admin},
	{Key: "model.provider", Label: "Provider's id", Help: "A short name of your own.", Unit: "characters", Kind: Text, Min: 1, Max: 40, Who: Admin},
	{Key: "model.name", Label: "Model", Unit: "characters", Kind: Text, Min: 1, Max: 200, Who: Admin},
	{Key: "model.providers", Label: "Providers", Kind: Whole, Default: 1, Min: 1, Max: 20},
	{Key: "model.dimensions", Label: "Width", Help: "How many numbers a vector has; empty for what the model gives.", Unit: "numbers", Kind: Whole, Default: 0, Min: 1, Max: 8_192, Who: Admin},

	{Key: "utility.seconds", Label: "Seconds that the utility model may take", Unit: "seconds", Kind: Whole, Default: 60, Min: 1, Max: 600},
	{Key: "utility.answer", Label: "Answer of the utility model", Unit: "bytes", Kind: Whole, Default: 0, Min: 1, Max: 1 << 20},

	{Key: "chat.answer", Label: "Answer of a model in a conversation", Unit: "bytes", Kind: Whole, Default: 0, Min: 1, Max: 4 << 20},
	{Key: "chat.idleSeconds", Label: "Seconds that a model may be silent", Help: "Then the request ends.", Unit: "seconds", Kind: Whole, Default: 180, Min: 5, Max: 1_800},
	{Key: "chat.tries", Label: "Tries of a request to a model", Help: "While nothing was answered.", Kind: Whole, Default: 3, Min: 1, Max: 10},
	{Key: "chat.waitSeconds", Label: "Seconds before another try", Help: "A provider that wants to be left alone for longer is not asked again.", Unit: "seconds", Kind: Whole, Default: 20, Min: 0, Max: 600},
	{Key: "chat.room", Label: "Answer of a model that must be told", Unit: "tokens", Kind: Whole, Default: 8_192, Min: 1, Max: 1 << 20},
	{Key: "chat.window", Label: "Context of a model", Help: "How much it reads at once; empty for what is known of it.", Unit: "tokens", Kind: Whole, Default: 32_768, Min: 1_024, Max: 16 << 20, Who: Admin},

	{Key: "usage.days", Label: "Days of usage shown", Unit: "days", Kind: Whole, Default: 30, Min: 1, Max: 366},
	{Key: "models.listed", Label: "Models of a provider's list", Kind: Whole, Default: 0, Min: 1, Max: 2_000},
	{Key: "models.list", Label: "Length of a provider's list of models", Unit: "bytes", Kind: Whole, Default: 0, Min: 1, Max: 8 << 20},
	{Key: "models.fresh", Label: "Seconds that a provider's list is kept", Unit: "seconds", Kind: Whole, Default: 300, Min: 1, Max: 86_400},
	{Key: "models.retry", Label: "Seconds before a list that failed is read again", Unit: "seconds", Kind: Whole, Default: 20, Min: 1, Max: 3_600},

	{Key: "embedding.width", Label: "Numbers of a vector", Kind: Whole, Default: 0, Min: 1, Max: 8_192},
	{Key: "embedding.seconds", Label: "Seconds that an embedding may take", Unit: "seconds", Kind: Whole, Default: 30, Min: 1, Max: 600},
	{Key: "embedding.texts", Label: "Texts of an embedding request", Kind: Whole, Default: 32, Min: 1, Max: 256},
	{Key: "embedding.bytes", Label: "Text of an embedding request", Unit: "bytes", Kind: Whole, Default: 96 << 10, Min: 1 << 10, Max: 1 << 20},
	{Key: "embedding.answer", Label: "Answer to an embedding request", Unit: "bytes", Kind: Whole, Default: 0, Min: 1, Max: 32 << 20},
	{Key: "embedding.requests", Label: "Embedding requests of a pass", Help: "Then it looks again what is newest.", Kind: Whole, Default: 50, Min: 1, Max: 50},
	{Key: "embedding.tries", Label: "Tries of an embedding request", Help: "Before it is put off.", Kind: Whole, Default: 3, Min: 1, Max: 10},
	{Key: "embedding.resident", Label: "Vectors held in memory", Unit: "bytes", Kind: Whole, Default: 512 << 20, Min: 1 << 20, Max: 1 << 40},
}
