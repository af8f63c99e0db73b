package scripted

import "strings"

type object = map[string]any

// openAI speaks chat completions.
type openAI struct {
	*writer
	usage bool // is wanted
	calls int
}

func (o *openAI) chunk(delta object, stop any) {
	o.event("", object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": o.model,
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": stop}}})
}

func (o *openAI) begin(usage) { o.chunk(object{"role": "assistant", "content": ""}, nil) }

func (o *openAI) text(text string) { o.chunk(object{"content": text}, nil) }

func (o *openAI) call(c *call) {
	at := o.calls
	o.calls++
	o.chunk(object{"tool_calls": []any{object{"index": at, "id": c.id, "type": "function", "function": object{"name": c.name, "arguments": ""}}}}, nil)
	for _, p := range c.pieces {
		o.chunk(object{"tool_calls": []any{object{"index": at, "function": object{"arguments": p}}}}, nil)
	}
}

func (o *openAI) fail() {
	o.event("", object{"error": object{"message": "the provider's own words", "type": "server_error"}})
}

func (o *openAI) end(stop string, u usage) {
	o.chunk(object{}, stop)
	if o.usage {
		o.event("", object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": o.model, "choices": []any{}, "usage": o.used(u)})
	}
	o.raw("data: [DONE]\n\n")
}

func (o *openAI) used(u usage) object {
	return object{"prompt_tokens": u.input, "completion_tokens": u.output, "total_tokens": u.input + u.output,
		"prompt_tokens_details": object{"cached_tokens": u.cached}}
}

func (o *openAI) whole(g gathered) any {
	message := object{"role": "assistant", "content": g.text}
	if g.text == "" {
		message["content"] = nil
	}
	var calls []any
	for _, c := range g.calls {
		calls = append(calls, object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": strings.Join(c.pieces, "")}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return object{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": o.model, "usage": o.used(g.usage),
		"choices": []any{object{"index": 0, "finish_reason": g.stop, "message": message}}}
}

// anthropic speaks messages.
type anthropic struct {
	*writer
	blocks int
	open   bool // a block of text is
}

func (a *anthropic) begin(u usage) {
	a.event("message_start", object{"type": "message_start", "message": a.message(nil, nil, object{
		"input_tokens": u.input - u.cached, "cache_read_input_tokens": u.cached, "cache_creation_input_tokens": 0, "output_tokens": 1,
	})})
	a.event("ping", object{"type": "ping"})
}

func (a *anthropic) message(content []any, stop any, used object) object {
	if content == nil {
		content = []any{}
	}
	return object{"id": "msg_1", "type": "message", "role": "assistant", "model": a.model, "content": content, "stop_reason": stop, "stop_sequence": nil, "usage": used}
}

func (a *anthropic) start(block object) {
	a.event("content_block_start", object{"type": "content_block_start", "index": a.blocks, "content_block": block})
}

func (a *anthropic) delta(delta object) {
	a.event("content_block_delta", object{"type": "content_block_delta", "index": a.blocks, "delta": delta})
}

func (a *anthropic) shut() {
	a.event("content_block_stop", object{"type": "content_block_stop", "index": a.blocks})
	a.blocks++
	a.open = false
}

func (a *anthropic) text(text string) {
	if !a.open {
		a.start(object{"type": "text", "text": ""})
		a.open = true
	}
	a.delta(object{"type": "text_delta", "text": text})
}

func (a *anthropic) call(c *call) {
	if a.open {
		a.shut()
	}
	a.start(object{"type": "tool_use", "id": c.id, "name": c.name, "input": object{}})
	for _, p := range c.pieces {
		a.delta(object{"type": "input_json_delta", "partial_json": p})
	}
	a.shut()
}

func (a *anthropic) fail() {
	a.event("error", object{"type": "error", "error": object{"type": "overloaded_error", "message": "the provider's own words"}})
}

// reasons are Anthropic's words for OpenAI's.
var reasons = map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}

func (a *anthropic) end(stop string, u usage) {
	if a.open {
		a.shut()
	}
	a.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reasons[stop], "stop_sequence": nil}, "usage": object{"output_tokens": u.output}})
	a.event("message_stop", object{"type": "message_stop"})
}

func (a *anthropic) whole(g gathered) any {
	var content []any
	if g.text != "" {
		content = append(content, object{"type": "text", "text": g.text})
	}
	for _, c := range g.calls {
		content = append(content, object{"type": "tool_use", "id": c.id, "name": c.name, "input": raw(strings.Join(c.pieces, ""))})
	}
	return a.message(content, reasons[g.stop], object{
		"input_tokens": g.usage.input - g.usage.cached, "cache_read_input_tokens": g.usage.cached, "output_tokens": g.usage.output,
	})
}
