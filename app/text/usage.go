package text

// Of the table of what models cost.
const (
	UsageHead     = "What models cost"
	UsageWhy      = "The last 30 days, and each role's latest. The built-in model costs nothing."
	NoUsage       = "No model was asked for you."
	UsageFor      = "For"
	UsageRequests = "Requests"
	UsageInput    = "Tokens read"
	UsageCached   = "from its cache"
	UsageOutput   = "Tokens written"
)

// UsageOn is a day of a role, a date as the server counts days.
func UsageOn(date string) string { return "on " + date }
