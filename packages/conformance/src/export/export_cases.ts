import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Case, Step } from "../corpus/case.ts";
import { readCorpus } from "../corpus/corpus.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { provideFile } from "../inspect/provide_file.ts";
import { fillIn } from "../matching/scope.ts";
import { packageRoot, suiteVersion } from "../package_root.ts";
import { applies, neededCapabilities } from "../runner/selection.ts";
import { inRange, lineOfVersion } from "../corpus/version_range.ts";
import { sampleSequences } from "../generator/sequence_kinds.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** Numbers that {@link exportCases} returns. */
export interface ExportResult {
  cases: number;
  files: number;
}

/**
 * Writes the files that a runner in another language needs: cases for one version with all data filled in, their
 * ready-made input files, sequences of the generated cases, the requirements, the schemas, and `manifest.json` with the SHA-256 of each file.
 * @param version a full version of the specification, such as `16.0.0`.
 * @param directory must be empty or not exist; no file is replaced.
 * @throws {Error} when the directory is not empty.
 * @example
 * ```ts
 * import { exportCases } from "@perdura/conformance";
 *
 * const { cases } = exportCases("16.0.0", "cases-16");
 * console.log(cases > 300); // true
 * ```
 */
export function exportCases(version: string, directory: string): ExportResult {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new Error(`${directory} is not empty. Nothing was written. Choose a new directory`);
  const { requirements, cases, shared } = readCorpus();
  const selected = cases.filter((loaded) => applies(loaded, version)).flatMap((loaded) => ready(loaded, version));
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  };
  for (const loaded of selected) {
    const flat = flatten(loaded, version, shared, (step, index) => handOverAsFile(step, index, loaded, directory));
    write(`cases/${loaded.case.id}.json`, json(flat));
  }
  const rows = [...requirements.values()].filter((row) => inRange(version, row.versions));
  write("requirements.json", json(rows));
  write("README.md", README(version));
  cpSync(join(packageRoot(), "schemas"), join(directory, "schemas"), { recursive: true });
  const files = listFiles(directory);
  write("manifest.json", json({ suite: suiteVersion(), spec_version: version, files }));
  return { cases: selected.length, files: files.length };
}

/** Number of sequences of a generated case that are exported, each as a case. */
const SEQUENCES = 20;

/** The case itself, or one for each sequence of a generated case. */
function ready(loaded: LoadedCase, version: string): LoadedCase[] {
  const generate = loaded.case.steps.find((step) => "generate" in step);
  if (generate === undefined) return [loaded];
  const judged = { line: lineOfVersion(version), inServer: false };
  return sampleSequences(generate, judged, SEQUENCES).map((steps, index) => {
    const id = `${loaded.case.id}-${String(index + 1).padStart(2, "0")}`;
    return { ...loaded, case: { ...loaded.case, id, steps } };
  });
}

/** Writes the file of a `put` step once; the step then names it. */
function handOverAsFile(
  step: Parameters<typeof provideFile>[0],
  index: number,
  loaded: LoadedCase,
  directory: string,
): JsonObject {
  const folder = `files/${loaded.case.id}/${index + 1}`;
  const scratch = mkdtempSync(join(tmpdir(), "perdura-export-"));
  try {
    provideFile(step, join(directory, folder), scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const mode = step.mode === undefined ? {} : { mode: step.mode };
  return { put: step.put, file: `${folder}/${step.put}`, ...mode };
}

/** Every file with its size and checksum, in the order of the names. */
function listFiles(directory: string): { path: string; bytes: number; sha256: string }[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => {
      const content = readFileSync(file);
      const path = file.slice(directory.length + 1).replaceAll("\\", "/");
      return { path, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
    });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A self-contained case: one version, requirements in words, all named data filled in. */
interface FlatCase {
  id: string;
  title: string;
  level: string;
  requirements: { id: string; section: string; statement: string }[];
  capabilities: string[];
  /** Rulings that the steps rely on without checking them. */
  assumes: string[];
  steps: JsonObject[];
}

/**
 * Flattens one case for one version: steps of other versions are left out, `$data` and `$repeat` are filled in. `$path`
 * (below the case's directory), `$var` and the matchers stay, because only a run can resolve them.
 * @param put converts a `put` step with a content into one that names a file of the export.
 */
function flatten(
  loaded: LoadedCase,
  version: string,
  shared: Record<string, JsonValue>,
  put: (step: Extract<Step, { put: string }>, index: number) => JsonObject,
): FlatCase {
  const tested: Case = loaded.case;
  const data = { ...shared, ...tested.data };
  const steps = tested.steps
    .filter((step) => step.versions === undefined || inRange(version, step.versions))
    .map((step, index) => {
      const isFile = "put" in step && step.link === undefined && step.symlink === undefined;
      const { versions: _, ...rest } = isFile ? { ...put(step, index), versions: "" } : step;
      return fillIn(rest as unknown as JsonValue, data) as JsonObject;
    });
  return {
    id: tested.id,
    title: tested.title,
    level: loaded.level,
    requirements: loaded.requirements.map(({ id, section, statement }) => ({ id, section, statement })),
    capabilities: neededCapabilities(loaded, version),
    assumes: tested.assumes ?? [],
    steps,
  };
}

/** The README of exported cases: how a custom runner reads them. */
const README = (version: string): string => `# Conformance cases for specification ${version}

For a runner in any language, without the adapter protocol.

- \`cases/<area>/<name>.json\`: one behaviour each. \`requirements\` lists the requirements that it checks, \`capabilities\` the
  capabilities that it needs, \`level\` its weight: \`must\`, \`should\`, \`observe\` (the specification is silent;
  report, do not fail) or \`extra\` (never counts). Skip a case if the implementation does not follow this suite's
  rulings on the questions in \`assumes\`.
- \`files/\`: the input files of the cases. A \`-wal\` file next to a database belongs to it.
- \`requirements.json\`: all requirements of this version; open questions with their known answers.
- \`schemas/\`: the schemas of all formats.
- \`manifest.json\`: size and SHA-256 of every file.

## Running a case

Create an empty directory and run the steps in order.

- \`put\`: copy \`file\` to this name in the directory, or give the existing file \`link\` this second name (a hard link), or
  make a symbolic link to \`symlink\`. \`mode\` is the permissions of the file; without such permissions and links, skip the case.
- \`call\`: call the operation with \`args\`, on the object kept as \`handle\`. Keep the returned object as \`keep\`; save
  the answer as \`bind\`. \`{"$path": "x"}\` is \`x\` inside the directory, \`{"$var": "x"}\` a saved answer.
  \`expect\` is the value (\`ok\`), the kind of error (\`error\`), parts of the value by JSON Pointer (\`checks\`),
  an expectation for each known answer to an open question (\`answers\`), or any answer, if a later step checks the
  effect (\`any\`). Without \`expect\`, the call must succeed. Repeat it \`times\` times; \`{n}\` in its texts is the
  number of the call, from 1. While another program holds the lock of a writer on the database \`locked\`, and releases
  it after a moment, begin the call; with \`until\`, it releases it after the answer, or after six seconds. With \`may_fail\`, an error is legal and ends the case.
- \`write\`: run \`statements\` on the database as another program, in one transaction; it must not be locked.
  With \`open\`, the kept objects stay open, and if they have locked the database, the case ends.
- \`age\`: set the times of a file, or of all files below a directory, to \`days\` days ago.
- \`next_second\`: wait until the clock shows another second; the kept objects stay open.
- \`kill\`: end the process of the implementation without a warning, at once after the answer of the last call; the
  steps after it look at the files that it left, or call it in a new process.
- \`settle\`, \`inspect\`, \`write\`, \`age\` and \`put\` first close all kept objects. \`inspect\` then opens the file: as strict JSON,
  as a copy of an SQLite database (\`scratch\` statements are run and rolled back), as text, by its permissions (\`mode\`), as lines of JSON (\`jsonl\`), or as CSV according to RFC 4180, with header and rows (\`csv\`). For \`library\`,
  \`state\`, \`patterns-database\` and \`metrics-database\`, judge the file like \`perdura-conformance check-file\`.
  \`meets\` is a requirement: judge the database in this way, too; no error about the requirement may be reported, nor
  an error that prevents its judgement, such as a missing table.

Values are compared strictly at every depth, numbers by value. \`{"$int": "…"}\` and \`{"$number": "…"}\` are numbers that
a double would change. Matchers: \`$set\` (an array in any order), \`$near\` [value, tolerance], \`$between\` [low, high],
\`$type\`, \`$absentOr\` (missing or this), \`$oneOf\`, \`$timestamp\` (\`seconds\`, \`local\`, \`sql\`, \`any\`; with \`recent\`
the current time, with \`moment\` that time in any form), \`$any\`.
`;
