import { closeSync, openSync, readSync } from "node:fs";
import { isAboutDatabase } from "../inspect/database_copy.ts";
import type { ScratchDatabase } from "../inspect/database_copy.ts";
import { isObject } from "../values/json_value.ts";
import type { StrictReading } from "../values/strict_json.ts";
import { objectsOf } from "./database_objects.ts";
import type { FileKind } from "./file_report.ts";
import { STATE_FIELDS } from "./judge_state.ts";
import { isInteractions, olderMetrics } from "./older_metrics.ts";

const HEADER = "SQLite format 3\0";

/** True when the file begins as every SQLite database does. */
export function hasSqliteHeader(path: string): boolean {
  const head = Buffer.alloc(HEADER.length);
  const file = openSync(path, "r");
  try {
    return readSync(file, head, 0, head.length, 0) === head.length && head.toString("latin1") === HEADER;
  } finally {
    closeSync(file);
  }
}

/** What a JSON document is, by its keys; what was to be one, by the first telling key in its text. */
export function recogniseDocument({ value, text }: StrictReading): FileKind {
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

/** What a database is, by the names of its tables and their columns. */
export function recogniseDatabase(copy: ScratchDatabase): FileKind {
  try {
    const objects = objectsOf(copy);
    const patterns = objects.has("patterns") || objects.has("pattern_usage");
    const metrics = isInteractions(objects.get("interactions")) || olderMetrics(objects) !== undefined;
    if (patterns && metrics) return "combined-database";
    if (patterns) return "patterns-database";
    return metrics ? "metrics-database" : "sqlite";
  } catch (error) {
    if (!isAboutDatabase(error)) throw error;
    // A file that SQLite cannot read is told apart by nothing; what it says is told by the judgement.
    return "sqlite";
  }
}
