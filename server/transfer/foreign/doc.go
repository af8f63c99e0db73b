// Package foreign reads what people bring with them from other systems: files,
// folders and zips become items, each a memory as a line of an import would have
// it. It knows no store; package transfer decides what becomes of the items.
//
// # Concepts
//
// A Bundle is what somebody brings: a file, a folder, a zip, several files. A format
// is a way to read it, a file of this package each. Which one it is can be found out
// from names and from how the contents begin; Read says whether it was.
//
// An Item has its place, file and line, so that a report can point at it. It may be
// refused with a reason, and then the others can still be taken. What makes a file
// unreadable (an encoding that is not UTF-8, JSON that ends too early) is a Fault with
// its line, and nothing of the bundle can be taken: what else is wrong with such a
// file nobody knows.
//
// # What becomes what
//
// A memory has its text as it stood there, made to stand alone where it leant on its
// surroundings: an observation begins with what it is about. Its times are kept
// where the format has them; those without a zone are read as UTC, and a note says so.
// Importance and confidence are the defaults: no other system has a scale like ours.
// Its source is "import"; which system it came from stands in the audit.
//
// What a format sorts by (categories, the folders of notes, the types of a graph's
// entities, headings) becomes categories, if it is few enough that a person would
// have made them: at most import.groups in all. More than that are a model's or a
// document's, and make no categories; a note says so. Tags never do: a memory has
// many, and stands in one category. Tags in a text stay in it.
//
// # Formats
//
//   - mem0: the answer of its get_all, an export of OpenMemory, JSON or JSON lines.
//   - mcp-memory: the graph of the reference memory server of the Model Context
//     Protocol, its file of JSON lines or what read_graph answers. An entity's
//     observations are facts of their own, and so are relations.
//   - mcp-memory-service: the export of the service of that name.
//   - basic-memory: its notes. Observations and relations are facts, what is between
//     them is a memory a section.
//   - chatgpt: what it wrote to its memory, from the conversations of an account
//     export; or text out of its settings, or that it wrote itself.
//   - claude: the memories of an account export; or such text.
//   - markdown, text: a fact a bullet or paragraph.
//
// # What it does not do
//
// It takes no conversations over, asks no model what might be worth keeping, follows no
// link out of a folder, and unpacks nothing to disk. Text that looks like a key or a
// password is taken as it is, since it is the person's own; a note says where.
package foreign
