package code

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
)

// shower writes values as they are printed. Its functions are the language's own, taken
// before the script could put others in their place.
type shower struct {
	vm                     *goja.Runtime
	stringify, parse, list goja.Callable
	lists                  []*goja.Object // constructors of what is a list and no array
}

func newShower(vm *goja.Runtime) shower {
	own := func(object, name string) goja.Callable {
		f, ok := goja.AssertFunction(vm.Get(object).ToObject(vm).Get(name))
		if !ok {
			panic("no " + object + "." + name) // the language has it
		}
		return f
	}
	lists := []*goja.Object{vm.Get("Map").ToObject(vm), vm.Get("Set").ToObject(vm)}
	return shower{vm: vm, lists: lists, stringify: own("JSON", "stringify"), parse: own("JSON", "parse"), list: own("Array", "from")}
}

// show is a value as it is printed: texts as they are, objects as JSON.
func (s *shower) show(v goja.Value) string {
	object, ok := v.(*goja.Object)
	if !ok {
		return v.String()
	}
	if _, ok := v.Export().(*goja.Promise); ok {
		return "[a promise: await it before you print it]"
	}
	if _, ok := goja.AssertFunction(v); ok {
		return "[a function]"
	}
	if object.ClassName() == "Error" {
		return s.thrown(object)
	}
	for _, constructor := range s.lists {
		if s.vm.InstanceOf(v, constructor) {
			if l, err := s.list(goja.Undefined(), v); err == nil {
				v = l
			}
			break
		}
	}
	text, err := s.stringify(goja.Undefined(), v)
	var thrown *goja.Exception
	switch {
	case errors.As(err, &thrown):
		return "[not to be shown as JSON: " + s.thrown(thrown.Value()) + "]"
	case err != nil:
		panic(err) // a bound, which nothing in the script may catch
	case goja.IsUndefined(text):
		return "[an object without JSON]"
	}
	return text.String()
}

// thrown is what was thrown, in a line and without where.
func (s *shower) thrown(v goja.Value) string {
	object, ok := v.(*goja.Object)
	if !ok || object.ClassName() != "Error" {
		if ok {
			return s.show(v)
		}
		return v.String()
	}
	text := field(object, "message")
	if name := field(object, "name"); name != "" && name != "GoError" {
		text = strings.TrimSuffix(name+": "+text, ": ")
	}
	return text
}

// field is a text that an object has under a name; empty where it has none.
func field(o *goja.Object, name string) string {
	v := o.Get(name)
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return ""
	}
	if _, ok := v.(*goja.Object); ok {
		return "[an object]"
	}
	return v.String()
}
