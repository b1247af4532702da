import { ValidationError } from "../errors/errors.ts";
import type { Write } from "../files/atomic_write.ts";
import { assertPath } from "../files/places.ts";
import { isPlainObject } from "../json/values.ts";
import { quote } from "../text/describe.ts";
import type { LevelColumn } from "./schema.ts";
import type { GlobalStats, UserStats } from "./stats.ts";

/**
 * One row of the database, with its columns in the order of an export. Rows of other programs may have types that the
 * specification does not allow.
 */
export interface StoredInteraction extends Partial<Record<LevelColumn, unknown>> {
  /** As text if a double would round it. */
  id: number | string;
  user_id: string;
  /** 1 if SQLite's `CASE WHEN success` is true, as in the statistics; otherwise 0. */
  success: 0 | 1 | boolean;
  response_time_ms: unknown;
  timestamp: unknown;
  /** The stored text, or null. */
  metadata: string | null;
}

/** Facts that the formats need. */
export interface ExportFacts {
  levelColumn: LevelColumn;
  /** Time of the export, in the form of pattern documents. */
  exportedAt: string;
}

/** Writes statistics and interactions one at a time in one file format. */
export interface ExportWriter {
  /** True if the format contains statistics of users, which are written before the interactions. */
  readonly hasUsers: boolean;
  begin(global: GlobalStats): void;
  user(userId: string, stats: UserStats): void;
  interaction(row: StoredInteraction): void;
  end(): void;
}

/** Returns the writer of the format that an extension names (ruling U-export). */
export function exportFormat(filepath: string): (write: Write, facts: ExportFacts) => ExportWriter {
  assertPath("filepath", filepath);
  const extension = /\.[^./\\]*$/.exec(filepath)?.[0].toLowerCase() ?? "";
  const format = Object.hasOwn(FORMATS, extension) ? FORMATS[extension as keyof typeof FORMATS] : undefined;
  if (format !== undefined) return format;
  throw new ValidationError(
    `expected a name ending in .json, .jsonl or .csv, got ${quote(filepath)}. Nothing was written.`,
    { argument: "filepath" },
  );
}

const FORMATS = { ".json": jsonWriter, ".jsonl": jsonLinesWriter, ".csv": csvWriter } as const;

/** One document: `metadata`, `users`, `global`, `interactions`. */
function jsonWriter(write: Write, { levelColumn, exportedAt }: ExportFacts): ExportWriter {
  let separator = "\n";
  let afterUsers: string | undefined;
  const item = (text: string): void => {
    write(`${separator}    ${text}`);
    separator = ",\n";
  };
  const texts = new InteractionTexts(levelColumn, ",\n    ", item);
  const endUsers = (): void => {
    if (afterUsers === undefined) return;
    write(`${separator === "\n" ? "" : "\n  "}${afterUsers}`);
    separator = "\n";
    afterUsers = undefined;
  };
  return {
    hasUsers: true,
    begin: (global) => {
      const metadata = { exported_at: exportedAt, interaction_count: global.total_interactions };
      write(`{\n  "metadata": ${JSON.stringify(metadata)},\n  "users": {`);
      afterUsers = `},\n  "global": ${JSON.stringify(global)},\n  "interactions": [`;
    },
    user: (userId, stats) => item(`${JSON.stringify(userId)}: ${JSON.stringify(stats)}`),
    interaction: (row) => {
      endUsers();
      texts.add(row);
    },
    end: () => {
      endUsers();
      texts.end();
      write(`${separator === "\n" ? "" : "\n  "}]\n}\n`);
    },
  };
}

/** Number of rows that are converted to JSON together. With more rows, the peak memory grows. */
const BATCH = 50;

/** Maximum length of texts in such rows. */
const SHORT = 100;

/** Converts interactions to JSON. Nearly all rows can be converted many at a time, which takes a quarter less time. */
class InteractionTexts {
  readonly #levelColumn: LevelColumn;
  readonly #between: string;
  readonly #put: (text: string) => void;
  #rows: StoredInteraction[] = [];

  /**
   * @param between Text between two interactions.
   * @param put Receives the text of one or more interactions.
   */
  constructor(levelColumn: LevelColumn, between: string, put: (text: string) => void) {
    this.#levelColumn = levelColumn;
    this.#between = between;
    this.#put = put;
  }

  add(row: StoredInteraction): void {
    if (!this.#isOrdinary(row)) {
      this.end();
      return this.#put(interactionJson(row, this.#levelColumn));
    }
    row.success = row.success === 1;
    if (this.#rows.push(row) === BATCH) this.end();
  }

  /** Passes on the rows that were not passed on yet. */
  end(): void {
    if (this.#rows.length === 0) return;
    // The rows are flat, and a quote in a text is escaped: these characters are always the end of a row and the
    // beginning of the next one.
    const text = JSON.stringify(this.#rows).replaceAll('},{"', `}${this.#between}{"`);
    this.#rows = [];
    this.#put(text.slice(1, -1));
  }

  /** True for a row that `JSON.stringify` writes as {@link interactionJson} does. */
  #isOrdinary({ id, user_id, response_time_ms, timestamp, metadata, [this.#levelColumn]: level }: StoredInteraction) {
    return (
      metadata === null &&
      typeof id === "number" &&
      typeof level === "number" &&
      (response_time_ms === null || Number.isFinite(response_time_ms)) &&
      user_id?.length <= SHORT &&
      typeof timestamp === "string" &&
      timestamp.length <= SHORT
    );
  }
}

/**
 * One interaction as JSON. The stored text of the metadata is inserted unchanged, so that no number in it is rounded.
 */
function interactionJson(row: StoredInteraction, levelColumn: LevelColumn): string {
  const fields = JSON.stringify({
    user_id: row.user_id,
    [levelColumn]: row[levelColumn],
    success: row.success === 1,
    ...responseTime(row.response_time_ms),
    timestamp: row.timestamp,
  });
  // The digits of the id are written as they are: no number of JavaScript holds all of them.
  return `{"id":${row.id},${fields.slice(1, -1)},${metadataMember(row.metadata)}}`;
}

/**
 * The response time as a member. Older programs may have stored infinite numbers or text, which JSON numbers cannot
 * represent: these are written as text under another name.
 */
function responseTime(time: unknown): Record<string, unknown> {
  if (time === null || Number.isFinite(time)) return { response_time_ms: time };
  return { response_time_ms: null, response_time_text: String(time) };
}

/**
 * The metadata as a member. Older programs may have stored text that is not JSON (`NaN`): it is written as text under
 * another name.
 */
function metadataMember(text: string | null): string {
  if (text === null) return '"metadata":null';
  try {
    if (isPlainObject(JSON.parse(text))) return `"metadata":${text.replaceAll(/[\r\n]/g, " ")}`;
  } catch {
    // Not JSON: written as text below.
  }
  return `"metadata":null,"metadata_text":${JSON.stringify(text)}`;
}

function jsonLinesWriter(write: Write, { levelColumn }: ExportFacts): ExportWriter {
  const texts = new InteractionTexts(levelColumn, "\n", (text) => write(`${text}\n`));
  return {
    hasUsers: false,
    begin: () => undefined,
    user: () => undefined,
    interaction: (row) => texts.add(row),
    end: () => texts.end(),
  };
}

/** RFC 4180: CRLF line ends, a header, quotes where needed and doubled inside. */
function csvWriter(write: Write, { levelColumn }: ExportFacts): ExportWriter {
  return {
    hasUsers: false,
    user: () => undefined,
    begin: () => write(`id,user_id,${levelColumn},success,response_time_ms,timestamp,metadata\r\n`),
    interaction: (row) => {
      const cells = [
        row.id,
        row.user_id,
        row[levelColumn],
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
  // Empty text is quoted, to distinguish it from a missing value.
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
