import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTemporaryDirectory, isAboutDatabase, openCopy } from "../inspect/database_copy.ts";
import type { ScratchDatabase } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { readBytes, withDescriptor } from "../inspect/own_descriptor.ts";
import { suiteVersion } from "../package_root.ts";
import { isObject } from "../values/json_value.ts";
import { readStrictJson } from "../values/strict_json.ts";
import type { StrictReading } from "../values/strict_json.ts";
import { objectsOf } from "./database_objects.ts";
import { LINES, mergeFindings } from "./file_report.ts";
import type { FileKind, FileReport, JudgedAs, Line } from "./file_report.ts";
import { judgeByLine } from "./judge_by_line.ts";
import { isInteractions, misnamedMetrics, olderMetrics } from "./judge_metrics_database.ts";
import { STATE_FIELDS } from "./judge_state.ts";

/** Options of {@link checkFile}. */
export interface CheckFileOptions {
  /** The line to judge by; both by default. */
  line?: Line;
  /** The kind of the file; detected from its content by default. */
  as?: JudgedAs;
}

/** Thrown for a missing file, or one that cannot be judged. */
export class UnfitFile extends Error {}

/** JSON is judged in memory, so its size is limited. */
const LARGEST_JSON = 128 * 1024 * 1024;

/**
 * Judges an existing file without running an implementation: a pattern library or a collaboration state in JSON, a
 * pattern or metrics database in SQLite. The file is only read: a database is copied first, and the copy is opened. Its
 * views and triggers do not run.
 * @param path the file; a `-wal` or `-journal` next to a database is copied, too.
 * @returns the kind of the file, the lines that it conforms to, and the findings.
 * @throws {UnfitFile} when the file does not exist, is not a regular file, or may not be read.
 * @throws {Error} when a JSON file is larger than 128 MiB, or a database changes during the copy.
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { checkFile } from "@perdura/conformance";
 *
 * writeFileSync("library.json", '{"patterns": [], "agent_contributions": {}, "metadata": {"version": "1.0"}}');
 * const report = checkFile("library.json", { line: "16" });
 * console.log(report.conforms, report.findings.map(({ requirement }) => requirement).includes("R-2.4/metadata")); // false true
 * ```
 */
export function checkFile(path: string, options: CheckFileOptions = {}): FileReport {
  const bytes = sizeOf(path);
  const lines = options.line === undefined ? LINES : [options.line];
  const { kind, byLine } = judgeAs(path, bytes, lines, options.as);
  const findings = mergeFindings(byLine);
  const judged = lines.map((line) => ({
    line,
    conforms: !findings.some(({ level, concerns }) => level === "error" && concerns.includes(line)),
  }));
  return {
    report: "file",
    suite: suiteVersion(),
    file: path,
    kind,
    as: options.as ?? null,
    lines: judged,
    conforms: judged.some(({ conforms }) => conforms),
    findings,
  };
}

type Judgement = { kind: FileKind; byLine: Map<Line, Finding[]> };

/** Only regular files are opened, because reading a pipe would wait for a writer. */
function sizeOf(path: string): number {
  try {
    const state = statSync(path);
    if (!state.isFile())
      throw new UnfitFile(`${path} is ${state.isDirectory() ? "a directory" : "not a regular file"}; expected a file`);
    hasSqliteHeader(path);
    return state.size;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") throw new UnfitFile(`${path}: no such file`, { cause: error });
    if (code === "EACCES" || code === "EPERM")
      throw new UnfitFile(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    throw error;
  }
}

function judgeAs(path: string, bytes: number, lines: readonly Line[], as: JudgedAs | undefined): Judgement {
  if (bytes === 0) return { kind: as ?? "other", byLine: judgeByLine("empty", {}, lines) };
  const database = as === undefined ? hasSqliteHeader(path) : as.endsWith("-database");
  return database ? judgeDatabaseFile(path, lines, as) : judgeJsonFile(path, bytes, lines, as);
}

function judgeJsonFile(path: string, bytes: number, lines: readonly Line[], as: JudgedAs | undefined): Judgement {
  if (bytes > LARGEST_JSON)
    throw new Error(`${path} has ${bytes} bytes; JSON files of at most ${LARGEST_JSON} bytes can be judged`);
  const reading = readStrictJson(withDescriptor(path, (descriptor) => readBytes(descriptor, 0, bytes)));
  const kind = as ?? recogniseDocument(reading);
  return { kind, byLine: judgeByLine(kind, { reading }, lines) };
}

function judgeDatabaseFile(path: string, lines: readonly Line[], as: JudgedAs | undefined): Judgement {
  assertOwnLog(path);
  const scratch = inTemporaryDirectory(tmpdir(), () => mkdtempSync(join(tmpdir(), "perdura-check-file-")));
  let copy: ScratchDatabase | undefined;
  try {
    copy = openCopy(path, scratch);
    const kind = as ?? recogniseDatabase(copy);
    return { kind, byLine: judgeByLine(kind, { copy }, lines) };
  } catch (error) {
    const ofDriver = String((error as { code?: unknown }).code).startsWith("SQLITE_");
    throw ofDriver
      ? new Error(`cannot judge ${path} on this machine: ${(error as Error).message}`, { cause: error })
      : error;
  } finally {
    copy?.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const HEADER = "SQLite format 3\0";

/** True if the file begins with the header of SQLite databases. */
function hasSqliteHeader(path: string): boolean {
  return headOf(path, HEADER.length).toString("latin1") === HEADER;
}

const headOf = (path: string, length: number): Buffer =>
  withDescriptor(path, (descriptor) => readBytes(descriptor, 0, length));

/**
 * SQLite creates a write-ahead log only after it has noted this in the header. Next to another database, such as a
 * restored backup, it would mix the rows of the two.
 * @throws {UnfitFile} for a log of another database.
 */
function assertOwnLog(path: string): void {
  const header = headOf(path, 20);
  const log = `${realpathSync(path)}-wal`;
  const isRollback = header[18] === 1 && header[19] === 1;
  if (isRollback && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new UnfitFile(
      `${path} cannot be judged: its log ${log} belongs to another database, which was here before. Move the log to another directory, then try again`,
    );
}

/** Kind of a JSON document, by its keys; of an invalid one, by the first known key in its text. */
function recogniseDocument({ value, text }: StrictReading): FileKind {
  if (value === undefined) {
    if (!/^\s*[[{"]/.test(text)) return "other";
    const key = /"(patterns|agent_contributions|trust_level)"\s*:/.exec(text.slice(0, 65_536))?.[1];
    return key === undefined ? "json" : key === "trust_level" ? "state" : "library";
  }
  if (!isObject(value)) return "json";
  const has = (key: string): boolean => Object.hasOwn(value, key);
  if (has("interactions") && (has("global") || has("users"))) return "metrics-export";
  if (has("patterns") || has("agent_contributions")) return "library";
  const fields = Object.keys(STATE_FIELDS).filter(has).length;
  return has("trust_level") || fields >= 3 ? "state" : "json";
}

/** Kind of a database, by the names of its tables and their columns. */
function recogniseDatabase(copy: ScratchDatabase): FileKind {
  try {
    const objects = objectsOf(copy);
    const patterns = objects.has("patterns") || objects.has("pattern_usage");
    const metrics =
      isInteractions(objects.get("interactions")) || (olderMetrics(objects) ?? misnamedMetrics(objects)) !== undefined;
    if (patterns && metrics) return "combined-database";
    if (patterns) return "patterns-database";
    return metrics ? "metrics-database" : "sqlite";
  } catch (error) {
    if (!isAboutDatabase(error)) throw error;
    // A file that SQLite cannot read has no kind; the judgement reports the error.
    return "sqlite";
  }
}
