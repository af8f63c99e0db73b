// Package tag makes HTML elements of one Go type.
//
// go-app has a type for every element, and each that is used brings some hundred
// methods into the program; with one type for all of them it is a good part
// smaller. What an element has beyond the common attributes is set with Attr.
package tag

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Element is an HTML element in the making.
type Element = app.HTMLElem

// A is <a>.
func A() Element { return app.Elem("a") }

// Article is <article>.
func Article() Element { return app.Elem("article") }

// Aside is <aside>.
func Aside() Element { return app.Elem("aside") }

// B is <b>.
func B() Element { return app.Elem("b") }

// Button is <button>.
func Button() Element { return app.Elem("button") }

// Caption is <caption>.
func Caption() Element { return app.Elem("caption") }

// Dd is <dd>.
func Dd() Element { return app.Elem("dd") }

// Del is <del>.
func Del() Element { return app.Elem("del") }

// Div is <div>.
func Div() Element { return app.Elem("div") }

// Dl is <dl>.
func Dl() Element { return app.Elem("dl") }

// Dt is <dt>.
func Dt() Element { return app.Elem("dt") }

// FieldSet is <fieldset>.
func FieldSet() Element { return app.Elem("fieldset") }

// Footer is <footer>.
func Footer() Element { return app.Elem("footer") }

// Form is <form>.
func Form() Element { return app.Elem("form") }

// H1 is <h1>.
func H1() Element { return app.Elem("h1") }

// H2 is <h2>.
func H2() Element { return app.Elem("h2") }

// Header is <header>.
func Header() Element { return app.Elem("header") }

// Input is <input>.
func Input() Element { return app.Elem("input") }

// Ins is <ins>.
func Ins() Element { return app.Elem("ins") }

// Kbd is <kbd>.
func Kbd() Element { return app.Elem("kbd") }

// Label is <label>.
func Label() Element { return app.Elem("label") }

// Legend is <legend>.
func Legend() Element { return app.Elem("legend") }

// Li is <li>.
func Li() Element { return app.Elem("li") }

// Main is <main>.
func Main() Element { return app.Elem("main") }

// Mark is <mark>.
func Mark() Element { return app.Elem("mark") }

// Nav is <nav>.
func Nav() Element { return app.Elem("nav") }

// Ol is <ol>.
func Ol() Element { return app.Elem("ol") }

// Output is <output>.
func Output() Element { return app.Elem("output") }

// P is <p>.
func P() Element { return app.Elem("p") }

// S is <s>.
func S() Element { return app.Elem("s") }

// Section is <section>.
func Section() Element { return app.Elem("section") }

// Span is <span>.
func Span() Element { return app.Elem("span") }

// TBody is <tbody>.
func TBody() Element { return app.Elem("tbody") }

// THead is <thead>.
func THead() Element { return app.Elem("thead") }

// Table is <table>.
func Table() Element { return app.Elem("table") }

// Td is <td>.
func Td() Element { return app.Elem("td") }

// Textarea is <textarea>.
func Textarea() Element { return app.Elem("textarea") }

// Th is <th>.
func Th() Element { return app.Elem("th") }

// Tr is <tr>.
func Tr() Element { return app.Elem("tr") }

// Ul is <ul>.
func Ul() Element { return app.Elem("ul") }

// Box is an element with a class, or none, and what is in it. It does at one call
// what Div().Class(…).Body(…) does at three, and every call of the app is some
// hundred bytes of the program.
func Box(name, class string, body ...app.UI) app.UI { return classed(name, class).Body(body...) }

// Words is an element with a class, or none, and a text.
func Words(name, class, text string) app.UI { return classed(name, class).Text(text) }

func classed(name, class string) Element {
	e := app.Elem(name)
	if class != "" {
		e = e.Class(class)
	}
	return e
}
