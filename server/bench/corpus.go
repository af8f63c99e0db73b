package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"

	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// corpus writes sentences whose words are about as frequent as words are: small
// English words between, a few hundred common words, and a long tail of rare ones.
// A thousand sentences have some 3,300 distinct words, as news have; talk has half
// of that. The same seed writes the same.
type corpus struct {
	r    *rand.Rand
	zipf *rand.Zipf
	rare []string
	buf  []byte
}

const (
	tail      = 30_000 // distinct words beyond the common ones
	smallPart = 0.35   // of the words are small ones
)

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, 11))
	c := &corpus{r: r, zipf: rand.NewZipf(r, 1.35, 20, uint64(len(common)+tail-1))}
	// The rare words don't depend on the seed: several corpora share a vocabulary.
	v := rand.New(rand.NewPCG(5, 13))
	c.rare = make([]string, tail)
	for i := range c.rare {
		var b strings.Builder
		for range 2 + v.IntN(3) {
			b.WriteString(onsets[v.IntN(len(onsets))])
			b.WriteString(rhymes[v.IntN(len(rhymes))])
		}
		c.rare[i] = b.String()
	}
	return c
}

func (c *corpus) word() string {
	if c.r.Float64() < smallPart {
		return smallWords[c.r.IntN(len(smallWords))]
	}
	n := int(c.zipf.Uint64())
	if n < len(common) {
		return common[n]
	}
	return c.rare[n-len(common)]
}

// sentence is a text of about 20 words, as long as a memory is.
func (c *corpus) sentence() string {
	c.buf = c.buf[:0]
	for i := range 10 + c.r.IntN(21) {
		if i > 0 {
			c.buf = append(c.buf, ' ')
		}
		c.buf = append(c.buf, c.word()...)
	}
	if c.r.IntN(5) == 0 {
		c.buf = append(c.buf, ' ')
		c.buf = strconv.AppendInt(c.buf, int64(c.r.IntN(10_000)), 10)
	}
	c.buf = append(c.buf, '.')
	return string(c.buf)
}

// carried is a memory as it is brought in: up to 400 days old, half of them used.
func (c *corpus) carried(now int64) memory.Carried {
	const day = vitality.DayMillis
	m := memory.Carried{Body: c.sentence(), Importance: 1 + c.r.IntN(10), Confidence: 0.8, CreatedAt: now - int64(c.r.IntN(400*day))}
	if c.r.IntN(2) == 0 {
		m.LastUsedAt = m.CreatedAt + int64(c.r.IntN(int(now-m.CreatedAt)+1))
		m.UseCount = 1
		m.Uses = []api.Use{{At: api.Time(m.LastUsedAt), Kind: api.UseRecall}}
	}
	return m
}

// jsonl is n memories as the lines of an import.
func (c *corpus) jsonl(n int, now int64) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for range n {
		m := c.carried(now)
		l := api.Line{
			Type: api.LineMemory, Body: m.Body, Kind: "fact", Importance: &m.Importance, Confidence: &m.Confidence,
			UseCount: m.UseCount, CreatedAt: api.Ptr(api.Time(m.CreatedAt)), Used: m.Uses,
		}
		if m.LastUsedAt != 0 {
			l.LastUsedAt = api.Ptr(api.Time(m.LastUsedAt))
		}
		if err := e.Encode(l); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// question asks for common words, each in about ten of a hundred memories.
const question = "plan school server budget review"

var (
	onsets = strings.Fields("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sk sl st t th tr v w z")
	rhymes = strings.Fields("a ack ain an ar e ead ell en ent er i ick ill in ine ing o ock on oon or ore u um un ur y")

	smallWords = strings.Fields(`the of and to a in that is for it with as was on be by at this from are or an but not his her they
		have had which you we their has been if more when will would who so no can after then`)

	common = strings.Fields(`people work project time week meeting year day home team name call plan house book city school water car phone
		server report budget review deploy release branch test error window table list file page note letter doctor office train garden
		kitchen coffee tea bread dinner lunch breakfast morning evening night summer winter spring autumn street bridge river lake
		mountain forest tree flower dog cat bird horse fish family mother father sister brother friend child daughter son wife husband
		teacher student class course exam lesson language word sentence story song film picture music piano guitar game ball team score
		price cost bill bank account money salary tax contract order invoice customer client market shop store product service quality
		problem question answer idea reason result change choice decision rule law court police army government minister president party
		election vote country border language passport ticket flight airport hotel beach island sea ship boat port station road
		bicycle bus wheel engine fuel oil gas power light lamp battery cable screen keyboard mouse printer camera lens photo video sound
		voice noise silence body head hand foot eye ear mouth nose tooth heart blood bone skin hair fever cold cough pain medicine
		hospital nurse surgery allergy gluten milk egg meat rice apple orange lemon onion garlic pepper salt sugar oil butter cheese
		wine beer glass cup plate knife fork spoon table chair bed door wall roof floor stairs lift key lock box bag pocket
		coat shirt dress shoe hat glove ring watch clock alarm calendar birthday wedding holiday present party guest visit weather rain
		snow wind storm cloud sun moon star sky earth stone sand metal wood paper glass plastic cotton wool colour red green blue
		yellow black white grey brown number figure percent half quarter double metre kilo hour minute second month season century
		database index query schema migration backup restore cluster node cache queue token secret password session login cookie header
		request response timeout retry latency metric trace log alert incident outage runbook ticket sprint backlog standup demo`)
)
