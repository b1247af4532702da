import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readCorpus } from "../corpus/corpus.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { handOver } from "../inspect/hand_over.ts";
import { packageRoot, suiteVersion } from "../package_root.ts";
import { applies } from "../runner/selection.ts";
import { inRange } from "../runner/version_range.ts";
import type { JsonObject } from "../values/json_value.ts";
import { flatten } from "./flatten.ts";
import { README } from "./readme.ts";

/** What {@link exportCases} wrote. */
export interface ExportResult {
  cases: number;
  files: number;
}

/**
 * Writes everything that a runner in another language needs: cases for one version with all data in place, the files
 * that they hand over, ready-made, the requirements, the schemas, and `manifest.json` with the SHA-256 of each file.
 * @param version a full version of the specification, such as `16.0.0`.
 * @param directory must not exist or be empty; nothing is replaced.
 * @throws {Error} when the directory holds something.
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
    throw new Error(`${directory} is not empty: give a new directory. Nothing was written.`);
  const { requirements, cases, shared } = readCorpus();
  const selected = cases.filter((loaded) => applies(loaded, version));
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

/** The file of a hand-over step, made once and named by the step. */
function handOverAsFile(
  step: Parameters<typeof handOver>[0],
  index: number,
  loaded: LoadedCase,
  directory: string,
): JsonObject {
  const folder = `files/${loaded.case.id}/${index + 1}`;
  const scratch = mkdtempSync(join(tmpdir(), "perdura-export-"));
  try {
    handOver(step, join(directory, folder), scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return { put: step.put, file: `${folder}/${step.put}` };
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
