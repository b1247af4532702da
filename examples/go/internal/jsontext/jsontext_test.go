package jsontext

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"example.com/agentpersistence"
)

func TestStringsComeBack(t *testing.T) {
	for _, text := range []string{`""`, `"a\u0000b"`, `"\ud800"`, `"\ud83d\ude00"`, `"\udc00\ud800x"`, `"\"\\\/\b\f\n\r\t"`, `"é\u00e9"`} {
		value, ok := String(json.RawMessage(text))
		if !ok || !Valid(value) {
			t.Errorf("%s: not a text: %q", text, value)
		}
		if again, _ := String(Quote(value)); again != value {
			t.Errorf("%s: %q became %q", text, value, again)
		}
	}
	if face, _ := String(json.RawMessage(`"\ud83d\ude00"`)); face != "😀" {
		t.Errorf("a pair of surrogates is %q", face)
	}
	if Valid("\xff") || Valid("\xed\x9f") {
		t.Error("bytes that are not UTF-8 are valid")
	}
}

func TestMembersKeepTextAndOrder(t *testing.T) {
	members, ok := Members(json.RawMessage(` {"b": [1, {"x":"}]"}] , "a":1e400,"c" :"\"," } `))
	want := []Member{{"b", json.RawMessage(`[1, {"x":"}]"}]`)}, {"a", json.RawMessage("1e400")}, {"c", json.RawMessage(`"\","`)}}
	if !ok || !reflect.DeepEqual(members, want) {
		t.Errorf("found %s", members)
	}
}

func TestDocumentNamesThePlace(t *testing.T) {
	for text, place := range map[string][2]int{"{\n\"a\": tru }": {2, 9}, "[1,\n\xff]": {2, 1}, "{\"a\":": {1, 6}, "[NaN]": {1, 2}} {
		_, err := Document([]byte(text))
		var decode *agentpersistence.JSONDecodeError
		if !errors.As(err, &decode) || [2]int{decode.Line, decode.Column} != place {
			t.Errorf("%q: expected line and column %v, found %v", text, place, err)
		}
	}
}

func TestIsDouble(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "-0": true, "0e999": true, "1.50": true, "1E5": true, "0.30000000000000004": true, "9007199254740992": true,
		"9007199254740993": false, "1e400": false, "1e-400": false, "0.1000000000000000000001": false, "12345678901234567890": false,
	} {
		if IsDouble(json.RawMessage(number)) != want {
			t.Errorf("%s: expected %v", number, want)
		}
	}
}
