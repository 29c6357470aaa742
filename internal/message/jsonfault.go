// This file describes errors in JSON in terms of the user's file, and not in terms of the program's Go types.

package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ExplainJSON turns an error of package json into an error that a user understands. The new error names the key, the
// value that was found, and the byte offset of this value. It returns any other error unchanged.
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
