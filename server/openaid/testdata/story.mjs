// A story told by OpenAI's client for Node: models, a conversation whole and streamed,
// tools, errors, a long history, embeddings. Arguments: the folder of node_modules, the
// server's address, a token, what the memory says.
import { pathToFileURL } from "node:url";
import { strict as assert } from "node:assert";

const [modules, url, token, remembered] = process.argv.slice(2);
const { default: OpenAI } = await import(pathToFileURL(`${modules}/openai/index.mjs`).href);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
const say = (text) => ({ role: "user", content: text });

const names = [];
for await (const m of client.models.list()) names.push(m.id);
assert.ok(names.includes("elowen") && names.includes("oak-1"), names.join());
assert.equal((await client.models.retrieve("maker/elm-2")).id, "maker/elm-2");

// The endpoint answers with what it was asked, as JSON.
const asked = (text) => JSON.parse(text);
const messages = [{ role: "system", content: "Be short." }, say("When does the ferry to Amrum leave Dagebüll?")];
const { data: first, response } = await client.chat.completions.create({ model: "elowen", messages }).withResponse();
const saw = asked(first.choices[0].message.content);
assert.equal(saw.filter((m) => m.role === "user" && m.text.includes(remembered)).length, 1);
assert.equal(first.choices[0].finish_reason, "stop");
assert.ok(first.usage.total_tokens > 0);
const id = response.headers.get("x-elowen-conversation-id");

messages.push(first.choices[0].message, say("And back?"));
const stream = client.chat.completions.stream({ model: "elowen", messages, stream_options: { include_usage: true } });
let pieces = 0;
stream.on("content", () => pieces++);
const done = await stream.finalChatCompletion();
const again = asked(done.choices[0].message.content);
assert.equal(again.filter((m) => m.role === "user" && m.text.includes(remembered)).length, 1);
assert.deepEqual(again.slice(0, saw.length), saw);
assert.ok(pieces > 3 && done.usage.total_tokens > 0);

// Its runner of tools calls them and sends the results.
const looked = [];
const runner = client.chat.completions.runTools({
  model: "elowen",
  messages: [say("Look at the sea, please.")],
  tools: [{ type: "function", function: { name: "Look", description: "looks", parse: JSON.parse, parameters: { type: "object", properties: { at: { type: "string" } } }, function: ({ at }) => { looked.push(at); return "waves"; } } }],
});
assert.ok(asked(await runner.finalContent()).some((m) => m.role === "tool" && m.text === "waves"));
assert.deepEqual(looked, ["sea"]);

// Errors are those that it knows.
const once = { maxRetries: 0 };
await assert.rejects(client.chat.completions.create({ model: "pine-9", messages }, once), (e) => e instanceof OpenAI.NotFoundError && e.code === "model_not_found" && e.param === "model");
await assert.rejects(client.chat.completions.create({ model: "elowen", messages: [] }, once), (e) => e instanceof OpenAI.BadRequestError && e.param === "messages");
await assert.rejects(new OpenAI({ baseURL: `${url}/v1`, apiKey: "elw_nobody" }).models.list(), (e) => e instanceof OpenAI.AuthenticationError);
await assert.rejects(async () => { for await (const _ of await client.chat.completions.create({ model: "elowen", messages: [say("break off")], stream: true })); }, (e) => e instanceof OpenAI.APIError && /broke off/.test(e.message));

// A long history goes on where it was.
const long = [];
for (let i = 0; i < 300; i++) long.push(say(`Question ${i}`), { role: "assistant", content: `Answer ${i}` });
const told = await client.chat.completions.create({ model: "elowen", messages: [...long, say("And the last one?")] }, { headers: { "X-Elowen-Conversation": "long" } });
assert.equal(asked(told.choices[0].message.content)[600].text, "And the last one?");

const vectors = await client.embeddings.create({ model: "e", input: ["one", "two"] });
assert.equal(vectors.data.length, 2);
assert.equal(vectors.data[1].embedding.length, 4);
assert.ok(Math.abs(vectors.data[0].embedding.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-3);

console.log(`the story is told in conversation ${id}`);
