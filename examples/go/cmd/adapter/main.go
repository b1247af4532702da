// Command adapter lets perdura-conformance call this module: "adapter 15" or "adapter 16". It answers requests in JSON Lines,
// as the suite's page about adapters describes, and calls the functions of the module by reflection.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/jsontext"
	"example.com/agentpersistence/v15/persistence"
	"example.com/agentpersistence/v16/configuration"
	"example.com/agentpersistence/v16/metricscollector"
)

const capabilities = "patterns_json patterns_sqlite usage metrics trends export configuration persistence working_directory"

// ruled has the open questions that this module answers as the rulings do.
const ruled = `save-existing sqlite-missing sqlite-not-a-library json-shape format-version optional contributions usage-table
	timestamps text usage-confidence order numbers pattern-type library-attributes missing-directory metadata-storage
	record-metric-level record-metric-table current-level level-counts stats-extra unknown-user global-empty null-response-time range
	users-order export timestamp-zone saved-at-zone db-path-default not-a-database other-line-metrics state-file state-dir state-corrupt
	state-user-mismatch state-extra state-field-keys config lifecycle trends authentication events limits split-modules
	empathy-level-argument nonfinite read-what-can-be-read durability`

// operations has the names of the parameters of each operation, and its function, or the name of the method of the object that
// the handle names. The parameter self is that object, * stands for all other arguments, and a question mark means optional.
var operations = map[string][2]any{
	"PatternLibrary":      {"*", func(library persistence.PatternLibrary) *persistence.PatternLibrary { return &library }},
	"save_to_json":        {"self filepath", persistence.PatternPersistence.SaveToJSON},
	"load_from_json":      {"filepath", persistence.PatternPersistence.LoadFromJSON},
	"save_to_sqlite":      {"self db_path mode?", persistence.PatternPersistence.SaveToSQLite},
	"load_from_sqlite":    {"db_path", persistence.PatternPersistence.LoadFromSQLite},
	"record_usage":        {"pattern_id agent_id success", "RecordUsage"},
	"record_interaction":  {"user_id level success response_time_ms", "RecordInteraction"},
	"get_user_stats":      {"user_id", "UserStats"},
	"get_global_stats":    {"", "GlobalStats"},
	"get_all_users":       {"", "AllUsers"},
	"get_user_trend":      {"user_id *", "UserTrend"},
	"get_global_trend":    {"*", "GlobalTrend"},
	"export_metrics":      {"filepath", "Export"},
	"save_patterns":       {"library", "SavePatterns"},
	"load_patterns":       {"", "LoadPatterns"},
	"15 MetricsCollector": {"db_path?", persistence.NewMetricsCollector},
	"15 record_metric":    {"user_id empathy_level success response_time_ms metadata?", "RecordMetric"},
	"15 open_persistence": {"config", persistence.Open},
	"15 StateManager":     {"state_dir?", persistence.NewStateManager},
	"15 save_state":       {"user_id state", "SaveState"},
	"15 load_state":       {"user_id", "LoadState"},
	"15 list_users":       {"", "ListUsers"},
	"15 delete_state":     {"user_id", "DeleteState"},
	"16 MetricsCollector": {"db_path?", metricscollector.New},
	"16 record_metric":    {"user_id success response_time_ms metadata?", "RecordMetric"},
	"16 open_persistence": {"config", configuration.Open},
}

type message struct {
	Seq                               int
	Type, Op, Handle, Keep, Directory string
	Args                              map[string]json.RawMessage
}

var (
	kept, open     = map[string]any{}, []any{} // by name, and all of them
	taggedNumber   = regexp.MustCompile(`\{"\$(?:int|number)":"\+?([^"]*)"\}`)
	stringOrNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]*`)
)

// convert decodes an argument into a variable of the parameter's type. It fails if Go cannot express the call.
func convert(text string, target any) (ok bool) {
	switch target := target.(type) {
	case *string:
		*target, ok = jsontext.String(json.RawMessage(text))
	case *float64: // also NaN, which is not JSON
		_, err := fmt.Sscan(text, target)
		ok = err == nil
	case **persistence.PatternLibrary: // the name of a kept one
		*target, ok = kept[strings.Trim(text, `"`)].(*persistence.PatternLibrary)
	default:
		ok = json.Unmarshal([]byte(text), target) == nil
	}
	return ok
}

// call executes an operation with the kept object that the handle names.
func call(op, handle string, args map[string]json.RawMessage) (result any, err error) {
	operation, ok := operations[op]
	if !ok {
		operation = operations[os.Args[1]+" "+op]
	}
	function := reflect.ValueOf(operation[1])
	if function.Kind() == reflect.String {
		function = reflect.ValueOf(kept[handle]).MethodByName(function.String())
	}
	var in []reflect.Value
	for i, parameter := range strings.Fields(operation[0].(string)) {
		if parameter == "*" {
			all, _ := json.Marshal(args)
			args = map[string]json.RawMessage{"*": all}
		} else if parameter == "self" {
			args["self"] = jsontext.Quote(handle)
		}
		name := strings.TrimSuffix(parameter, "?")
		text := taggedNumber.ReplaceAllString(string(args[name]), "$1")
		value := reflect.New(function.Type().In(i))
		if none := text == "" || text == "null"; none && name == parameter || !none && !convert(text, value.Interface()) {
			return nil, &agentpersistence.ValidationError{Subject: name, Reason: "is missing or of another type"}
		}
		delete(args, name)
		in = append(in, value.Elem())
	}
	for name := range args {
		return nil, &agentpersistence.ValidationError{Subject: name, Reason: "is not a parameter"}
	}
	out := function.Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	return out[0].Interface(), err
}

func failure(err error) map[string]any {
	native, kind := fmt.Sprintf("%T", err), "rejected"
	if errors.Is(err, os.ErrNotExist) {
		kind = "not_found"
	} else if native == "*agentpersistence.JSONDecodeError" {
		kind = "invalid_json"
	} else if !strings.HasPrefix(native, "*agentpersistence.") {
		kind = "other"
	}
	return map[string]any{"type": "error", "kind": kind, "native": native, "message": err.Error()}
}

func answer(request message) map[string]any {
	switch request.Type {
	case "hello":
		return map[string]any{
			"type": "ok", "protocol": 1, "spec_version": os.Args[1] + ".0.0",
			"implementation": map[string]string{"name": "agentpersistence", "version": "0.1.0", "language": "Go"},
			"capabilities":   strings.Fields(capabilities + map[string]string{"15": " state"}[os.Args[1]]),
			"inapplicable":   map[string]string{"modules": "Go links packages when a program is built"},
			"choices":        json.RawMessage(`{"U-` + strings.Join(strings.Fields(ruled), `":"ruled","U-`) + `":"ruled"}`),
		}
	case "call":
		value, err := call(request.Op, request.Handle, request.Args)
		if err != nil {
			return failure(err)
		}
		kept[request.Keep], open = value, append(open, value)
		if strings.Contains("PatternLibrary MetricsCollector StateManager open_persistence save_to_sqlite", request.Op) {
			value = nil
		}
		return map[string]any{"type": "ok", "value": value}
	}
	for _, object := range open {
		if closer, ok := object.(interface{ Close() error }); ok {
			closer.Close()
		}
	}
	kept, open = map[string]any{}, nil
	os.Chdir(request.Directory) // of begin
	return map[string]any{"type": "ok"}
}

func main() {
	requests := json.NewDecoder(os.Stdin)
	for request := (message{}); requests.Decode(&request) == nil; request = (message{}) {
		reply := answer(request)
		reply["seq"] = request.Seq
		text, _ := jsontext.Marshal(reply)
		fmt.Printf("%s\n", stringOrNumber.ReplaceAllFunc(text, func(token []byte) []byte {
			if token[0] == '"' || jsontext.IsDouble(token) {
				return token
			}
			return []byte(`{"$number":"` + string(token) + `"}`)
		}))
		if request.Type == "bye" {
			return
		}
	}
}
