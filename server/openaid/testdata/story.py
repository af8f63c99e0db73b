"""A story told by OpenAI's client for Python: models, a conversation whole and streamed,
tools, errors, a long history, embeddings. Arguments: the server's address, a token, what
the memory says."""
import json
import sys

import openai

url, token, remembered = sys.argv[1:]
client = openai.OpenAI(base_url=url + "/v1", api_key=token)


def say(text):
    return {"role": "user", "content": text}


names = [m.id for m in client.models.list()]
assert "elowen" in names and "oak-1" in names, names
assert client.models.retrieve("maker/elm-2").id == "maker/elm-2"

# The endpoint answers with what it was asked, as JSON.
messages = [{"role": "system", "content": "Be short."}, say("When does the ferry to Amrum leave Dagebüll?")]
raw = client.chat.completions.with_raw_response.create(model="elowen", messages=messages)
first = raw.parse()
saw = json.loads(first.choices[0].message.content)
assert len([m for m in saw if m["role"] == "user" and remembered in m["text"]]) == 1, saw
assert first.choices[0].finish_reason == "stop" and first.usage.total_tokens > 0
conversation = raw.headers["x-elowen-conversation-id"]

messages += [first.choices[0].message, say("And back?")]
text, pieces, usage = "", 0, None
for chunk in client.chat.completions.create(model="elowen", messages=messages, stream=True, stream_options={"include_usage": True}):
    pieces += 1
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
again = json.loads(text)
assert again[: len(saw)] == saw and len([m for m in again if m["role"] == "user" and remembered in m["text"]]) == 1, again
assert pieces > 3 and usage.total_tokens > 0

tools = [{"type": "function", "function": {"name": "Look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}}]
messages = [say("Look at the sea, please.")]
with client.chat.completions.stream(model="elowen", messages=messages, tools=tools) as stream:
    called = stream.get_final_completion().choices[0]
assert called.finish_reason == "tool_calls", called
call = called.message.tool_calls[0]
assert json.loads(call.function.arguments) == {"at": "sea"}, call
messages += [called.message.model_dump(exclude_none=True, exclude={"parsed"}), {"role": "tool", "tool_call_id": call.id, "content": "waves"}]
last = client.chat.completions.create(model="elowen", messages=messages, tools=tools)
assert any(m["role"] == "tool" and m["text"] == "waves" for m in json.loads(last.choices[0].message.content))

once = client.with_options(max_retries=0)


def fails(kind, run):
    try:
        run()
    except kind as e:
        return e
    raise AssertionError(kind)


e = fails(openai.NotFoundError, lambda: once.chat.completions.create(model="pine-9", messages=messages))
assert e.code == "model_not_found" and e.param == "model"
e = fails(openai.BadRequestError, lambda: once.chat.completions.create(model="elowen", messages=[]))
assert e.param == "messages"
fails(openai.AuthenticationError, lambda: openai.OpenAI(base_url=url + "/v1", api_key="elw_nobody").models.list())
e = fails(openai.APIError, lambda: list(client.chat.completions.create(model="elowen", messages=[say("break off")], stream=True)))
assert "broke off" in e.message, e

long = []
for i in range(300):
    long += [say(f"Question {i}"), {"role": "assistant", "content": f"Answer {i}"}]
told = client.chat.completions.create(model="elowen", messages=long + [say("And the last one?")], extra_headers={"X-Elowen-Conversation": "long in Python"})
assert json.loads(told.choices[0].message.content)[600]["text"] == "And the last one?"

vectors = client.embeddings.create(model="e", input=["one", "two"])
assert len(vectors.data) == 2 and len(vectors.data[1].embedding) == 4
assert abs(sum(x * x for x in vectors.data[0].embedding) - 1) < 1e-3

print("the story is told in conversation", conversation)
