package recall

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A message that only agrees, thanks, or says to go on belongs to no memory: it would
// find whatever mentions the same small words. Such a message is one of quietPhrases,
// or a few of quietWords and nothing else, whatever its marks, its case and its
// punctuation.

// quietMost is how many words such a message has at most.
const quietMost = 6

// quietWords are those words, folded.
const quietWords = `ok okay okey k kk oke okej okei yes yep yeah yup yea ya aye sure thanks thank thx ty you u please pls no nope great good nice fine cool perfect
awesome right correct exactly agreed done continue proceed go on ahead next more do it that lgtm alright absolutely definitely of course got understood
hello hi hey looks sounds all so very much lovely excellent wonderful super hm hmm mhm uh huh ack indeed keep going

ano jo jasne jasny dobre dobry diky dik dekuji dekuju prosim pokracuj pokracujte dal dale ne souhlasim rozumim super fajn hotovo presne skvele v poradku
tak jiste hej ahoj pokracovat pokracuj dakujem dobre ano hej
tak nie dzieki dziekuje prosze dobrze dobra jasne kontynuuj dalej okej swietnie zgoda

ja jo japp nej tack tackar bra fint okej fortsatt vidare visst absolut precis toppen snalla ja tak fint godt flott fortsaet fortsett nej nei takk gerne klart perfekt

ja nein danke bitte gut genau weiter mach okay klar passt einverstanden super prima richtig stimmt los schon vielen dank alles jawohl doch gerne nee dank graag goed
prima verder ga door akkoord bedankt precies mooi

si no gracias vale bueno bien claro perfecto sigue continua adelante exacto muchas de acuerdo listo hola por favor genial
oui non merci bien parfait continue continuez continuer exact bon vas y allez beaucoup c est bon salut s il te vous plait tres
va bene grazie perfetto continua avanti esatto giusto certo prego mille ciao d accord accordo ottimo
sim nao obrigado obrigada perfeito continue certo claro isso bom beleza otimo pode ser por
evet hayir tesekkurler tesekkur ederim tamam devam et peki olur guzel sag ol lutfen super

да нет ага угу хорошо спасибо пожалуйста ок окей ладно давай дальше продолжай продолжайте верно точно отлично понятно понял поняла конечно согласен согласна хорошо так ні дякую
добре гаразд далі продовжуй продовжуйте чудово авжеж
ναι οχι ευχαριστω ενταξει οκ καλα ωραια συνεχισε τελεια σωστα παρακαλω
نعم لا شكرا حسنا تمام اوك اوكي استمر تابع ممتاز طيب صحيح موافق من فضلك جزيلا
हाँ हां जी नहीं ठीक है अच्छा धन्यवाद शुक्रिया जारी रखें रखो आगे बढ़ो सही`

// quietPhrases are whole messages in scripts that are written without spaces, or whose
// words mean something else alone.
const quietPhrases = `はい|いいえ|うん|ううん|ええ|そう|そうです|そうですね|わかりました|分かりました|わかった|分かった|了解|了解です|りょうかい|オッケー|オーケー|おけ|ありがとう|ありがとうございます|どうも
続けて|続けてください|続き|つづけて|お願いします|おねがいします|いいね|いいです|いいですね|大丈夫|大丈夫です|次|次へ|完璧|素晴らしい|なるほど|こんにちは
好|好的|好吧|好啊|是|是的|不|不是|对|对的|對|對的|嗯|嗯嗯|谢谢|謝謝|多谢|多謝|继续|继续吧|請繼續|请继续|繼續|可以|行|没问题|沒問題|明白|明白了|知道了|收到|同意|没错|沒錯|很好|太好了|完美|下一个|下一個|你好
네|예|응|아니요|아니|그래|그래요|좋아|좋아요|좋습니다|알겠어|알겠어요|알겠습니다|감사합니다|감사|고마워|고마워요|고맙습니다|계속|계속해|계속해줘|계속해주세요|계속하세요|오케이|맞아|맞아요|맞습니다|확인|다음|완벽해|완벽해요|안녕하세요
ครับ|ค่ะ|คะ|ใช่|ใช่ครับ|ใช่ค่ะ|ไม่|ไม่ใช่|โอเค|ตกลง|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ต่อไป|ทำต่อ|ดี|ดีมาก|ดีครับ|ดีค่ะ|เข้าใจแล้ว|สวัสดี
got it|i see|makes sense|no problem|never mind|that works|will do`

// quietSigns are pictographs that agree, thank or are glad.
const quietSigns = "👍👌🙏✅✔☑🎉😊🙂😀😁😄👏💯❤🫡🤝🆗"

var quiet = sync.OnceValue(func() (q struct{ words, phrases map[string]bool }) {
	q.words, q.phrases = map[string]bool{}, map[string]bool{}
	for _, w := range strings.Fields(quietWords) {
		q.words[strings.Join(plainWords(w), "")] = true
	}
	for _, line := range strings.Split(quietPhrases, "\n") {
		for _, p := range strings.Split(line, "|") {
			q.phrases[strings.Join(plainWords(p), " ")] = true
		}
	}
	return q
})

// Quiet tells whether a message asks for nothing: it has neither words nor signs, or
// only agrees.
func Quiet(text string) bool {
	if len(text) > 200 {
		return strings.TrimSpace(text) == ""
	}
	list := plainWords(text)
	if len(list) == 0 {
		for _, r := range text {
			if !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Sk, r) &&
				!strings.ContainsRune(quietSigns, r) {
				return false
			}
		}
		return true
	}
	q := quiet()
	if q.phrases[strings.Join(list, " ")] {
		return true
	}
	if len(list) > quietMost {
		return false
	}
	for _, w := range list {
		if !q.words[w] && !q.phrases[w] { // parts in scripts without spaces, between marks
			return false
		}
	}
	return true
}

// plainWords are a text's words in lower case without the marks of Latin, Greek and
// Cyrillic letters; apostrophes and hyphens part words.
func plainWords(text string) []string {
	bare := make([]rune, 0, len(text))
	for _, r := range norm.NFKD.String(text) {
		if r < 0x300 || r > 0x36F {
			bare = append(bare, r)
		}
	}
	return strings.FieldsFunc(strings.ToLower(norm.NFC.String(string(bare))), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
