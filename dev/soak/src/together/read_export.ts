import { readFileSync } from "node:fs";
import type { GlobalStats, UserStats } from "@perdura/v16";
import type { FoundRow } from "./judge_rows.ts";

/** An export, read by code that knows only the documented formats. */
export interface Exported {
  rows: FoundRow[];
  /** Empty if the format has no statistics. */
  users: [string, UserStats][];
  global: GlobalStats | undefined;
}

/** Reads an export of a crowd's rows. */
export function readExport(file: string, levelColumn: string): Exported {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".csv")) return { rows: csvRows(text, levelColumn), users: [], global: undefined };
  const rowOf = (row: Record<string, unknown>): FoundRow => ({
    ...(row as unknown as FoundRow),
    level: row[levelColumn],
    metadata: row["metadata"] === null ? null : JSON.stringify(row["metadata"]),
  });
  if (file.endsWith(".jsonl")) {
    const lines = text.split("\n");
    if (lines.pop() !== "") throw new Error(`${file}: the last line is incomplete`);
    return { rows: lines.map((line) => rowOf(JSON.parse(line))), users: [], global: undefined };
  }
  const document = JSON.parse(text) as {
    users: Record<string, UserStats>;
    global: GlobalStats;
    interactions: Record<string, unknown>[];
  };
  return {
    rows: document.interactions.map(rowOf),
    users: Object.entries(document.users),
    global: document.global,
  };
}

const CSV_ROW = /^(\d+),([^,]+),(\d),(true|false),([\d.]+),([^,]+),(?:"(.*)")?$/;

function csvRows(text: string, levelColumn: string): FoundRow[] {
  const [header, ...lines] = text.split("\r\n");
  const expected = `id,user_id,${levelColumn},success,response_time_ms,timestamp,metadata`;
  if (header !== expected) throw new Error(`the header of a CSV file is ${header}, expected ${expected}`);
  if (lines.pop() !== "") throw new Error("the last line of a CSV file is incomplete");
  return lines.map((line) => {
    const [, id, user = "", level, success, time, , metadata] = CSV_ROW.exec(line) ?? [];
    if (id === undefined) throw new Error(`a CSV file has the invalid line ${line}`);
    return {
      id: Number(id),
      user_id: user,
      level: Number(level),
      success: success === "true",
      response_time_ms: Number(time),
      metadata: metadata?.replaceAll('""', '"') ?? null,
    };
  });
}
