package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// ownerNames are usual names of columns that say to which person or machine a row belongs. A name may end in "id".
var ownerNames = []string{
	"animal", "customer", "device", "driver", "individual", "machine", "participant", "patient", "person", "session",
	"speaker", "subject", "user", "writer",
}

// identifierNames are names that only identifiers have. keyNames are names of identifiers that other columns have,
// too. These lists have names without separators.
var (
	identifierNames = []string{"guid", "id", "uid", "uniqueid", "uuid"}
	keyNames        = []string{"idx", "index", "key", "no", "nr", "row", "rowid", "rowno", "rownumber", "unnamed0"}
)

// leastOwners is the least number of values of an owner column that is not a feature. A column with fewer values may
// describe the sample, for example the column device with the values phone, tablet and watch.
const leastOwners = 5

// leastParts is the number of parts that samples may be divided into: training, validation and test.
const leastParts = 3

// ownerOf returns the owner that a column's name says, such as "patient". It returns "" for other names.
func ownerOf(name string) string {
	name = strings.TrimRight(strings.TrimSuffix(strings.ToLower(name), "id"), "_- .")
	if !slices.Contains(ownerNames, name) {
		return ""
	}
	return name
}

// identifier reports whether a column's name says that the column is an identifier. The result key is true for names
// that other columns have, too.
func identifier(name string) (sure, key bool) {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	words := nameWords(name)
	last := len(words) > 0 && strings.EqualFold(words[len(words)-1], "id")
	return slices.Contains(identifierNames, plain), last || slices.Contains(keyNames, plain)
}

// owner is a column whose name says that it tells persons or machines apart.
type owner struct {
	column  int
	noun    string // what the column tells apart
	groups  Groups // for each row, its owner
	missing bool   // some row has no owner
}

// findOwners finds the owner columns.
func (l *looker) findOwners() {
	for i, name := range l.header {
		if noun := ownerOf(name); noun != "" && i != l.label && i != l.group {
			l.owners = append(l.owners, owner{column: i, noun: noun})
		}
	}
}

// addOwners records the owners and the class of the current row.
func (l *looker) addOwners(class int) {
	for i := range l.owners {
		o := &l.owners[i]
		name := strings.TrimSpace(l.fields[o.column])
		o.groups.add(name)
		o.missing = o.missing || l.lacks(encoding.CategoryColumn, name)
	}
	if len(l.owners) > 0 {
		l.labels = append(l.labels, uint8(class))
	}
}

// judgeName drops a column if its name and its values say that it identifies rows, persons or machines. A network must
// not learn the classes of such identifiers, because new samples have others.
func (l *looker) judgeName(i int, c *Surveyed, cfg config.Data) {
	seen := &l.seen[i]
	if !c.feature() || c.Kind == encoding.NumberColumn && seen.fraction {
		return
	}
	sure, key := identifier(c.Name)
	o := slices.IndexFunc(l.owners, func(o owner) bool { return o.column == i })
	switch {
	case o >= 0 && c.Distinct >= leastOwners:
		c.Reason = "tells " + l.owners[o].noun + "s apart, like an identifier"
		if problem := l.owners[o].problem(l.labels, l.at.names, cfg); problem != "" {
			l.survey.Ungrouped = append(l.survey.Ungrouped, fmt.Sprintf("The rows of one %s cannot stay together: %s",
				l.owners[o].noun, problem))
		} else {
			l.survey.groupable = append(l.survey.groupable, groupable{i, l.owners[o].noun, c.Distinct})
		}
	case o >= 0 && c.Distinct > 1:
		l.survey.Ungrouped = append(l.survey.Ungrouped, fmt.Sprintf(
			"If the rows of one %s belong together, data.group: %s keeps them in one part", l.owners[o].noun,
			config.Quoted(c.Name)))
		return
	case sure && c.Distinct >= identifierRows:
		c.Reason = "is an identifier, as its name says"
	case key && c.Kind == encoding.NumberColumn && c.Distinct >= identifierRows &&
		c.Distinct == min(seen.values, MostDistinct):
		c.Reason = "has a different whole number in each row, like an identifier"
	default:
		return
	}
	c.Kind, c.Categories, c.Rare = encoding.DroppedColumn, nil, 0
}

// groupable is a column of owners whose rows can stay in one part.
type groupable struct {
	column int
	noun   string
	owners int
}

// problem returns the reason why the rows of an owner cannot stay in one part. It returns "" if they can.
func (o *owner) problem(labels []uint8, classes []string, cfg config.Data) string {
	n := len(o.groups.Names)
	switch {
	case o.missing:
		return "some rows have no " + o.noun
	case n > len(labels)/2:
		return fmt.Sprintf("most %ss have a single row", o.noun)
	}
	split := testSplit(cfg, classes, &o.groups)
	members, _ := split.count(labels)
	in := make([]int, len(classes))
	for _, group := range members {
		for _, m := range group {
			in[m.class]++
		}
	}
	if least := slices.Min(in); least < leastParts {
		return fmt.Sprintf("class %s occurs for only %s", shown(classes[slices.Index(in, least)]),
			message.Plural(least, o.noun, o.noun+"s"))
	}
	if split.Share == 0 {
		return "" // there is a test file
	}
	if _, _, err := split.Choose(labels); err != nil {
		return err.Error()
	}
	return ""
}

// ChooseGroup makes a column of owners the group, if there is one whose rows can stay in one part. Of several columns,
// it takes the column with the fewest owners. It returns a note, or "" if there is no such column.
func (s *Survey) ChooseGroup() (note string) {
	if len(s.groupable) == 0 {
		return ""
	}
	g := slices.MinFunc(s.groupable, func(a, b groupable) int { return cmp.Compare(a.owners, b.owners) })
	c := &s.Columns[g.column]
	s.Group, c.Reason = s.reference(c), groupReason
	return fmt.Sprintf("The rows of one %s are in one part (column %s has %d of them), so that the test shows how new "+
		"%ss are classified", g.noun, config.Quoted(c.Name), g.owners, g.noun)
}

// groupReason is the reason why the column of data.group is left out.
const groupReason = "is the group, not a feature"

// nameWords returns the words of a name. A word is a run of letters or digits. A capital letter after a small letter
// begins a word, and so does a capital letter before a small letter.
func nameWords(name string) (words []string) {
	for _, at := range wordsIn(name) {
		words = append(words, name[at[0]:at[1]])
	}
	return words
}

// wordsIn returns the places of the words of a name (see nameWords).
func wordsIn(name string) (at [][2]int) {
	runes, begun, offset := []rune(name), -1, 0
	kind := func(i int) int {
		switch {
		case i < 0 || i >= len(runes):
			return 0
		case unicode.IsUpper(runes[i]):
			return 1
		case unicode.IsLetter(runes[i]):
			return 2
		case unicode.IsDigit(runes[i]):
			return 3
		}
		return 0
	}
	for i, r := range runes {
		k, before := kind(i), kind(i-1)
		joined := k == before || k == 2 && before == 1
		if k == 1 && before == 1 && kind(i+1) == 2 {
			joined = false
		}
		if begun >= 0 && (k == 0 || !joined) {
			at, begun = append(at, [2]int{begun, offset}), -1
		}
		if begun < 0 && k != 0 {
			begun = offset
		}
		offset += len(string(r))
	}
	if begun >= 0 {
		at = append(at, [2]int{begun, offset})
	}
	return at
}
