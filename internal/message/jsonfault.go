// This file says what is wrong with JSON in the words of the file that a user has,
// not in those of the types that the program reads it into.

package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ExplainJSON returns an error of package json as a user can follow it: the key, what stands
// there, and at which byte. Any other error comes back as it is.
func ExplainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		key := kind.Field
		if key == "" {
			key = "the value"
		}
		return fmt.Errorf("%s: %s has no place there (byte %d)", key, kind.Value, kind.Offset)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("byte %d: %s", syntax.Offset, strings.TrimPrefix(syntax.Error(), "json: "))
	}
	return err
}
