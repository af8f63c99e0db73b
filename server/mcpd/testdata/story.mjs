// A story told by a client of the official TypeScript SDK: add, search, update,
// conflict, merge, delete, list, categories. Arguments: the folder of node_modules, then
// either an address and a token, or a program and its arguments.
import { pathToFileURL } from "node:url";
import { strict as assert } from "node:assert";

const [modules, kind, ...rest] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/${file}`).href);
const { Client } = await load("index.js");

async function transport() {
  if (kind === "http") {
    const { StreamableHTTPClientTransport } = await load("streamableHttp.js");
    return new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } } });
  }
  const { StdioClientTransport } = await load("stdio.js");
  return new StdioClientTransport({ command: rest[0], args: rest.slice(1), stderr: "inherit" });
}

const client = new Client({ name: "story", version: "1" });
await client.connect(await transport());
assert.match(client.getInstructions(), /MemorySearch/);

// callTool judges results by the tools' output schemas once the tools are listed.
const { tools } = await client.listTools();
assert.equal(tools.length, 10);

const call = async (name, args) => {
  const r = await client.callTool({ name, arguments: args });
  assert.ok(!r.isError, `${name}: ${r.content[0].text}`);
  return { ...r.structuredContent, text: r.content[0].text };
};
const wrong = async (name, args, says) => {
  const r = await client.callTool({ name, arguments: args });
  assert.ok(r.isError, name);
  assert.match(r.content[0].text, says);
};

const a = await call("MemoryAdd", { body: "The bakery closes at six on weekdays.", kind: "fact" });
const b = await call("MemoryAdd", { body: "The bakery closes at two on Saturdays.", importance: 7 });
assert.equal(b.existing, false);
let found = await call("MemorySearch", { query: "When does the bakery close?" });
assert.equal(found.memories.length, 2);
assert.match(found.text, /<memory id="\d+" kind="fact" importance="\d" saved="today"/);
found = await call("MemorySearch", { query: "When does the bakery close?", conversation: found.conversation });
assert.ok(found.memories.every((m) => m.inContext));
await call("MemoryUpdate", { id: a.id, body: "The bakery closes at half past six on weekdays." });
await wrong("MemoryUpdate", { id: 4242, body: "x" }, /no memory 4242/);
await wrong("MemoryUpdate", { id: a.id, revision: 1 }, /It takes: id, body/);
const m = await call("MemoryMerge", { ids: [a.id, String(b.id)], body: "The bakery closes at half past six, on Saturdays at two." });
assert.deepEqual(m.merged, [a.id, b.id]);
await wrong("MemoryUpdate", { id: a.id, body: "x" }, /trash/);
const list = await call("MemoryListRecent", {});
assert.deepEqual(list.memories.map((x) => x.id), [m.id]);
await call("MemoryCategoryCreate", { name: "Shops" });
await call("MemoryUpdate", { id: m.id, category: "Shops" });
const shelves = await call("MemoryCategories", {});
assert.deepEqual(shelves.categories.map((c) => [c.name, c.memories]), [["General", 0], ["Shops", 1]]);
await call("MemoryDelete", { id: m.id });
await wrong("MemoryMerge", { ids: [m.id], body: "x" }, /ids must list/);
await assert.rejects(client.callTool({ name: "MemoryDance", arguments: {} }), /MemoryDance/);
const { resources } = await client.listResources();
assert.deepEqual(resources, []);
const { messages } = await client.getPrompt({ name: "review" });
assert.equal(messages.length, 1);
await client.close();
console.log("the story is told");
