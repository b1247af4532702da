package states

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// longestName is the length in bytes up to which an encoded id is the name of a file. File systems allow 255, of which the
// extension needs some.
const longestName = 200

// hashed begins the name of a file whose id is too long: its SHA-256 follows.
const hashed = "%~"

// reserved has the names that Windows keeps for devices, with any extension.
var reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// encode returns the name, without extension, of the file for a user. Different ids have different names, also where a file
// system ignores case, and no name leaves the directory.
func encode(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); i++ {
		c := id[i]
		edge := i == 0 || i == len(id)-1
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte("_@+=,~-", c) >= 0, !edge && (c == ' ' || c == '.'):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	name := b.String()
	if reserved.MatchString(name) {
		name = fmt.Sprintf("%%%02x%s", name[0], name[1:])
	}
	if len(name) > longestName {
		sum := sha256.Sum256([]byte(id))
		return hashed + hex.EncodeToString(sum[:])
	}
	return name
}

// decode returns the id that a name encodes; ok is false if the name is not the one that encode gives for it.
func decode(name string) (id string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			b.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		c, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.Write(c)
		i += 2
	}
	id = b.String()
	return id, encode(id) == name
}
