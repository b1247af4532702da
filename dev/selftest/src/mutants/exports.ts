import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { exports, exportsRows, opens, runs } from "./metrics_mutations.ts";
import { alters, answers, ok, receives, rowIn } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = rowIn("export");

/** Assigns the members one by one, as in a language whose objects have a prototype. */
function assigned(members: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(members)) copy[key] = member;
  return copy;
}

/** Changes the file after an export. */
const afterwards = (work: (file: string) => void): Mutation =>
  answers("export_metrics", (answer, request) => {
    if (answer.type === "ok") work(String(request.args.filepath));
    return answer;
  });

function appends(): Mutation {
  let old = "";
  return {
    before(request) {
      const file = String(request.args.filepath);
      if (request.op === "export_metrics") old = existsSync(file) ? readFileSync(file, "utf8") : "";
      return request;
    },
    ...afterwards((file) => writeFileSync(file, old + readFileSync(file, "utf8"))),
  };
}

function exportsOnce(): Mutation {
  let exported = 0;
  return exports(".jsonl", (text) => {
    exported += 1;
    return exported === 1 ? text : "";
  });
}

/** Exports of metrics with a fault. */
export const EXPORTS: readonly Mutant[] = [
  // Faults of the content.
  wrong(
    "exports JSON for every extension",
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
    "returns no number of interactions",
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
    "exports CSV with the line ends of its platform",
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
    "U-export",
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
    "drops unknown columns",
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
    "R-4.2/export-metrics",
    15,
    "many",
    exports(".csv", (text) => text.split("\r\n").slice(0, 1001).join("\r\n")),
  ),

  // Faults with files, and hardening.
  wrong(
    "leaves an export under its temporary name",
    "R-4.2/export-metrics",
    16,
    "written",
    afterwards((file) => renameSync(file, `${file}.tmp`)),
  ),
  wrong(
    "reports an export that it does not write",
    "R-4.2/export-metrics",
    15,
    "written",
    afterwards((file) => rmSync(file)),
  ),
  wrong(
    "writes no file for an empty database",
    "U-export",
    15,
    "empty",
    afterwards((file) => rmSync(file)),
  ),
  wrong("appends to an older export", "U-export", 16, "replaces", appends()),
  wrong("exports CSV for any unknown extension", "U-export", 15, "unknown-extension", {
    ...receives("export_metrics", (args) => ({ filepath: `${String(args.filepath)}.csv` })),
  }),
  wrong(
    "reads the extension from the first dot",
    "U-export",
    16,
    "dots-in-name",
    receives("export_metrics", (args) => ({ filepath: String(args.filepath).replace(/(\.[^./]+)\.[^./]+$/, "$1") })),
  ),
  wrong(
    "empties the file before it checks the extension",
    "U-export",
    16,
    "unknown-extension",
    receives("export_metrics", (args) => {
      writeFileSync(String(args.filepath), "");
      return args;
    }),
  ),
  wrong(
    "creates directories for exports",
    "U-missing-directory",
    16,
    "missing-directory",
    receives("export_metrics", (args) => {
      mkdirSync(dirname(String(args.filepath)), { recursive: true });
      return args;
    }),
  ),
  wrong(
    "leaves copies of older exports",
    "X-no-leftovers",
    16,
    "no-leftovers",
    afterwards((file) => writeFileSync(`${file}.bak`, "")),
  ),
  wrong("exports only new interactions", "X-repeatable", 16, "repeatable", exportsOnce()),
  wrong(
    "deletes exported interactions",
    "X-files-untouched",
    15,
    "database-untouched",
    alters("DELETE FROM interactions"),
  ),
];
