import type { Write } from "../files/atomic_write.ts";
import { isPlainObject } from "../json/values.ts";
import type { LevelColumn } from "./schema.ts";

/** One row as it comes from the database; types other than the specification's can come from other programs. */
export interface StoredInteraction {
  id: number;
  user_id: string;
  level: unknown;
  /** 1 where SQLite's `CASE WHEN success` holds, as in the statistics; else 0. */
  success: 0 | 1;
  response_time_ms: unknown;
  timestamp: string | null;
  /** The stored text, or null. */
  metadata: string | null;
}

/** What a format needs to know of the line. */
interface Line {
  levelColumn: LevelColumn;
}

/** Writes interactions one at a time in one file format. */
export interface InteractionWriter {
  begin(): void;
  interaction(row: StoredInteraction): void;
  end(): void;
}

/** One line of JSON; metadata goes in as the text that is stored, so that no number in it is rounded. */
export function interactionJson(row: StoredInteraction, levelColumn: LevelColumn): string {
  const fields = JSON.stringify({
    id: row.id,
    user_id: row.user_id,
    [levelColumn]: row.level,
    success: row.success === 1,
    ...responseTime(row.response_time_ms),
    timestamp: row.timestamp,
  });
  return `${fields.slice(0, -1)},${metadataMember(row.metadata)}}`;
}

/** Times of older programs may be infinite or text, which no number of JSON is: they are kept as text under another name. */
function responseTime(time: unknown): Record<string, unknown> {
  if (time === null || (typeof time === "number" && Number.isFinite(time))) return { response_time_ms: time };
  return { response_time_ms: null, response_time_text: String(time) };
}

/** Metadata of older programs may be no JSON (`NaN`): it is kept as text under another name. */
function metadataMember(text: string | null): string {
  if (text === null) return '"metadata":null';
  try {
    if (isPlainObject(JSON.parse(text))) return `"metadata":${text.replaceAll(/[\r\n]/g, " ")}`;
  } catch {
    // Not JSON: falls through to the text form.
  }
  return `"metadata":null,"metadata_text":${JSON.stringify(text)}`;
}

export function jsonLinesWriter(write: Write, { levelColumn }: Line): InteractionWriter {
  return {
    begin: () => undefined,
    interaction: (row) => write(`${interactionJson(row, levelColumn)}\n`),
    end: () => undefined,
  };
}

/** RFC 4180: CRLF line ends, a header, quotes where needed and doubled inside. */
export function csvWriter(write: Write, { levelColumn }: Line): InteractionWriter {
  return {
    begin: () => write(`id,user_id,${levelColumn},success,response_time_ms,timestamp,metadata\r\n`),
    interaction: (row) => {
      const cells = [
        row.id,
        row.user_id,
        row.level,
        row.success === 1,
        row.response_time_ms,
        row.timestamp,
        row.metadata,
      ];
      write(`${cells.map(csvCell).join(",")}\r\n`);
    },
    end: () => undefined,
  };
}

function csvCell(value: unknown): string {
  if (value === null) return "";
  const text = String(value);
  // Empty text is quoted, so that it differs from no value.
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
