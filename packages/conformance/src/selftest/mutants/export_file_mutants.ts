import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { exports } from "./metrics_mutations.ts";
import { alters, answers, receives, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `export/${kills}`, mutation);

/** Does something to the file after an export. */
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

/** Exports that do something wrong to files, and hardening. */
export const EXPORT_FILE_MUTANTS: readonly Mutant[] = [
  wrong(
    "leaves an export under its temporary name",
    "R-4.2/export-metrics",
    16,
    "written",
    afterwards((file) => renameSync(file, `${file}.tmp`)),
  ),
  wrong(
    "only seems to export",
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
  wrong("takes any extension for CSV", "U-export", 15, "unknown-extension", {
    ...receives("export_metrics", (args) => ({ filepath: `${String(args.filepath)}.csv` })),
  }),
  wrong(
    "takes what follows the first dot for the extension",
    "U-export",
    16,
    "dots-in-name",
    receives("export_metrics", (args) => ({ filepath: String(args.filepath).replace(/(\.[^./]+)\.[^./]+$/, "$1") })),
  ),
  wrong(
    "empties the file before it looks at the extension",
    "U-export",
    16,
    "unknown-extension",
    receives("export_metrics", (args) => {
      writeFileSync(String(args.filepath), "");
      return args;
    }),
  ),
  wrong(
    "makes directories for exports",
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
  wrong("exports only what is new", "X-repeatable", 16, "repeatable", exportsOnce()),
  wrong(
    "clears what it has exported",
    "X-files-untouched",
    15,
    "database-untouched",
    alters("DELETE FROM interactions"),
  ),
];
