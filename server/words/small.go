package words

import (
	"strings"
	"sync"
)

type small struct {
	stop bool
	use  use
	away bool // of a language but English, where it is a word of meaning or of a name
}

// Small words are left out of questions. The lists hold folded words without
// apostrophes. Of languages other than English they hold only what isn't a word
// of meaning in English or in a name (German die and für, Spanish las, Dutch
// van aren't there): those stand in a list of their own, for questions that are in
// another language, since in a store of few memories they would bring in any. "may" and "us" are months and countries too.
const (
	// englishOnly also tells that a text is English.
	englishOnly = `and are aren arent as at been because being between both but cannot cant could couldnt did didnt does doesnt doing down each
ever every few had hadnt has hasnt have havent having him himself his how if into is isnt it its itself lets might more much must my myself
nor not of off only or other our ours ourselves out own really she should shouldnt some such than that thats the their theirs them
themselves then there theres these they theyre this those though through too until up very wasnt were werent what whats when where which while who
whom whose why with without wont would wouldnt yet you your yours yourself yourselves youre ive about above after again against before below`

	// englishShared are small words in English that mean something else elsewhere.
	englishShared = `a all also am dont im just most once an any be by can do during for from further he her here hers herself i in me no on over same shall so to under was we will get gets got us`

	// others are small words of Czech, Slovak, Polish; Swedish, Danish, Norwegian;
	// German, Dutch; Spanish, French, Italian, Portuguese; Turkish.
	others = `jsem jsi jste jsou jsme byl byla bylo byli neni jako ktery ktera ktere jeho jeji jejich nebo podle proc kde kdy kdo jak jaky jaka jake taky jeste
tento tato toto mam muj moje moji muze se ze je na ve aby kdyz ani asi pri nie jest sie czy oraz gdzie kiedy kto dlaczego moj moja przez
och att det som en ett av pa inte jag vad vem hur nar mig mitt mina har hade till med eller sig han hon dem du kan ska skulle ocksa fran
og ikke jeg hvad hva hvem hvor hvordan af er fra til
der das und ist nicht ich sie wir ihr ein eine einer einen einem eines mit auf von zu zum zur bei wie wer wo wann warum welche welcher welches sind habe haben
hatte mein meine meinen meiner dein deine sich auch oder aber wenn dass noch nur nach kann wird wurde werden des
het een ik niet voor aan zijn wat wie waar hoe mijn heeft ook maar naar dat dit deze wordt
el la de del que y un una es por para con como cual cuando donde quien su sus tu yo pero muy esta este esto estan soy tengo tiene hay lo le mis
les du et est une dans qui quel quelle quels sur avec ne il elle nous vous ils elles mon ma mes tes ses aux ce cette ces mais ou pourquoi quand suis sont etait au
gli di che sono dove quando perche chi non della dello delle nel nella mio mia questo questa anche piu ho
os um uma da dos nao em meu minha voce isso mas qual onde quem ao
ve bir icin ile nedir`

	// beyondLatin are small words in Russian and Ukrainian, Greek, and Arabic.
	beyondLatin = `и в во не на я что он она оно они мы вы ты как а то это так его ее их у же за бы по от из о об с со к до для или но когда где кто какой какая какое какие
который которая которые мой моя мое мои меня мне тебя был была было были есть чем почему там тут нет да ли уже й та що як це де коли хто
και το τα η ο οι του τησ των τον την σε με για απο που πωσ τι ποιοσ ποια ποιο ειναι δεν να θα μου σου στο στη στην στον στα ενα μια ενασ
في من علي الي عن ما هو هي هذا هذه ان لا التي الذي كان مع هل كيف متي اين ماذا و او لم`

	// awayOnly are small words in the languages of others that are words of meaning, or
	// in names, in English. They are left out of questions that are in none but those
	// languages (see away).
	awayOnly = `v k z pro s o u ke ve ze za od po co ci ji ho mu mi ti ne tak ten ta to ty te nas nam vas vam si uz jen neco nekdo nejaky nektery cim cem ceho komu koho kam kolik
odkud budu bude budeme budou muzu muzeme mohu musim musi musime smi smim ma mame maji chci chce pred bez nez pak tam
w i a do na dla co czym jaki jaka ktory ktora ktore jego jej ich sa jest jestem mi go juz tylko
ar vi ni man vill fick far far blir bli blev maste maste ut upp fran vart vara sin sitt sina dar nagon nagot bara vilken vilket vilka varfor hos at utan mot denna detta dessa
den de er dem var dit din sit ville skal maa ma hvilken hvilket hvorfor hvornar min mit
die den dem im am an es so als bis um bin bist war waren was man mir mich dir dich ihm ihn uns unser unsere unserem unseren unserer euch wen wem hat muss mussen musst
soll sollen will wollen konnen konnte konnten darf durfen fur unter uber vor nach seit ohne gegen durch diese dieser dieses diesem diesen jede jeder jedes etwas alle
viel viele vielen wohin woher wozu worauf wodurch woran welchem welchen denn doch also da
van de te in is op er dan of om bij we wij zij hij ons onze kan moet mag welke welk waarom wanneer als nog die dat
los las al se me te nos no si he ha han hay son era fue sin sobre entre desde hasta porque ya puede puedo pueden podemos debe debo deben cuales cuanto cuanta cuantos
cuantas cuantas quienes nuestro nuestra nuestros nuestras algo alguien mas tan eso esa ese aquel
on au pour par pas plus se si y d l qu c j n s t m sa son leur leurs notre nos votre vos cet comme a ont avons tu te me toi moi
il lo i o e ha ho hanno non si mi ti ci vi per con come cosa suo sua sue loro nostro nostra quale quali quanto quanti
no na nos nas de se por mais como seu sua ele ela foi quando quanto quantos pode posso eu
mi mu ne bu o da de nasil neden kim hangi ama gibi kadar cok`

	// units are characters of Han that carry grammar, for questions in Chinese and Japanese.
	units = `的 了 是 我 你 他 她 它 们 們 在 有 和 不 吗 嗎 呢 吧 这 這 那 什 么 麼 就 也 都 很 把 被 与 與 及 之 个 個 哪 谁 誰 何 怎 为 為 要 会 會 能 请 請 您`

	// pairs are pairs of characters that carry grammar.
	pairs = `什么 什麼 怎么 怎麼 为什 為什 我的 你的 他的 她的 的是 是什 们的 們的 这个 這個 那个 那個 哪个 哪個 哪里 哪裡 是我 有什 么是 是谁
です ます した して いる いた ある する から まで など この その あの どの です すか まし ませ せん のは には では とは なに 何で 何を 何が は何 が何 でし しょ ょう って てい
나는 나의 내가 저는 저의 제가 무엇 엇을 엇이 입니 니까 니다 습니 어디 인가 가요 나요 어요 예요 에요 이야 있는 있어 하는 해요 뭐예 뭐야 에서 에게 으로 까지 부터 하고 는데 지만 들이 들은 들을 이나 한테 처럼 보다 아요 네요 세요 아서 어서 려면 을까 되나 되는 하면 이고 라고`
)

// smallWords maps each folded word, character or pair of the lists to its use.
var smallWords = sync.OnceValue(func() map[string]small {
	m := make(map[string]small, 1024)
	for _, list := range []struct {
		words string
		use   use
	}{
		{units + " " + pairs + " " + beyondLatin, useNone},
		{others, useOther},
		{englishShared, useNone},
		{englishOnly, useEnglish},
	} {
		for _, w := range strings.Fields(list.words) {
			m[w] = small{stop: true, use: list.use}
		}
	}
	for _, w := range strings.Fields(awayOnly) {
		if s := m[w]; !s.stop {
			m[w] = small{away: true}
		}
	}
	return m
})
