package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Member is a key of an object with its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Marshal encodes a value without escaping <, > and &, which [encoding/json.Marshal] does for HTML.
func Marshal(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Members returns the members of an object in their order. The text must be valid JSON; ok is false if it is not an object.
func Members(text json.RawMessage) (members []Member, ok bool) {
	if !IsObject(text) {
		return nil, false
	}
	found := parts(text)
	for i := 0; i < len(found); i += 2 {
		name, _ := String(found[i])
		members = append(members, Member{name, found[i+1]})
	}
	return members, true
}

// Lookup returns the members of an object by name. If a name occurs twice, the last value counts.
func Lookup(text json.RawMessage) (values map[string]json.RawMessage, ok bool) {
	members, ok := Members(text)
	values = make(map[string]json.RawMessage, len(members))
	for _, member := range members {
		values[member.Name] = member.Value
	}
	return values, ok
}

// Decode sets the targets to the members of an object: each function converts the value of one name, and returns false to refuse
// it. Unlike in encoding/json, names have to match exactly, and null is the same as an absent member. An error begins with the
// name of the member.
func Decode(text json.RawMessage, targets map[string]func(json.RawMessage) bool) error {
	values, ok := Lookup(text)
	if !ok {
		return fmt.Errorf("expected an object, found %s", text)
	}
	for name, value := range values {
		set, known := targets[name]
		if !known {
			return fmt.Errorf("%s: unknown name", name)
		}
		if !IsNull(value) && !set(value) {
			return fmt.Errorf("%s: unexpected value %s", name, value)
		}
	}
	return nil
}

// To returns a function for Decode that sets a variable.
func To[T any](target *T, convert func(json.RawMessage) (T, bool)) func(json.RawMessage) bool {
	return func(text json.RawMessage) (ok bool) {
		*target, ok = convert(text)
		return ok
	}
}

// Elements returns the elements of an array. The text must be valid JSON; ok is false if it is not an array.
func Elements(text json.RawMessage) (elements []json.RawMessage, ok bool) {
	if first(text) != '[' {
		return nil, false
	}
	return parts(text), true
}

// Strings returns the elements of an array of strings, never nil if ok.
func Strings(text json.RawMessage) (values []string, ok bool) {
	elements, ok := Elements(text)
	values = make([]string, 0, len(elements))
	for _, element := range elements {
		value, isString := String(element)
		ok = ok && isString
		values = append(values, value)
	}
	return values, ok
}

// IsObject reports whether valid JSON is an object.
func IsObject(text json.RawMessage) bool { return first(text) == '{' }

// IsNull reports whether valid JSON is null. Absent values count as null.
func IsNull(text json.RawMessage) bool { return first(text) == 'n' || len(text) == 0 }

// Boolean returns the value of true or false.
func Boolean(text json.RawMessage) (value, ok bool) {
	value = first(text) == 't'
	return value, value || first(text) == 'f'
}

// Real returns the value of a number. ok is false for other values and for numbers beyond the range of a double.
func Real(text json.RawMessage) (value float64, ok bool) {
	value, err := strconv.ParseFloat(string(text), 64)
	return value, err == nil && isNumber(text)
}

// Integer returns the value of an integer in any spelling, such as 3, 3.0 or 3e0.
func Integer(text json.RawMessage) (value int64, ok bool) {
	if value, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return value, true
	}
	real, ok := Real(text)
	const exact = 1 << 53
	return int64(real), ok && real == math.Trunc(real) && math.Abs(real) <= exact
}

// IsDouble reports whether a double holds the decimal value of a number unchanged.
func IsDouble(number json.RawMessage) bool {
	value, err := strconv.ParseFloat(string(number), 64)
	return err == nil && digits(string(number)) == digits(strconv.FormatFloat(value, 'e', -1, 64))
}

// digits returns a number in a form that has no other spelling: its digits without zeros at the ends, and its exponent.
func digits(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	power, _ := strconv.ParseInt(exponent, 10, 64) // ParseFloat has refused greater ones, except for zeros
	mantissa, isNegative := strings.TrimPrefix(mantissa, "-"), mantissa[0] == '-'
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power -= int64(len(fraction))
	kept := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(kept, "0")
	if short == "" {
		power = 0
	} else {
		power += int64(len(kept) - len(short))
	}
	return fmt.Sprint(isNegative, short, "e", power)
}

func isNumber(text json.RawMessage) bool {
	return first(text) == '-' || first(text) >= '0' && first(text) <= '9'
}

func first(text json.RawMessage) byte {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 {
		return 0
	}
	return text[0]
}

// parts returns the values inside an array or an object; of an object, names and values alternate.
func parts(text json.RawMessage) []json.RawMessage {
	text = bytes.TrimSpace(text)
	inside := text[1 : len(text)-1]
	found := []json.RawMessage{}
	for at := 0; at < len(inside); {
		if bytes.IndexByte([]byte(" \t\r\n,:"), inside[at]) >= 0 {
			at++
			continue
		}
		end := at + lengthOfValue(inside[at:])
		found = append(found, inside[at:end])
		at = end
	}
	return found
}

func lengthOfValue(text json.RawMessage) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return at + 1
		}
	}
	return len(text)
}
