import { isObject } from "../../values/json_value.ts";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { exports, exportsRows, opens, runs } from "./metrics_mutations.ts";
import { answers, ok, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `export/${kills}`, mutation);

/** As a language does whose objects have a prototype. */
function assigned(members: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(members)) copy[key] = member;
  return copy;
}

/** Exports that are wrong. */
export const EXPORT_MUTANTS: readonly Mutant[] = [
  wrong(
    "exports JSON whatever the extension says",
    "U-export",
    16,
    "by-extension",
    exports(".jsonl", (text) => JSON.stringify({ interactions: text.trimEnd().split("\n") }, null, 2)),
  ),
  wrong(
    "exports interactions only",
    "U-export",
    15,
    "json",
    exports(".json", (text) => JSON.stringify((JSON.parse(text) as JsonObject).interactions)),
  ),
  wrong(
    "gives no number of interactions",
    "U-export",
    16,
    "json",
    answers("export_metrics", (answer) => ok(answer)),
  ),
  wrong(
    "exports JSON Lines with line ends inside",
    "U-export",
    16,
    "jsonl",
    exports(".jsonl", (text) => text.replaceAll(/^.+$/gm, (line) => JSON.stringify(JSON.parse(line), null, 1))),
  ),
  wrong(
    "exports CSV without a header",
    "U-export",
    15,
    "csv",
    exports(".csv", (text) => text.slice(text.indexOf("\n") + 1)),
  ),
  wrong(
    "exports CSV with semicolons",
    "U-export",
    16,
    "csv",
    exports(".csv", (text) => text.replaceAll(",", ";")),
  ),
  wrong(
    "exports CSV with the line ends of its machine",
    "U-export",
    16,
    "csv",
    exports(".csv", (text) => text.replaceAll("\r\n", "\n")),
  ),
  wrong(
    "escapes quotes in CSV with a backslash",
    "U-export",
    15,
    "csv-quoting",
    exports(".csv", (text) => text.replaceAll('""', '\\"')),
  ),
  wrong(
    "rounds numbers in exported metadata",
    "U-numbers",
    16,
    "metadata",
    exportsRows((interaction) => interaction),
  ),
  wrong(
    "exports no metadata",
    "U-export",
    15,
    "metadata",
    exportsRows(({ metadata: _left, ...rest }) => rest),
  ),
  wrong(
    "exports missing response times as 0",
    "U-export",
    16,
    "missing-values",
    exportsRows((interaction) => ({ ...interaction, response_time_ms: interaction.response_time_ms ?? 0 })),
  ),
  wrong(
    "drops columns that it does not know",
    "X-foreign-objects",
    16,
    "foreign-columns",
    opens(runs("ALTER TABLE interactions DROP COLUMN metadata")),
  ),
  wrong(
    "assigns users to an object with a prototype",
    "X-ordinary-keys",
    16,
    "ordinary-keys",
    exports(".json", (text) => {
      const document = JSON.parse(text) as { [key: string]: JsonValue };
      return JSON.stringify({ ...document, users: isObject(document.users) ? assigned(document.users) : {} });
    }),
  ),
  wrong(
    "exports one page of interactions",
    "X-many",
    15,
    "many",
    exports(".csv", (text) => text.split("\r\n").slice(0, 1001).join("\r\n")),
  ),
];
