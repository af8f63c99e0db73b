package words

import (
	"strings"
	"sync"
)

// irregularForms are English words whose forms no stemmer can join, a line each,
// the base first. Forms that are as often a word of their own aren't there:
// left, saw, lives, leaves, bit, led, lent, lay, wound.
const irregularForms = `become became
begin began begun
bend bent
bite bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
learn learnt
lose lost
make made
mean meant
meet met
overcome overcame
pay paid
ride rode ridden
ring rang rung
rise risen
run ran
say said
see seen
seek sought
sell sold
send sent
shake shook shaken
shoot shot
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
undertake undertook undertaken
wake woke woken
wear wore worn
weep wept
win won
withdraw withdrew withdrawn
write wrote written
child children
foot feet
goose geese
half halves
knife knives
man men
mouse mice
ox oxen
person people
shelf shelves
tooth teeth
wife wives
wolf wolves
woman women`

// baseForms maps each irregular form to its base.
var baseForms = sync.OnceValue(func() map[string]string {
	m := make(map[string]string, 256)
	for line := range strings.Lines(irregularForms) {
		forms := strings.Fields(line)
		for _, f := range forms[1:] {
			m[f] = forms[0]
		}
	}
	return m
})
