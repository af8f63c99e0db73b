package setting

// tools are the rows of what a model may do in a chat beside memories: scripts, long
// outputs, files, servers of others.
var tools = []Setting{
	{Key: "code.script", Label: "A script", Unit: "bytes", Kind: Whole, Default: 100_000, Min: 1, Max: 100_000},
	{Key: "code.seconds", Label: "Seconds that a script may take", Unit: "seconds", Kind: Whole, Default: 100, Min: 1, Max: 600},
	{Key: "code.cpuSeconds", Label: "Seconds that a script may compute", Unit: "seconds", Kind: Whole, Default: 5, Min: 1, Max: 60},
	{Key: "code.memory", Label: "Memory of a script", Help: "Beside what the program itself takes.", Unit: "bytes", Kind: Whole, Default: 256 << 20, Min: 64 << 20, Max: 1 << 30},
	{Key: "code.printed", Label: "What a script may print", Unit: "bytes", Kind: Whole, Default: 1 << 20, Min: 1 << 10, Max: 8 << 20},
	{Key: "code.line", Label: "A call of a tool from a script, and its answer", Unit: "bytes", Kind: Whole, Default: 4 << 20, Min: 1 << 20, Max: 16 << 20},
	{Key: "code.calls", Label: "Calls of tools from a script", Unit: "calls", Kind: Whole, Default: 100, Min: 1, Max: 1_000},
	{Key: "code.callsAtOnce", Label: "Calls of tools from a script at a time", Unit: "calls", Kind: Whole, Default: 4, Min: 1, Max: 16},
	{Key: "code.processes", Label: "Scripts that run at a time", Kind: Whole, Default: 4, Min: 1, Max: 64},

	{Key: "output.shown", Label: "Output of a tool that a model is shown", Help: "Of a longer one, the beginning and the end.", Unit: "bytes", Kind: Whole, Default: 32_000, Min: 4_000, Max: 90_000},
	{Key: "output.read", Label: "Bytes that are read of a kept output at a time", Unit: "bytes", Kind: Whole, Default: 30_000, Min: 1, Max: 30_000},
	{Key: "output.offset", Label: "Where reading a kept output begins", Unit: "bytes", Kind: Whole, Default: 0, Min: 0, Max: 8 << 20},
	{Key: "output.file", Label: "A kept output", Unit: "bytes", Kind: Whole, Default: 8 << 20, Min: 1 << 10, Max: 8 << 20},
	{Key: "output.files", Label: "Kept outputs of a conversation", Unit: "files", Kind: Whole, Default: 50, Min: 1, Max: 1_000},
	{Key: "output.account", Label: "Kept outputs of an account", Unit: "bytes", Kind: Whole, Default: 64 << 20, Min: 8 << 20, Max: 1 << 30},

	{Key: "file.path", Label: "Path in a project", Unit: "characters", Kind: Text, Min: 0, Max: 1_000},
	{Key: "file.pattern", Label: "What files are searched for", Unit: "characters", Kind: Text, Min: 1, Max: 500},
	{Key: "file.line", Label: "First line that is read of a file", Kind: Whole, Default: 1, Min: 1, Max: 10_000_000},
	{Key: "file.lines", Label: "Lines that are read of a file", Unit: "lines", Kind: Whole, Default: 500, Min: 1, Max: 2_000},
	{Key: "file.depth", Label: "Folders below each other in a list of files", Kind: Whole, Default: 1, Min: 1, Max: 6},
	{Key: "file.entries", Label: "Files in a list", Unit: "files", Kind: Whole, Default: 500, Min: 1, Max: 500},
	{Key: "file.bytes", Label: "Text that is read of a file at a time", Unit: "bytes", Kind: Whole, Default: 256 << 10, Min: 1 << 10, Max: 1 << 20},
	{Key: "file.columns", Label: "Bytes that are shown of a line", Unit: "bytes", Kind: Whole, Default: 1_000, Min: 100, Max: 10_000},
	{Key: "file.searched", Label: "Files that a search looks into", Unit: "files", Kind: Whole, Default: 20_000, Min: 1, Max: 100_000},
	{Key: "file.searchedBytes", Label: "Bytes of files that a search looks into", Unit: "bytes", Kind: Whole, Default: 256 << 20, Min: 1 << 20, Max: 4 << 30},
	{Key: "file.large", Label: "A file that a search looks into", Unit: "bytes", Kind: Whole, Default: 4 << 20, Min: 1 << 10, Max: 64 << 20},
	{Key: "file.matches", Label: "Places that a search finds", Kind: Whole, Default: 100, Min: 1, Max: 1_000},
	{Key: "file.searchSeconds", Label: "Seconds that a search of files may take", Unit: "seconds", Kind: Whole, Default: 20, Min: 1, Max: 120},
}
