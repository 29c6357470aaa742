// Package ties decides which class wins if several classes have the largest count.
//
// A tie order lists all classes. Of several classes with the largest count, the first one in the list wins. Without an
// order, which is nil, the class with the lowest number wins. The ascending order is always nil, so that each rule has
// one form.
package ties

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// At returns the class at a place of the order, counted from 0.
func At[T int | uint16](order []T, place int) int {
	if order == nil {
		return place
	}
	return int(order[place])
}

// Winner returns the class that wins. There must be at least one count, and the order must be nil or have all classes.
func Winner[T int | uint16](counts []int32, order []T) int {
	best := At(order, 0)
	for place := 1; place < len(counts); place++ {
		if c := At(order, place); counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// Places returns the place of each class in the order.
func Places[T int | uint16](order []T, classes int) []int {
	places := make([]int, classes)
	for place := range places {
		places[At(order, place)] = place
	}
	return places
}

// Check returns an error unless the order is nil, or has every class once and is not ascending.
func Check[T int | uint16](order []T, classes int) error {
	if order == nil {
		return nil
	}
	if len(order) != classes {
		return fmt.Errorf("a tie order of %d classes, want %d", len(order), classes)
	}
	seen, ascending := make([]bool, classes), true
	for place, c := range order {
		if int(c) < 0 || int(c) >= classes {
			return fmt.Errorf("tie order: class %d, want 0 to %d", c, classes-1)
		}
		if seen[c] {
			return fmt.Errorf("tie order: class %d occurs twice", c)
		}
		seen[c], ascending = true, ascending && int(c) == place
	}
	if ascending {
		return errors.New("the tie order is ascending, want none")
	}
	return nil
}

// Rule says which class wins, for comments of written files. It is a noun phrase with an article.
func Rule[T int | uint16](order []T) string {
	if order == nil {
		return "the lowest class"
	}
	return "the first class in the order " + Text(order)
}

// Text returns the classes of an order, separated by blanks.
func Text[T int | uint16](order []T) string {
	words := make([]string, len(order))
	for i, c := range order {
		words[i] = strconv.Itoa(int(c))
	}
	return strings.Join(words, " ")
}

// Verilog returns the order as a Verilog constant with the given number of bits for each class. The class that wins is
// in the lowest bits.
func Verilog[T int | uint16](order []T, bits int) string {
	value := new(big.Int)
	for place, c := range order {
		value.Or(value, new(big.Int).Lsh(big.NewInt(int64(c)), uint(place*bits)))
	}
	width := len(order) * bits
	return fmt.Sprintf("%d'h%0*x", width, (width+3)/4, value)
}
