// This file describes errors in JSON by the content of the user's file, and not by the Go types that the program
// reads it into.

package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ExplainJSON turns an error of package json into one that a user understands: the key, the value found, and its
// byte offset. It returns any other error unchanged.
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
