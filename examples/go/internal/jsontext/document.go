// Package jsontext reads JSON as the text that it is. The digits of a number, the order of keys and lone surrogates stay as
// they were written; encoding/json would replace a lone surrogate by U+FFFD and accept bytes that are not UTF-8.
//
// Go strings of this package are UTF-8, in which a lone surrogate has the three bytes that its code point would have.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"example.com/agentpersistence"
)

// Document returns the JSON value that a file contains. A byte order mark is skipped. Text that is not JSON is an
// *agentpersistence.JSONDecodeError, which has no path yet.
func Document(data []byte) (json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return nil, decodeError(data, at, fmt.Sprintf("the byte 0x%02x is not UTF-8", data[at]))
		}
		at += size
	}
	var value json.RawMessage
	if err := json.Unmarshal(data, &value); err != nil {
		at := len(data)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && int(syntax.Offset) < at {
			at = int(syntax.Offset) - 1
		}
		return nil, decodeError(data, at, err.Error())
	}
	return value, nil
}

func decodeError(data []byte, at int, reason string) error {
	before := data[:at]
	return &agentpersistence.JSONDecodeError{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: at - bytes.LastIndexByte(before, '\n'),
		Reason: reason,
	}
}
