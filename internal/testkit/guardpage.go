// This file gives tests memory that ends, or begins, where it must not be touched: what reads or writes beyond
// an array is told by a fault. It has something on Linux alone.

package testkit
