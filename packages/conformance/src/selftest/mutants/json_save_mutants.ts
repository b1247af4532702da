import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readIfThere, refusal } from "./json_faults.ts";
import { appends, gathers, keepsOlder, renames, savesOnce } from "./json_memory_faults.ts";
import { answers, receives, rewrites, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Saving that goes wrong, or to the wrong place, or against the ruling (section 4.1). */
export const JSON_SAVE_MUTANTS: readonly Mutant[] = [
  row(
    "renames a field",
    "R-4.1/save-to-json",
    16,
    "patterns-json/file-layout",
    rewrites((text) => text.replace('"pattern_type"', '"type"')),
  ),
  row(
    "writes a byte order mark",
    "R-4.1/save-to-json",
    15,
    "patterns-json/file-layout",
    rewrites((text) => `\uFEFF${text}`),
  ),
  row(
    "adds .json to a file name",
    "R-4.1/save-to-json",
    16,
    "patterns-json/file-name",
    renames((file) => (file.endsWith(".json") ? file : `${file}.json`)),
  ),
  row(
    "writes blanks of a file name as another character",
    "R-4.1/save-to-json",
    15,
    "patterns-json/file-name",
    renames((file) => file.replaceAll(" ", "_")),
  ),
  row(
    "keeps the patterns of all libraries in one place",
    "R-4.1/save-to-json",
    16,
    "patterns-json/two-libraries",
    gathers(),
  ),
  row(
    "cannot save a library without patterns",
    "R-4.1/empty",
    16,
    "patterns-json/empty-library",
    answers("save_to_json", (answer, request) =>
      readIfThere(request.args.filepath as string)?.includes('"pattern_count": 0') ? refusal(answer) : answer,
    ),
  ),
  row(
    "writes null for no patterns",
    "R-4.1/empty",
    15,
    "patterns-json/empty-library",
    rewrites((text) => text.replace('"patterns": []', '"patterns": null')),
  ),
  row("adds to the file that is there", "U-save-existing", 16, "patterns-json/save-replaces", keepsOlder("newer")),
  row(
    "leaves patterns alone that are there",
    "U-save-existing",
    15,
    "patterns-json/save-over-known-id",
    keepsOlder("older"),
  ),
  row("appends to the file that is there", "U-save-existing", 16, "patterns-json/save-over-broken-file", appends()),
  row(
    "makes a directory that is missing",
    "U-missing-directory",
    15,
    "patterns-json/missing-directory",
    receives("save_to_json", (args) => (mkdirSync(dirname(args.filepath as string), { recursive: true }), args)),
  ),
  row(
    "leaves a directory behind a refused save",
    "U-missing-directory",
    16,
    "patterns-json/missing-directory",
    answers("save_to_json", (answer, request) => {
      const file = request.args.filepath as string;
      if (answer.type === "error") {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, "");
      }
      return answer;
    }),
  ),
  row(
    "has ids of 255 characters at most",
    "U-limits",
    16,
    "patterns-json/limits",
    answers("save_to_json", (answer, request) =>
      /"id": ".{256}/.test(readIfThere(request.args.filepath as string) ?? "") ? refusal(answer) : answer,
    ),
  ),
  row("saves a library once", "U-lifecycle", 15, "patterns-json/any-order", savesOnce()),
];
