package words

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"only punctuation", ` ... -- '" () :/ !`, ""},
		{"stems", "Running runs run", "run"},
		{"irregular", "went gone bought children", "buy child go"},
		{"contraction", "I don't, we'll, she's", "dont i she we"},
		{"typographic apostrophe", "don’t", "dont"},
		{"o'clock", "five o'clock", "clock five o oclock"},
		{"possessive", "Caroline's dogs", "carolin dog"},
		{"elision", "l'amour", "amour l lamour"},
		{"hyphen", "e-mail wi-fi", "e email fi mail wi wifi"},
		{"host", "harbor-prod", "harbor harborprod prod"},
		{"path", "pgx/v5", "pgx pgx/v5 v5"},
		{"snake", "snake_case", "case snake snakecas"},
		{"address", "e-mail@x.y", "e email@x.y mail x y"},
		{"version", "v1.2.3", "2 3 v1 v1.2.3"},
		{"date", "2024-05-01", "01 05 2024 2024-05-01"},
		{"time", "10:30", "10 10:30 30"},
		{"model", "gpt-4", "4 gpt gpt4"},
		{"comma in a number", "1,000 and one,two", "000 1 1,000 and one two"},
		{"languages", "C++ and C#, F#.", "and c c# c++ f f#"},
		{"url", "https://example.com/a", "a com exampl example.com/a https"},
		{"too many parts", "a.b.c.d.e.f.g", "a b c d e f g"},
		{"trailing glue", "end. -start- 'quoted' a--b", "a b end quot start"},
		{"accents", "Crème Brûlée", "brule creme"},
		{"decomposed", "Cre\u0300me", "creme"},
		{"strokes", "Łódź Ørsted straße", "lodz orst strass"},
		{"wide", "Ｈｅｌｌｏ ﬁne ①", "1 fine hello"},
		{"digits of other scripts", "٣٥ ๑๒", "12 35"},
		{"han", "喝水", "喝 喝水 水"},
		{"han and latin", "买iPhone手机", "iphon 买 手 手机 机"},
		{"half-width kana", "ﾊﾞｽ", "ス バ バス"},
		{"hangul", "물을", "물 물을 을"},
		{"decomposed hangul", "\u1106\u116E\u11AF", "물"},
		{"thai takes marks with their letter", "น้ำ", "น้ํ น้ํา า"},
		{"zero width space parts Thai", "ดี\u200Bดี", "ดี"},
		{"emoji", "🎉🎉 ok 👍🏽", "ok 🎉 👍"},
		{"emoji with presentation", "❤️", "❤"},
		{"joined emoji", "👩‍💻", "👩 💻"},
		{"flags", "🇨🇿🇸🇪", "🇨🇿 🇸🇪"},
		{"half a flag", "🇨 x", "x 🇨"},
		{"soft hyphen", "ex\u00ADample", "exampl"},
		{"rtl marks", "\u202Eabc\u202C", "abc"},
		{"NUL", "a\x00b", "a b"},
		{"broken bytes", "a\xffb \xe4\xb8", "a b"},
		{"persian joiner", "می\u200Cخواهم", "ميخواهم"},
		{"arabic points", "كِتَابٌ", "كتاب"},
		{"greek", "Ὀδυσσέας", "οδυσσε"},
		{"yo", "ёлка Ёлки", "елк"},
		{"hindi keeps vowels", "किताब", "किताब"},
	} {
		if got := termList(c.text); got != c.want {
			t.Errorf("%s: terms of %q are %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestTermCountsAndLength(t *testing.T) {
	for _, c := range []struct {
		text, term    string
		count, length int
	}{
		{"run, running and ran", "run", 3, 4},
		{"wi-fi wifi", "wifi", 2, 3},
		{"喝水喝水", "喝水", 2, 4},
		{"don't", "dont", 1, 1},
		{"🎉🎉🎉", "🎉", 3, 3},
		{"", "", 0, 0},
	} {
		terms, length := Terms(c.text)
		count := 0
		for _, term := range terms {
			if term.Text == c.term {
				count = term.Count
			}
		}
		if count != c.count || length != c.length {
			t.Errorf("%q: %q is there %d times in %d, want %d in %d", c.text, c.term, count, length, c.count, c.length)
		}
	}
}

// Roots are for texts that don't look English.
func TestRootsByText(t *testing.T) {
	for text, want := range map[string]bool{
		"The dogs are in the garden with Åsa": false,
		"She said that she'd rather not":      false,
		"Hundarna sover i trädgården":         true,
		"Der Hund schläft nicht":              true,
		"Kočka spí":                           true,
		"Me gusta el café por la mañana":      true,
		"hundarna":                            true,
	} {
		terms, _ := Terms(text)
		got := false
		for _, term := range terms {
			got = got || strings.HasPrefix(term.Text, rootMark)
		}
		if got != want {
			t.Errorf("%q has roots: %v, want %v", text, got, want)
		}
	}
}

// Inflected forms of a noun meet; two nouns don't.
func TestRootsJoinForms(t *testing.T) {
	for language, nouns := range map[string][]string{
		"cs": {"kočka kočky kočku kočkou kočkám kočkách kočkami", "hrad hradu hrady hradem hradů hradech", "škola školy školu školou školách školami", "doktor doktora doktorovi doktorem doktoři",
			"žena ženy ženu ženou ženami ženách", "telefon telefonu telefony telefonem", "zahrada zahrady zahradu zahradou zahradách", "město města městu městem městech",
			"Praha Prahy Prahu Prahou", "auto auta autu autem autech", "zelený zelená zelené zeleného zelených zelenými"},
		"sv": {"hund hunden hundar hundarna hundens hundarnas", "katt katter katten katterna", "flicka flickor flickan flickorna", "skola skolor skolan skolorna", "bil bilen bilar bilarna bilens",
			"barn barnet barnen barnens", "hus huset husen husets", "vän vänner vännen", "lärare läraren", "stad staden"},
		"de": {"Hund Hunde Hunden Hundes", "Kind Kinder Kindern Kindes", "Tag Tage Tagen Tages", "Katze Katzen", "Frau Frauen", "Lampe Lampen", "Haus Hauses Häuser Häusern", "Freund Freunde Freunden Freundes",
			"Schule Schulen", "klein kleine kleiner kleines kleinen kleinem"},
		"es": {"gato gatos gata gatas", "perro perros perra", "ciudad ciudades", "canción canciones", "niño niños niña niñas", "libro libros", "rojo roja rojos rojas", "árbol árboles", "coche coches", "mujer mujeres"},
	} {
		pairs, joined, parted, confused := 0, 0, 0, 0
		roots := make([][]string, len(nouns))
		for i, forms := range nouns {
			for _, f := range strings.Fields(forms) {
				a := analyze(f)
				roots[i] = append(roots[i], a.tokens[0].lex.root)
				a.release()
			}
		}
		for i := range roots {
			for j := range roots {
				for x, a := range roots[i] {
					for y, b := range roots[j] {
						switch {
						case i == j && x < y:
							pairs++
							if a == b {
								joined++
							} else {
								t.Logf("%s: %s, %s apart", language, a, b)
							}
						case i < j:
							parted++
							if a == b {
								confused++
								t.Logf("%s: %s is %s and %s", language, a, nouns[i], nouns[j])
							}
						}
					}
				}
			}
		}
		t.Logf("%s: %d of %d pairs of forms joined, %d of %d pairs of words confused", language, joined, pairs, confused, parted)
		if joined*100 < pairs*80 || confused > 0 {
			t.Errorf("%s: %d of %d pairs of forms joined, %d of %d pairs of words confused", language, joined, pairs, confused, parted)
		}
	}
}

// A word longer than MaxRunes is found by itself, and by what is kept of it.
func TestLongWord(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	x := newIndex(t, "before "+long+" after", "other")
	for _, q := range []string{long, long[:MaxRunes], "after", "before"} {
		if got := x.find(t, q); len(got) != 1 || got[0] != 1 {
			t.Errorf("%.20q of %d bytes finds %v", q, len(q), got)
		}
	}
	terms, length := Terms(long)
	if len(terms) > 2 || length != 1 || len(terms[0].Text) != MaxRunes {
		t.Errorf("100 kB word: %d terms, length %d", len(terms), length)
	}
}

// Huge and hostile texts give few, short terms and end; a quadratic step would
// take minutes here.
func TestHostileTexts(t *testing.T) {
	for name, text := range map[string]string{
		"emoji":        strings.Repeat("🎉", 25_000),
		"marks":        "a" + strings.Repeat("\u0301", 50_000),
		"kept marks":   "क" + strings.Repeat("ि", 30_000),
		"thai marks":   "ก" + strings.Repeat("่", 30_000),
		"dots":         strings.Repeat("a.", 50_000),
		"glue":         strings.Repeat("-", 100_000),
		"jamo":         strings.Repeat("\u1106", 30_000),
		"han":          strings.Repeat("水", 33_000),
		"broken":       strings.Repeat("\xff", 100_000),
		"flags":        strings.Repeat("🇨", 25_001),
		"zwj":          strings.Repeat("👩\u200d", 14_000),
		"apostrophes":  strings.Repeat("n't'", 25_000),
		"plus":         strings.Repeat("c++", 30_000),
		"ligature":     strings.Repeat("ﷺ", 33_000),
		"distinct han": distinct(0x4E00, 0x9FFF),
	} {
		start := time.Now()
		terms, length := Terms(text)
		q := ParseQuery(text)
		spans := Highlights(text, q)
		t.Logf("%s: %d terms, length %d, %d query terms, %d spans, %v", name, len(terms), length, len(q.Terms), len(spans), time.Since(start))
		for _, term := range terms {
			if utf8.RuneCountInString(term.Text) > 2*MaxRunes {
				t.Errorf("%s: a term of %d bytes", name, len(term.Text))
			}
		}
		if len(q.Terms) > 8*MaxQueryWords {
			t.Errorf("%s: a query of %d terms", name, len(q.Terms))
		}
	}
}

func distinct(from, to rune) string {
	var b strings.Builder
	for r := from; r <= to; r++ {
		b.WriteRune(r)
	}
	return b.String()
}

// Folding a letter with its marks in one piece or in several is the same.
func TestFoldTableIsTheDefinition(t *testing.T) {
	for _, text := range []string{"é", "É", "Å", "ǻ", "ế", "Ữ", "ά", "Ώ", "ё", "й", "أ", "ؤ", "が", "ブ", "한"} {
		var composed, decomposed []rune
		composed, _ = foldInto(nil, text)
		s := source{text: decompose(text)}
		for {
			r, ok := s.next()
			if !ok {
				break
			}
			decomposed = append(decomposed, r)
		}
		if string(composed) != string(decomposed) {
			t.Errorf("%q folds to %q, in pieces to %q", text, string(composed), string(decomposed))
		}
	}
}

// wordText draws texts of words in many scripts with separators of all kinds.
func wordText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "words") {
			b.WriteString(rapid.OneOf(
				rapid.SampledFrom([]string{"the", "Running", "don't", "wi-fi", "pgx/v5", "a@b.org", "naïve", "Straße", "kočkami", "собаками", "水", "喝水", "飲んだ", "물을", "น้ำ", "ดี", "🎉", "🇨🇿", "c++", "2024-05-01", "και", "σκύλος", "الكتاب", "किताब", "v1.2.3"}),
				rapid.StringMatching(`[a-zA-Z]{1,9}`),
				rapid.StringN(0, 8, -1),
			).Draw(t, "word"))
			b.WriteString(rapid.SampledFrom([]string{" ", ", ", ". ", "-", "/", "'", "\n", "", "  ", "…", `"`, "(", "\u200d", "\u0301"}).Draw(t, "separator"))
		}
		return b.String()
	})
}

// Every text is found by each of its own words, as they stand in it.
func TestFoundByOwnWords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := wordText().Draw(rt, "text")
		x := newIndex(t, "something else entirely", text, "noch etwas anderes")
		a := analyze(text)
		tokens := append([]token(nil), a.tokens...)
		a.release()
		for _, tok := range tokens {
			if tok.kind == kindUnit {
				continue // ideographs are asserted in TestSingleCharacter; others go by pairs
			}
			word := text[tok.start:tok.end]
			found := false
			for _, h := range x.search(t, word, true) {
				found = found || h.ID == 2
			}
			if !found {
				rt.Fatalf("%q isn't found by its %q (%+v)", text, word, ParseQuery(word))
			}
		}
		if len(tokens) > 0 && len(x.find(t, text)) == 0 {
			rt.Fatalf("%q isn't found by itself", text)
		}
	})
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "don't", "pgx/v5 wi-fi", "喝水", "น้ำ", "🇨🇿🇸", "a\xff\xfe", "c++#", "ﷺ", "e\u0301\u0301", "'s't''", "1,000,a", "a.b.c.d.e.f.g.h't"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms, length := Terms(text)
		if length > len(text)*18 { // ﷺ is one rune and 18 letters
			t.Fatalf("length %d of %d bytes", length, len(text))
		}
		seen := map[string]bool{}
		for _, term := range terms {
			if term.Text == "" || term.Count < 1 || seen[term.Text] || !utf8.ValidString(term.Text) || strings.ContainsAny(term.Text, "\x00 ") {
				t.Fatalf("term %q × %d", term.Text, term.Count)
			}
			seen[term.Text] = true
		}
	})
}

const text45 = "Caroline prefers the harbor deployment on Fridays because the database migrations finished earlier than expected; she configured pgx/v5 and told Melanie not to restart e-mail services before 10:30, since yesterday's backup took nearly four hours and the team wasn't available."

func BenchmarkTerms(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Terms(text45)
	}
}
