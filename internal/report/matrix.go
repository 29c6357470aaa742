package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"ialgn/internal/metrics"
)

// For up to mostInTable classes, the confusion matrix is a table. For more classes it is a drawing, which has numbers
// for up to mostNumbered classes.
const (
	mostInTable  = 12
	mostNumbered = 30
)

// confusion shows to which class the frozen model assigns the samples of each class.
func (b *builder) confusion() section {
	s := section{ID: "confusion", Title: "Confusion matrix"}
	if b.Test == nil {
		s.Notes = []string{"Not evaluated: " + b.NotTested}
		return s
	}
	if b.Test.OtherData {
		s.Notes = append(s.Notes, "This test set differs from the test set of the training record.")
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s of %s test samples are classified correctly: %s.",
		count(b.Test.Correct), count(b.Test.Samples), percent(ratio(b.Test.Correct, b.Test.Samples))))
	classes := b.Info.Model.Classes
	if len(classes) <= mostInTable {
		s.Tables = []table{b.Test.table(classes), b.Test.classes(classes), b.Test.metrics(classes)}
		return s
	}
	s.Notes = append(s.Notes, "Rows are the true classes, columns the predicted classes; a darker cell "+
		"holds a larger share of its row.")
	s.Matrix = b.Test.drawing(classes)
	s.Tables = []table{b.Test.mistakes(classes), b.Test.classes(classes), b.Test.metrics(classes)}
	return s
}

// table returns the matrix for a small number of classes, as a table that fits the page's width.
func (t *Test) table(classes []string) table {
	m := table{
		Caption: "Samples by true class (rows) and predicted class (columns)", Numbers: true,
		Matrix: true,
	}
	m.Head = append(append([]string{"class"}, classes...), "recall")
	for y, row := range t.Confusion {
		all := sum(row)
		cells := texts(classes[y])
		for _, n := range row {
			cells = append(cells, cell{Text: fmt.Sprint(n), Shade: shade(ratio(n, all))})
		}
		m.Rows = append(m.Rows, append(cells, cell{Text: shareOf(ratio(row[y], all), all)}))
	}
	return m
}

// shareOf returns a share of a number of samples, or a dash if there are no samples.
func shareOf(share float64, samples int) string {
	if samples == 0 {
		return "\u2013"
	}
	return percent(share)
}

func sum(row []int) (all int) {
	for _, n := range row {
		all += n
	}
	return all
}

// shade returns how dark a cell is for a share of the samples. Cells for rare mistakes must remain visible.
func shade(share float64) int {
	for i, from := range []float64{0.5, 0.1, 0.02, 0} {
		if share > from {
			return 4 - i
		}
	}
	return 0
}

// These are sizes in the drawing of a matrix, in the units of the drawing.
const (
	numberedCell = 24
	plainCell    = 10
	labelRoom    = 90 // space for the names of classes, at the left and at the top
	longestLabel = 16 // longest label, in letters
	wideDrawing  = 14 // preferred size of a unit, in tenths of a pixel
)

// drawing returns the matrix for a large number of classes as SVG. The drawing takes the available width, on a screen
// and on paper. A cell with samples shows its meaning when the mouse points at it.
func (t *Test) drawing(classes []string) template.HTML {
	numbered, side, letters := len(classes) <= mostNumbered, plainCell, 8
	if numbered {
		side, letters = numberedCell, 11
	}
	size := labelRoom + side*len(classes)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="matrix" width="%d" height="%[1]d" viewBox="0 0 %[2]d %[2]d" role="img" font-size="%d">`,
		size*wideDrawing/10, size, letters)
	fmt.Fprintf(&out, "<title>Confusion matrix of %d classes</title><desc>%s of %s samples lie on the diagonal. The "+
		"tables below list the most frequent mistakes and the metrics of each class.</desc>\n",
		len(classes), count(t.Correct), count(t.Samples))
	fmt.Fprintf(&out, `<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>`+"\n", labelRoom, labelRoom,
		size-labelRoom, size-labelRoom)
	for i, name := range classes {
		at, name := labelRoom+side*i+side/2+letters/3, escaped(shortened(name))
		fmt.Fprintf(&out,
			`<text x="%d" y="%d" text-anchor="end">%s</text><text transform="translate(%d %d) rotate(-90)">%[3]s</text>`+"\n",
			labelRoom-4, at, name, at, labelRoom-4)
	}
	for y, row := range t.Confusion {
		all := sum(row)
		for x, n := range row {
			if n > 0 {
				t.drawCell(&out, classes, y, x, side, shade(ratio(n, all)), numbered)
			}
		}
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()) // #nosec: the names of classes are escaped
}

// drawCell draws the cell for the samples of class y that the model assigns to class x.
func (t *Test) drawCell(out *strings.Builder, classes []string, y, x, side, shade int, numbered bool) {
	n, left, top := t.Confusion[y][x], labelRoom+side*x, labelRoom+side*y
	fmt.Fprintf(out,
		`<rect class="s%d" x="%d" y="%d" width="%d" height="%[4]d"><title>%s, predicted as %s: %d of %d</title></rect>`,
		shade, left, top, side, escaped(classes[y]), escaped(classes[x]), n, sum(t.Confusion[y]))
	if numbered {
		fmt.Fprintf(out, `<text class="s%d" x="%d" y="%d" text-anchor="middle">%d</text>`, shade, left+side/2, top+side/2+4,
			n)
	}
	out.WriteByte('\n')
}

func escaped(s string) string { return template.HTMLEscapeString(s) }

// shortened returns the name of a class, shortened to fit the available room. It keeps both the beginning and the
// end, because the names of classes may differ in either.
func shortened(name string) string {
	letters := []rune(name)
	if len(letters) <= longestLabel {
		return name
	}
	return string(letters[:longestLabel/2]) + "\u2026" + string(letters[len(letters)-longestLabel/2+1:])
}

// mostMistakes limits the number of pairs in the table of mistakes.
const mostMistakes = 20

// mistakes lists the pairs of classes that are confused most often.
func (t *Test) mistakes(classes []string) table {
	type mistake struct{ y, x, n int }
	var all []mistake
	for y, row := range t.Confusion {
		for x, n := range row {
			if n > 0 && x != y {
				all = append(all, mistake{y, x, n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b mistake) int { return cmp.Compare(b.n, a.n) })
	m := table{Caption: "The most frequent mistakes", Head: []string{"class", "predicted as", "samples", "of the class"}}
	for _, k := range all[:min(len(all), mostMistakes)] {
		m.Rows = append(m.Rows, texts(classes[k.y], classes[k.x], count(k.n), percent(ratio(k.n, sum(t.Confusion[k.y])))))
	}
	return m
}

// classes lists the metrics of each class, the lowest recall first.
func (t *Test) classes(names []string) table {
	classes, order := metrics.Classes(t.Confusion), make([]int, len(names))
	for y := range order {
		order[y] = y
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(classes[a].Recall, classes[b].Recall) })
	m := table{
		Caption: "Metrics of each class, lowest recall first",
		Head:    []string{"class", "precision", "recall", "F1", "support"}, Numbers: true,
	}
	for _, y := range order {
		c := classes[y]
		m.Rows = append(m.Rows, texts(names[y], shareOf(c.Precision, c.Predicted), shareOf(c.Recall, c.Support),
			shareOf(c.F1, c.Predicted+c.Support), count(c.Support)))
	}
	return m
}

// metrics lists the metrics of all classes together.
func (t *Test) metrics(names []string) table {
	interval := func(limits [2]float64) string { return fmt.Sprintf("%.2f to %s", 100*limits[0], percent(limits[1])) }
	m := table{Caption: "Metrics of all classes", Head: []string{"metric", "value", "95 % interval"}, Numbers: true}
	m.Rows = [][]cell{
		texts("accuracy", percent(metrics.Accuracy(t.Confusion)), interval(metrics.AccuracyInterval(t.Confusion))),
		texts("balanced accuracy", percent(metrics.BalancedAccuracy(t.Confusion)),
			interval(metrics.BalancedAccuracyInterval(t.Confusion))),
		texts("macro F1", percent(metrics.MacroF1(t.Confusion)), ""),
		texts("Matthews coefficient", decimals(metrics.MatthewsCorrcoef(t.Confusion)), ""),
	}
	if t.ROCAUC != nil {
		m.Rows = append(m.Rows, texts("ROC AUC of "+names[1], decimals(*t.ROCAUC), ""),
			texts("average precision of "+names[1], decimals(*t.AveragePrecision), ""))
	}
	m.Rows = append(m.Rows, texts("expected calibration error", percent(t.ExpectedError), ""),
		texts("log loss", decimals(t.LogLoss), ""))
	return m
}

func decimals(x float64) string { return fmt.Sprintf("%.4f", x) }
