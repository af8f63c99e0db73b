package sync

import (
	"context"
	"errors"
	"syscall/js"
)

// Fetch is the Transport of the browser. Prefix stands before every path.
type Fetch struct{ Prefix string }

// Do sends the request with the session's cookie.
func (f Fetch) Do(ctx context.Context, r Request) (Response, error) {
	global := js.Global()
	abort := global.Get("AbortController").New()
	header := map[string]any{}
	for k, v := range r.Header {
		header[k] = v
	}
	init := map[string]any{
		"method": r.Method, "headers": header, "credentials": "same-origin",
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
	return Response{
		Status: answer.Get("status").Int(),
		Header: func(name string) string {
			if v := headers.Call("get", name); v.Type() == js.TypeString {
				return v.String()
			}
			return ""
		},
		Body: []byte(text.String()),
	}, nil
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
