// For tests, this file provides memory that ends, or begins, next to memory that must not be accessed. Code that
// reads or writes beyond an array then causes a fault. It works only on Linux.

package testkit
