package site

import (
	"bytes"
	_ "embed"

	"elowen/assets"
	"elowen/shared/setting"
)

//go:embed shell.html
var shellSource string

// The grounds of the light and the dark theme, for the browser's own bars.
const (
	lightGround = "#f0f3f0"
	darkGround  = "#0e1412"
)

// page is one route of the app as it is prerendered.
type page struct {
	Path  string // below the base, with a leading slash
	Title string
	Shape string // which frame: "list", "detail", "form", "plain", "missing"
	Nav   string // the entry of the navigation that is current
}

// pages are the routes of the app. One memory's page, /memory/{id}, stands apart.
var pages = []page{
	{"/", "Memory", "list", "memory"},
	{"/memory", "Memory", "list", "memory"},
	{"/memory/map", "Map", "plain", "memory"},
	{"/memory/recall", "Recall check", "plain", "memory"},
	{"/memory/trash", "Trash", "list", "memory"},
	{"/categories", "Categories", "plain", "memory"},
	{"/chat", "Chat", "plain", "chat"},
	{"/account", "Account", "plain", "account"},
	{"/settings", "Settings", "plain", "settings"},
	{"/login", "Sign in", "form", ""},
	{"/setup", "Set up", "form", ""},
}

var (
	memoryPage   = page{"/memory/{id}", "Memory", "detail", "memory"}
	notFoundPage = page{"", "Nothing here", "missing", ""}
)

// shell is what the template reads.
type shell struct {
	page
	Base, Home, Web, Release              string
	Style, Theme, Boot                    string
	Drafts, Keep                          string
	Sprite                                string
	Wasm, Exec                            string
	Manifest, Favicon, Touch              string
	FontUI, FontMemory                    string
	LightGround, DarkGround               string
	Memory, Trash, Account, Setting, Chat string
	Update                                int // minutes
	Rows                                  []struct{}
}

// Icon is the address of one symbol of the sprite.
func (v shell) Icon(name string) string { return v.Sprite + "#" + name }

func (s *site) render(p page) *content {
	v := shell{
		page: p, Base: s.base, Home: s.at("memory"), Release: s.release(), Update: setting.Int("offline.updateMinutes"),
		Web:   s.base + "web/" + s.design.Version + "/",
		Style: s.web(s.design, assets.Style), Theme: s.web(s.design, assets.Theme),
		Drafts: s.web(s.design, assets.Drafts), Keep: s.web(s.design, assets.Keep), Boot: s.web(s.design, assets.Boot), Sprite: s.web(s.design, assets.Icons),
		Manifest: s.at("manifest.webmanifest"), Favicon: s.web(s.design, "icons/favicon.svg"),
		Touch:       s.web(s.design, "icons/apple-touch-180.png"),
		FontUI:      s.web(s.design, "fonts/figtree-latin-wght-normal.woff2"),
		FontMemory:  s.web(s.design, "fonts/source-serif-4-latin-wght-normal.woff2"),
		LightGround: lightGround, DarkGround: darkGround,
		Memory: s.at("memory"), Trash: s.at("memory/trash"), Account: s.at("account"), Setting: s.at("settings"), Chat: s.at("chat"),
		Rows: make([]struct{}, 9),
	}
	if s.program != nil {
		v.Wasm, v.Exec = s.web(s.program, assets.Wasm), s.web(s.program, assets.WasmExec)
	}
	var b bytes.Buffer
	if err := shellTemplate.Execute(&b, v); err != nil {
		panic("site: " + err.Error()) // a defect of the template; the tests render each page
	}
	return newContent("text/html; charset=utf-8", b.Bytes())
}
