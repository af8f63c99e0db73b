package sync

import (
	"context"
	"errors"
	"syscall/js"

	"elowen/shared/api"
)

// Fetch is the Transport of the browser.
type Fetch struct {
	Prefix string               // stands before every path
	Seen   func(release string) // is told which release of the server answered
}

// Do sends the request with the session's cookie.
func (f Fetch) Do(ctx context.Context, r Request) (Response, error) {
	global := js.Global()
	abort := global.Get("AbortController").New()
	sent := map[string]any{}
	for k, v := range r.Header {
		sent[k] = v
	}
	init := map[string]any{
		"method": r.Method, "headers": sent, "credentials": "same-origin",
		"cache": "no-store", "redirect": "error", "signal": abort.Get("signal"),
	}
	if r.Body != nil {
		init["body"] = string(r.Body)
	}
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	answer, err := await(ctx, global.Call("fetch", f.Prefix+r.Path, init))
	if err != nil {
		return Response{}, err
	}
	text, err := await(ctx, answer.Call("text"))
	if err != nil {
		return Response{}, err
	}
	headers := answer.Get("headers")
	header := func(name string) string {
		if v := headers.Call("get", name); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
	if release := header(api.HeaderVersion); release != "" && f.Seen != nil {
		f.Seen(release)
	}
	return Response{Status: answer.Get("status").Int(), Header: header, Body: []byte(text.String())}, nil
}

// await waits for a promise without blocking the page.
func await(ctx context.Context, promise js.Value) (js.Value, error) {
	type result struct {
		v   js.Value
		err error
	}
	done := make(chan result, 1)
	var fulfilled, rejected js.Func
	fulfilled = js.FuncOf(func(_ js.Value, args []js.Value) any {
		fulfilled.Release()
		rejected.Release()
		done <- result{v: first(args)}
		return nil
	})
	rejected = js.FuncOf(func(_ js.Value, args []js.Value) any {
		fulfilled.Release()
		rejected.Release()
		done <- result{err: errors.New(first(args).Call("toString").String())}
		return nil
	})
	promise.Call("then", fulfilled, rejected)
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}

func first(args []js.Value) js.Value {
	if len(args) == 0 {
		return js.Undefined()
	}
	return args[0]
}
