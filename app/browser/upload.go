package browser

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Upload is a form of files on its way to the server. The browser reads it from the disk while
// it sends; nothing of it comes into the program. Each function is called on the
// browser's goroutine, which must not wait.
type Upload struct {
	Sent func(done, total float64)    // bytes
	Said func(answer string)          // all of the answer that has come
	Done func(status int, all string) // at the end; status 0: no answer, or cancelled
	fns  []app.Func
	xhr  app.Value
}

// Start sends a form by POST with the session's cookie.
func (u *Upload) Start(path string, form app.Value) {
	u.xhr = app.Window().Get("XMLHttpRequest").New()
	on := func(target app.Value, event string, f func(e app.Value)) {
		fn := app.FuncOf(func(_ app.Value, args []app.Value) any {
			defer Survive("upload")
			f(args[0])
			return nil
		})
		u.fns = append(u.fns, fn)
		target.Call("addEventListener", event, fn)
	}
	on(u.xhr.Get("upload"), "progress", func(e app.Value) { u.Sent(Number(e, "loaded"), Number(e, "total")) })
	on(u.xhr, "progress", func(app.Value) { u.Said(u.answer()) })
	on(u.xhr, "loadend", func(app.Value) {
		status, all := int(Number(u.xhr, "status")), u.answer()
		Go("upload", func() {
			for _, fn := range u.fns {
				fn.Release()
			}
			u.Done(status, all)
		})
	})
	u.xhr.Call("open", "POST", Path(path))
	u.xhr.Call("setRequestHeader", "Accept", "application/jsonl, application/json")
	u.xhr.Call("send", form)
}

func (u *Upload) answer() string { return text(u.xhr, "responseText") }

// Cancel ends it; Done is called all the same.
func (u *Upload) Cancel() { u.xhr.Call("abort") }

// Files makes a form of the files of a file field or of what was dropped. name is the
// first one's.
func Files(from app.Value) (form app.Value, name string, n int, size float64) {
	if !In || !from.Truthy() || !from.Get("files").Truthy() || from.Get("files").Get("length").Int() == 0 {
		return nil, "", 0, 0
	}
	files := from.Get("files")
	n = files.Get("length").Int()
	form = app.Window().Get("FormData").New()
	for i := range n {
		file := files.Index(i)
		form.Call("append", "file", file)
		size += Number(file, "size")
	}
	return form, text(files.Index(0), "name"), n, size
}
