package jsontext

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escaped has the characters that the escapes \" \\ \/ \b \f \n \r \t stand for.
const escaped = "\"\\/\b\f\n\r\t"

// String returns the text of a JSON string, which must be valid JSON.
func String(text json.RawMessage) (value string, ok bool) {
	if first(text) != '"' {
		return "", false
	}
	quoted := strings.TrimSpace(string(text))
	quoted = quoted[1 : len(quoted)-1]
	var b strings.Builder
	for len(quoted) > 0 {
		escape := strings.IndexByte(quoted, '\\')
		if escape < 0 {
			b.WriteString(quoted)
			break
		}
		b.WriteString(quoted[:escape])
		quoted = quoted[escape:]
		if quoted[1] != 'u' {
			b.WriteByte(escaped[strings.IndexByte(`"\/bfnrt`, quoted[1])])
			quoted = quoted[2:]
			continue
		}
		unit, rest := codeUnit(quoted)
		if next, after := codeUnit(rest); utf16.DecodeRune(unit, next) != utf8.RuneError {
			unit, rest = utf16.DecodeRune(unit, next), after
		}
		writeRune(&b, unit)
		quoted = rest
	}
	return b.String(), true
}

// codeUnit reads an escape such as \u00e9. The unit is 0 if text does not begin with one.
func codeUnit(text string) (unit rune, rest string) {
	if !strings.HasPrefix(text, `\u`) {
		return 0, text
	}
	value, _ := strconv.ParseUint(text[2:6], 16, 16)
	return rune(value), text[6:]
}

func writeRune(b *strings.Builder, r rune) {
	if utf16.IsSurrogate(r) {
		b.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
		return
	}
	b.WriteRune(r)
}

// surrogate returns the lone surrogate that text begins with, or 0.
func surrogate(text string) rune {
	if len(text) < 3 || text[0] != 0xed || text[1] < 0xa0 || text[1] > 0xbf || text[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f)
}

// Valid reports whether a Go string is text: UTF-8 in which lone surrogates may occur.
func Valid(text string) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if surrogate(text) != 0 {
			size = 3
		} else if r == utf8.RuneError && size == 1 {
			return false
		}
		text = text[size:]
	}
	return true
}

// Quote returns a text, which must be valid, as a JSON string.
func Quote(text string) json.RawMessage {
	b := []byte{'"'}
	for at := 0; at < len(text); {
		if unit := surrogate(text[at:]); unit != 0 {
			b = append(b, fmt.Sprintf(`\u%04x`, unit)...)
			at += 3
			continue
		}
		c := text[at]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, fmt.Sprintf(`\u%04x`, c)...)
		default:
			b = append(b, c)
		}
		at++
	}
	return append(b, '"')
}
