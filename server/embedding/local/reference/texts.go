package reference

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences are plain texts in many languages and scripts.
var sentences = []string{
	"The ferry to the island leaves at seven from the northern pier.",
	"My sister is allergic to walnuts, so we bake with almonds instead.",
	"Remember: the spare key hangs behind the blue flower pot.",
	"We don't deploy on Fridays; the on-call rota changes at 18:00 UTC.",
	"He'd've said it couldn't be done, but they'll've finished by then.",
	"Babička peče každou neděli jablečný závin se skořicí a rozinkami.",
	"Příliš žluťoučký kůň úpěl ďábelské ódy.",
	"Nyckeln till förrådet ligger i lådan under diskbänken.",
	"Die Spülmaschine läuft nur, wenn man die Tür zweimal fest zudrückt; Straßenbahnhaltestellenschild.",
	"El médico dijo que evitara el café después de las cinco de la tarde, ¿verdad?",
	"Le train de nuit pour Nice part à 21 h 47 — voie 3, n’oublie pas.",
	"O avô guardava as fotografias numa caixa de sapatos; ação, coração, pão.",
	"Il gatto dorme sempre sulla stufa, perché è l'unico posto caldo.",
	"Zażółć gęślą jaźń, a potem zadzwoń do Łukasza.",
	"A szomszéd kutyája minden éjjel fél háromkor ugat, őrült űr.",
	"Mẹ tôi thích uống trà sen vào buổi sáng sớm, trước khi trời nóng.",
	"İstanbul'da ılık bir akşam, çay ve simit; ığdır Ağrı.",
	"Ключ от дачи лежит под третьей ступенькой крыльца, ёжик.",
	"Бабуся варить борщ щонеділі; її рецепт — таємниця, ґанок.",
	"Η γιαγιά μου φυτεύει βασιλικό κάθε άνοιξη στο μπαλκόνι. Σωκράτης ΣΊΣΥΦΟΣ",
	"המפתח הרזרבי נמצא מתחת לעציץ הכחול ליד הדלת.",
	"שָׁלוֹם עֲלֵיכֶם, מַה שְּׁלוֹמְךָ?",
	"المفتاح الاحتياطي تحت أصيص الزهور الأزرق بجانب الباب.",
	"اَلسَّلَامُ عَلَيْكُمْ وَرَحْمَةُ ٱللَّٰهِ",
	"کلید یدکی زیر گلدان آبی است؛ می‌خواهم بروم.",
	"मेरी दादी हर रविवार को गुड़ वाली चाय बनाती हैं।",
	"আমার ভাই প্রতিদিন সকালে নদীর ধারে হাঁটতে যায়।",
	"என் பாட்டி ஞாயிற்றுக்கிழமை இட்லி செய்வார்.",
	"మా అమ్మ ప్రతి ఆదివారం పెసరట్టు చేస్తుంది.",
	"എന്റെ മുത്തശ്ശി തിരുവനന്തപുരത്ത് താമസിക്കുന്നു.",
	"กุญแจสำรองอยู่ใต้กระถางดอกไม้สีฟ้าข้างประตู น้ำใจ",
	"ກະແຈສຳຮອງຢູ່ໃຕ້ກະຖາງດອກໄມ້",
	"အဖွားက တနင်္ဂနွေနေ့တိုင်း မုန့်ဟင်းခါး ချက်တယ်။",
	"កូនសោបម្រុងនៅក្រោមផើងផ្កាពណ៌ខៀវ។",
	"备用钥匙在门边蓝色花盆下面。我奶奶每个星期天都包饺子！",
	"備用鑰匙在門邊藍色花盆下面，請勿遺失。",
	"予備の鍵は青い植木鉢の下にあります。ﾊﾝｶｸｶﾅとゴジュウオン、がぎぐ。",
	"여분의 열쇠는 파란 화분 밑에 있어요. 할머니는 일요일마다 만두를 빚으세요.",
	"სათადარიგო გასაღები ლურჯი ქოთნის ქვეშაა. ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ",
	"Պահեստային բանալին կապույտ ծաղկամանի տակ է։",
	"የመለዋወጫ ቁልፍ በሰማያዊው የአበባ ማስቀመጫ ሥር ነው።",
	"གཡས་ཀྱི་ལྡེ་མིག་ནི་མེ་ཏོག་གི་འོག་ཏུ་ཡོད།",
	"ᐃᓄᒃᑎᑐᑦ ᖃᓂᐅᔮᖅᐸᐃᑦ",
	"ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ꭰꭱꭲ",
	"Ka ʻōlelo Hawaiʻi: hōʻike, kāhea, ʻōhiʻa.",
}

// snippets are what else people paste.
var snippets = []string{
	"", " ", "\t", "\n", "\r\n", "   ", "\u00a0", "\u2003", "\u200b", "\u200d", "\ufeff", "\u3000", "\u2028",
	"😀", "👍🏽", "👩‍👩‍👧‍👦", "🇸🇪🇯🇵", "❤️‍🔥", "☎︎", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "🫠🪿",
	"e\u0301", "Z\u0351\u0323\u0331a\u0334\u035dl\u0321go", "A\u030a\u0325", "\u0301", "\u1100\u1161\u11a8", "ﬁ ﬃ ﬀ", "Å Å", "ǅ", "ß ẞ", "ı İ i̇",
	"①②③ Ⅳ ½ ㎏ ㋿ ℡ ™ ª º", "ｆｕｌｌｗｉｄｔｈ　ＡＢＣ１２３", "𝓗𝓮𝓵𝓵𝓸 𝟘𝟙𝟚 𝔣𝔯𝔞𝔨", "ʰʲʷ", "﷼ ﷺ", "ﺍﻟﻌﺮﺑﻴﺔ", "〱〲 ゟ ヿ",
	"func (t *T) F[K ~[]int](x K) (_ error) { return nil }", "SELECT a.\"b\" FROM t WHERE x<>'y' -- note", "if (a&&b||!c) { d[i] += e ? 1 : -1; }", "<div class=\"x\">&nbsp;&amp;</div>",
	"https://example.org/a/b?c=d&e=%20f#g", "C:\\Users\\me\\file.txt", "/srv/harbor-old/..cache/x.tar.gz", "me+tag@example.com", "192.168.0.1:8080", "2001:db8::1", "550e8400-e29b-41d4-a716-446655440000", "#hashtag @name $HOME ~/x",
	"$1,234.56", "€12", "−5 °C", "3.14159e-10", "12:30:45", "2024-02-29T23:59:59Z", "+46 70 123 45 67", "100%", "a²+b²=c²", "∑∫√∞≠≤", "x→y⇒z", "©®", "…", "“quoted” ‘single’ «guillemets» „low“", "--- *** ___ ===", "!!!???", "a_b-c.d", "____", "(((", "\\n",
	"<s>", "</s>", "<unk>", "<pad>", "<mask>", "[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]", "[mask]", "[[MASK]]", "##ing", "▁word", "▁▁", "query: ", "passage: ",
	"\x01", "\x07\x08", "\x1b[31mred\x1b[0m", "\x7f", "\u0085", "\u009f", "\u00ad", "\u061c", "\u202e", "\ue000", "\ufffd", "\U000f0000", "\u0378", "\uffff", "\U0010ffff", "\U0001f7ff",
	"\u08d3", "\u1734", "\u166d", "\u2e52", "\U000111c9", "\u0890", "\u20bf",
	"antidisestablishmentarianism", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "hahahahahahaha", "zzzxqjkvb",
	"𠀀𠮷𪚥", "㐀㐁", "𓀀𓂀", "𐍈𐌰", "𝄞", "꧁꧂", "ꙮ", "ᚠᛇᚻ", "⠃⠗⠇",
}

// blocks are ranges from which single characters are taken.
var blocks = [][2]rune{
	{0x01, 0x7f}, {0x80, 0x24f}, {0x250, 0x36f}, {0x370, 0x52f}, {0x530, 0x6ff}, {0x700, 0x9ff}, {0xa00, 0xdff},
	{0xe00, 0x10ff}, {0x1100, 0x11ff}, {0x1200, 0x1cff}, {0x1e00, 0x1fff}, {0x2000, 0x2bff}, {0x2c00, 0x2fff},
	{0x3000, 0x33ff}, {0x4e00, 0x9fff}, {0xa000, 0xabff}, {0xac00, 0xd7a3}, {0xf900, 0xfdef}, {0xfe00, 0xffef},
	{0x10000, 0x10fff}, {0x11000, 0x16fff}, {0x1d000, 0x1ffff}, {0x20000, 0x2a6df}, {0xe0000, 0xe01ef},
}

// later tells of letters that got their lower case after Unicode 15, which Go knows;
// the references know newer ones.
func later(r rune) bool {
	switch {
	case r == 0x1c89, 0xa7cb <= r && r <= 0xa7dc, 0x10d50 <= r && r <= 0x10d65, 0x16ea0 <= r && r <= 0x16eb8, r == 0x11938:
		return true
	}
	return false
}

// Texts are n lines of all kinds, the same each time: each sentence and snippet by
// itself, then mixtures of them, words with random changes, and random characters.
// None has a NUL, where C would end it.
func Texts(n int) []string {
	list := append(append([]string{}, snippets...), sentences...)
	random := rand.New(rand.NewPCG(3, 5))
	for len(list) < n {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			switch k := random.IntN(10); {
			case k < 4:
				b.WriteString(piece(random, sentences[random.IntN(len(sentences))]))
			case k < 7:
				b.WriteString(snippets[random.IntN(len(snippets))])
			case k < 8:
				b.WriteString(changed(random, sentences[random.IntN(len(sentences))]))
			default:
				block := blocks[random.IntN(len(blocks))]
				for range 1 + random.IntN(8) {
					if r := block[0] + random.Int32N(block[1]-block[0]+1); !later(r) {
						b.WriteRune(r)
					}
				}
			}
			if random.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		if random.IntN(200) == 0 {
			long := b.String()
			for b.Len() < 8000 {
				b.WriteString(long + sentences[random.IntN(len(sentences))])
			}
		}
		list = append(list, strings.ReplaceAll(strings.ToValidUTF8(b.String(), ""), "\x00", ""))
	}
	return list[:n]
}

// piece is a part of a text, at the borders of characters.
func piece(random *rand.Rand, s string) string {
	runes := []rune(s)
	from := random.IntN(len(runes))
	return string(runes[from : from+random.IntN(len(runes)-from)+1])
}

// changed is a text with some of its characters in another case, doubled, gone, or
// in other places.
func changed(random *rand.Rand, s string) string {
	runes := []rune(s)
	var out []rune
	for i, r := range runes {
		switch random.IntN(12) {
		case 0:
			out = append(out, unicode.ToUpper(r))
		case 1:
			out = append(out, r, r)
		case 2:
		case 3:
			out = append(out, runes[(i+7)%len(runes)])
		default:
			out = append(out, r)
		}
	}
	return string(out)
}

// Passages are a hundred texts of which no model sees only a part: each sentence,
// some of the snippets, the empty text, and long ones.
func Passages() []string {
	list := append([]string{}, sentences...)
	for i := 0; len(list) < 92; i += len(snippets) / 50 {
		list = append(list, snippets[i%len(snippets)])
	}
	for i := 0; len(list) < 100; i++ {
		var b strings.Builder
		for k := i; utf8.RuneCountInString(b.String()) < 300+40*i; k += 3 {
			b.WriteString(sentences[(5*i+k)%len(sentences)])
			b.WriteByte(' ')
		}
		list = append(list, b.String())
	}
	return list
}
