package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each question, put as people put it in that language, finds the text first.
func TestLanguages(t *testing.T) {
	for _, c := range []struct {
		language string
		texts    []string
		finds    map[string]int64 // question → id that must be first
	}{
		{"en", []string{"Caroline prefers running in the park before work", "The harbor-prod database is backed up at 3 am", "She bought two mice for the children"},
			map[string]int64{"Who likes to run?": 1, "Does Caroline's preference include parks?": 1, "when are the databases backed up?": 2, "what did she buy her child": 3, "HARBOR": 2}},
		{"cs", []string{"Naše kočka Micka má ráda tuňáka", "Auto stojí v garáži u hradu", "Můj bratr bydlí v Praze"},
			map[string]int64{"kočku": 1, "kocka": 1, "Jak se jmenují kočky?": 1, "tuňák": 1, "auta": 2, "hrady": 2, "bratra": 3}},
		{"sv", []string{"Min hund heter Bosse och gillar räksmörgås", "Flickorna badar i sjön", "Han köpte ett hus i Malmö"},
			map[string]int64{"hundarna": 1, "Vad heter hunden?": 1, "raksmorgas": 1, "flickan": 2, "husen": 3, "malmö": 3}},
		{"de", []string{"Mein Hund schläft auf der Straße", "Die Kinder spielen im Garten", "Ich trinke morgens grünen Tee"},
			map[string]int64{"Wo schläft der Hund?": 1, "hunde": 1, "strasse": 1, "Kind": 2, "grüner Tee": 3, "gruner": 3}},
		{"es", []string{"Mi gata se llama Luna", "Los niños juegan en la ciudad", "Me gusta el café con leche por la mañana"},
			map[string]int64{"gatos": 1, "¿Cómo se llama mi gato?": 1, "niña": 2, "ciudades": 2, "cafe": 3, "MAÑANA": 3}},
		{"fr", []string{"Il habite à Orléans depuis l'été", "Les chevaux mangent de l'herbe"}, map[string]int64{"orleans": 1, "en été": 1, "l'herbe": 2, "herbe": 2}},
		{"zh", []string{"我养了一只狗，它的名字叫豆豆", "每天早上喝绿茶", "住在北京市"},
			map[string]int64{"狗": 1, "我的狗叫什么名字？": 1, "绿茶": 2, "茶": 2, "什么茶": 2, "北京": 3, "我住在哪里": 3}},
		{"ja", []string{"犬の名前はポチです", "毎朝コーヒーを飲んでいます", "東京に住んでいる"},
			map[string]int64{"犬": 1, "犬の名前は何ですか": 1, "ポチ": 1, "コーヒー": 2, "ｺｰﾋｰ": 2, "飲む": 2, "東京": 3}},
		{"ko", []string{"우리 강아지의 이름은 초코입니다", "아침마다 물을 마신다", "서울에 살고 있어요"},
			map[string]int64{"강아지": 1, "강아지 이름이 뭐예요?": 1, "물": 2, "서울": 3}},
		{"th", []string{"สุนัขของฉันชื่อบราวนี่", "ฉันดื่มน้ำทุกเช้า", "บ้านอยู่ที่เชียงใหม่"},
			map[string]int64{"สุนัข": 1, "น้ำ": 2, "เชียงใหม่": 3, "บ้าน": 3}},
		{"ar", []string{"اسم الكلب ريكس", "أحب القهوة في الصباح", "يسكن في مدينة القاهرة"},
			map[string]int64{"كلب": 1, "ما اسم كلبي": 1, "قهوة": 2, "والقهوه": 2, "المدينة": 3}},
		{"el", []string{"Ο σκύλος μου λέγεται Ρεξ", "Πίνω καφέ κάθε πρωί", "Μένει στην Αθήνα"},
			map[string]int64{"σκυλος": 1, "ΣΚΎΛΟΥ": 1, "τον σκύλο": 1, "καφε": 2, "Αθήνας": 3}},
		{"ru", []string{"Мою собаку зовут Шарик", "По утрам я пью зелёный чай", "Он живёт в Москве"},
			map[string]int64{"собака": 1, "Как зовут собак?": 1, "зеленый": 2, "зелёного чая": 2, "Москва": 3}},
		{"he", []string{"הכלב שָׁלוֹם", "קפה בבוקר"}, map[string]int64{"שלום": 1, "קפה": 2}},
		{"hi", []string{"मेरी किताब मेज़ पर है", "पानी ठंडा है"}, map[string]int64{"किताब": 1, "पानी": 2}},
		{"vi", []string{"Tôi sống ở Hà Nội", "Đường phố đông"}, map[string]int64{"ha noi": 1, "duong": 2}},
		{"tr", []string{"İstanbul'da yaşıyor", "Çay içmeyi sever"}, map[string]int64{"istanbul": 1, "ISTANBUL": 1, "cay": 2}},
	} {
		x := newIndex(t, c.texts...)
		for question, want := range c.finds {
			if got := x.find(t, question); len(got) == 0 || got[0] != want {
				t.Errorf("%s: %q finds %v, want %d first (%v)", c.language, question, got, want, ParseQuery(question).Terms)
			}
		}
	}
}

// A single ideograph or syllable is found wherever it stands.
func TestSingleCharacter(t *testing.T) {
	x := newIndex(t, "水", "喝水", "水喝", "喝水喝", "火", "물을", "강물", "のり")
	for q, want := range map[string][]int64{"水": {1, 2, 3, 4}, "火": {5}, "물": {6, 7}, "り": {8}} {
		got := x.find(t, q)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", q, got, want)
		}
	}
}

// What breaks the query syntax of full-text engines is harmless here and finds
// what it names.
func TestPunctuation(t *testing.T) {
	x := newIndex(t, "deploy harbor-prod with pgx/v5 at 10:30", "mail a.user+tag@example.org about C++", "wifi password is hunter2 (guest)", "don't restart before five o'clock", "snake_case and e-mail", "it's 3,5 km, 1,000 m")
	for q, want := range map[string]int64{
		"harbor-prod": 1, "harborprod": 1, "prod": 1, "pgx/v5": 1, "v5": 1, "10:30": 1, "-harbor": 1, "NOT harbor": 1, `"harbor"`: 1, "harbor*": 1, "harbor AND": 1, "col:harbor": 1,
		"a.user+tag@example.org": 2, "example.org": 2, "c++": 2,
		"wi-fi": 3, "what's the wi-fi password (guest)?": 3, `"hunter2`: 3, "(guest": 3, "hunter2)": 3, "^password": 3, "NEAR(wifi password, 2)": 3,
		"don't": 4, "dont": 4, "don’t": 4, "o'clock": 4, "oclock": 4, "clock": 4,
		"snake": 5, "snakecase": 5, "email": 5, "e-mails": 5, "snake_case'": 5,
		"3,5": 6, "1,000": 6,
	} {
		if got := x.find(t, q); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %d first (%v)", q, got, want, ParseQuery(q).Terms)
		}
	}
	for _, q := range []string{"", " ", `"`, `""`, "'", "-", "/", ":", ".", "*", "()", "AND", "\x00", "\xff", "+-&|!(){}[]^~*?:\\/", "~", "nothing", "𐏿"} {
		if got := x.find(t, q); len(got) > 0 && q != "AND" {
			t.Errorf("%q finds %v", q, got)
		}
	}
}

// A question in natural language isn't ANDed; small words don't bring in noise.
func TestSmallWords(t *testing.T) {
	x := newIndex(t, "The dog is called Rex", "The cat is in the garden", "To be or not to be")
	for q, want := range map[string][]int64{
		"What is the name of the dog, do you know?": {1},
		"to be or not to be":                        {3, 1, 2}, // "is" isn't "be"; see below
		"the":                                       {2, 1},
	} {
		got := x.find(t, q)
		if q == "to be or not to be" {
			got, want = got[:1], want[:1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", q, got, want)
		}
	}
}

func TestParseQuery(t *testing.T) {
	for _, c := range []struct {
		text   string
		terms  []string
		prefix string
	}{
		{"dogs dog DOG", []string{"dog", "~dog"}, "dog"},
		{"the dogs ", []string{"dog", "~dog"}, ""},
		{"the dogs?", []string{"dog", "~dog"}, ""},
		{"harbor-pr", []string{"harbor", "~harb", "harborpr", "pr"}, "pr"},
		{"dog x", []string{"dog", "~dog", "x"}, ""},
		{"x", []string{"x"}, "x"},
		{"in the", []string{"in", "the"}, "the"},
		{"dog in", []string{"dog", "~dog"}, ""},
		{"喝水", []string{"喝", "水", "喝水"}, ""},
		{"น", []string{"น"}, "น"},
		{"🎉", []string{"🎉"}, ""},
		{"  ", nil, ""},
	} {
		q := ParseQuery(c.text)
		if !slices.Equal(q.Terms, c.terms) || q.Prefix != c.prefix {
			t.Errorf("%q: terms %q, prefix %q; want %q, %q", c.text, q.Terms, q.Prefix, c.terms, c.prefix)
		}
		if q.Empty() != (len(c.terms) == 0) {
			t.Errorf("%q: Empty is %v", c.text, q.Empty())
		}
	}
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{"": "", "ab": "ac", "z": "{", "ж": "з", "п": "р", "a\uD7FF": "a\uE000", "\u013F": "\u0140"} {
		got := Query{Prefix: prefix}.PrefixEnd()
		if got != want || prefix != "" && (got <= prefix+"\U0010FFFF" || !utf8.ValidString(got)) {
			t.Errorf("after %q comes %q, want %q", prefix, got, want)
		}
	}
}

// While a word is typed letter by letter, the text that has it stays found.
func TestTypedLetterByLetter(t *testing.T) {
	x := newIndex(t, "Caroline was running through Göteborg, writing happily about her stories", "nothing of the kind")
	for _, word := range []string{"Caroline", "running", "göteborg", "Goteborg", "writing", "happily", "stories", "dog running"} {
		runes := []rune(word)
		for n := 2; n <= len(runes); n++ {
			hits := x.search(t, string(runes[:n]), true)
			if !slices.Contains(ids(hits), 1) && !strings.HasPrefix("dog r", string(runes[:n])) {
				t.Errorf("%q of %q finds %v (%+v)", string(runes[:n]), word, hits, ParseQuery(string(runes[:n])))
			}
		}
	}
	if got := x.search(t, "runni", false); len(got) != 0 {
		t.Errorf("without its prefix %q finds %v", "runni", got)
	}
}

// An exact form is worth more than another inflection, a whole compound more
// than its parts, a word more than one that begins with it.
func TestWorth(t *testing.T) {
	for _, c := range []struct {
		query string
		texts []string
	}{
		{"hunden", []string{"jag ser hunden", "jag ser hundar"}},
		{"planet", []string{"der Planet ist groß", "der Plan ist groß"}},
		{"harbor-prod", []string{"the harbor-prod host", "the prod harbor host"}},
		{"car", []string{"the red car", "the red carpet"}},
		{"喝水", []string{"他喝水", "他用水喝"}},
	} {
		x := newIndex(t, c.texts...)
		hits := x.search(t, c.query, true)
		if len(hits) != 2 || hits[0].ID != 1 || hits[0].Score <= hits[1].Score {
			t.Errorf("%q: %v", c.query, hits)
		}
	}
}

func TestQueryIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		b.WriteString(" w")
		for n := i; n > 0; n /= 26 {
			b.WriteByte(byte('a' + n%26))
		}
	}
	if q := ParseQuery(b.String()); len(q.Terms) > 2*MaxQueryWords {
		t.Errorf("%d terms", len(q.Terms))
	}
}

// The lists are written as the tokenizer would fold them; an entry that isn't
// could never match.
func TestSmallWordsAreFolded(t *testing.T) {
	for w := range smallWords() {
		a := analyze(w)
		last := a.tokens[len(a.tokens)-1]
		if last.lex.word != w || !last.lex.stop && !last.lex.away {
			t.Errorf("%q is read as %q", w, last.lex.word)
		}
		a.release()
	}
	for form, base := range baseForms() {
		if termOf(form) != termOf(base) {
			t.Errorf("%s and %s have terms %q, %q", form, base, termOf(form), termOf(base))
		}
	}
}

// termOf is the term of a single word that isn't small.
func termOf(word string) string {
	return newLexeme(word).term
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"", "what's the wi-fi password?", `"a" OR b*`, "NEAR(a b)", "喝水 น้ำ", "\xff-\x00", "c++", "a-", "runni", strings.Repeat("ab-", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := ParseQuery(text)
		if !utf8.ValidString(q.Prefix) {
			t.Fatalf("prefix %q", q.Prefix)
		}
		seen := map[string]bool{}
		for _, term := range q.Terms {
			if term == "" || seen[term] || !utf8.ValidString(term) {
				t.Fatalf("term %q of %q", term, q.Terms)
			}
			seen[term] = true
		}
		if terms, _ := Terms(text); (len(terms) == 0) != q.Empty() {
			t.Fatalf("%d terms in a text, %d in a query", len(terms), len(q.Terms))
		}
		if q.Prefix != "" && (q.Prefix >= q.PrefixEnd() || strings.HasPrefix(q.PrefixEnd(), q.Prefix)) {
			t.Fatalf("prefix %q to %q", q.Prefix, q.PrefixEnd())
		}
	})
}

// Small words of another language are left out of questions in it, and only of those:
// in English they are words.
func TestSmallWordsOfOtherLanguages(t *testing.T) {
	for question, want := range map[string]string{
		"Wer darf die Tür öffnen?":          "offnen tur",
		"¿Quién puede abrir los armarios?":  "abrir armario",
		"Vem vill ha kaffe i köket?":        "kaff koket",
		"Kdo je v kuchyni?":                 "kuchyni",
		"Vilken frukt är farlig?":           "farlig frukt",
		"When did the man die?":             "die man",
		"What will they do in Los Angeles?": "angel los",
		"Who has the will?":                 "",
		"die":                               "die",
		"Was ist los?":                      "",
		"van":                               "van",
		"Where is the van?":                 "van",
	} {
		q := ParseQuery(question)
		if want == "" {
			if q.Empty() {
				t.Errorf("%q asks for nothing", question)
			}
			continue
		}
		var got []string
		for _, term := range q.Terms {
			if term[0] != '~' {
				got = append(got, term)
			}
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q asks for %q, want %q", question, s, want)
		}
	}
	// What only Hiragana matches counts for less than a word.
	kana, mixed, han := weightOf(ParseQuery("ごみ"), "ごみ"), weightOf(ParseQuery("買う"), "買う"), weightOf(ParseQuery("時計"), "時計")
	if !(0 < kana && kana < mixed && mixed < han) {
		t.Errorf("pairs of Hiragana count %v, half of it %v, of Han %v", kana, mixed, han)
	}
}

func weightOf(q Query, term string) float64 {
	for _, g := range q.groups {
		if g.alternatives[0].term == term {
			return g.weight
		}
	}
	return 0
}
