import type { DatabaseReport, VerificationReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import type { PageFinding } from "../../io/child/requests.ts";
import type { Workers } from "../../io/child/workers.ts";
import { countAll, type Subject } from "./comparison.ts";
import { proveSchema } from "./prove_database.ts";
import { otherTables } from "./prove_other_tables.ts";

/** What a transaction that is about to be committed is compared with, and how. */
interface Files {
  database: string;
  backup: string;
  /** Rows of the tables that were counted before the change. */
  tables: DatabaseReport["tables"];
}

/**
 * Proves a change that touched no row: rows lie where they lay and mean what they meant, the journal names none of their
 * pages, and the file is byte for byte the copy. That takes a fraction of the time that comparing the rows would take.
 *
 * @returns Undefined where pages cannot tell, as after a change of rows: then the rows have to be compared.
 */
export async function proveByPages(
  subject: Subject,
  { database: path, backup, tables }: Files,
  run: Workers,
): Promise<VerificationReport | undefined> {
  const { database } = subject;
  if (subject.second !== null || subject.added !== null) return undefined;
  // With a write-ahead log the file is not what the database is.
  if (database.pragma("main.journal_mode", { simple: true }) !== "delete" || !readsTheSame(subject)) return undefined;
  const finding = await compare(subject, path, backup, run);
  if (finding === undefined || finding.equal === null) return undefined;
  const rowsOf = (table: string): number =>
    tables.find((counted) => counted.table === table)?.rows ?? countAll(database, "backup", table);
  const rows = subject.before === null ? null : rowsOf(subject.before.name);
  return {
    method: "pages",
    rows_before: rows,
    rows_after: rows,
    rows_quarantined: 0,
    metadata_rows: subject.before?.sideTable === true ? rowsOf("interaction_metadata") : 0,
    rows_added_since: 0,
    other_tables: otherTables(subject).map(({ name }) => ({
      table: name,
      rows: rowsOf(name),
      quarantined: 0,
      repaired: 0,
      changed_since: 0,
    })),
    differences: [...(finding.equal ? [] : [finding.reason as string]), ...proveSchema(subject)],
  };
}

/** Undefined where something keeps the pages from being compared: the rows can be compared all the same. */
async function compare(
  { database }: Subject,
  path: string,
  backup: string,
  run: Workers,
): Promise<PageFinding | undefined> {
  try {
    const schemaPages = database
      .prepare("SELECT pageno FROM dbstat('backup') WHERE name = 'sqlite_schema'")
      .pluck()
      .all() as number[];
    return await run.files.pages(path, backup, schemaPages);
  } catch (error) {
    if (error instanceof Stop) throw error;
    return undefined;
  }
}

/** Where rows lie, and what their bytes mean. */
interface Stored {
  name: string;
  rootpage: number;
  /** How the values of a row are told apart; null for an index, whose content follows from its table. */
  columns: string | null;
}

/**
 * True when every table of the backup is in the database too, begins at the same page, and has columns that read the same
 * bytes as the same values: then equal pages are equal rows. The metrics table and its level may have other names.
 */
export function readsTheSame(subject: Subject): boolean {
  const now = new Map(storedIn(subject, "main").map((entry) => [entry.name, entry]));
  return storedIn(subject, "backup").every(({ name, rootpage, columns }) => {
    const entry = now.get(name);
    // An index may be gone on purpose, which the proof of the schema looks at.
    if (entry === undefined) return columns === null;
    return entry.rootpage === rootpage && entry.columns === columns;
  });
}

function storedIn(subject: Subject, schema: "main" | "backup"): Stored[] {
  const { database, before } = subject;
  const entries = database
    .prepare(`SELECT type, name, rootpage FROM ${schema}.sqlite_schema WHERE type IN ('table', 'index')`)
    .all() as { type: "table" | "index"; name: string; rootpage: number }[];
  return entries.map(({ type, name, rootpage }) => {
    const isMetrics = schema === "backup" && type === "table" && name === before?.name;
    return {
      name: `${type} ${isMetrics ? "interactions" : name.toLowerCase()}`,
      rootpage,
      columns: type === "index" ? null : columnsOf(subject, schema, name, isMetrics),
    };
  });
}

function columnsOf({ database, before }: Subject, schema: string, table: string, isMetrics: boolean): string {
  const columns = database
    // What is computed depends on an expression, and so counts as different.
    .prepare(
      'SELECT name, type, "notnull", dflt_value, pk, iif(hidden > 1, schema, hidden) FROM pragma_table_xinfo(?, ?) ORDER BY cid',
    )
    .raw()
    .all(table, schema) as [name: string, ...rest: unknown[]][];
  const kind = database
    .prepare("SELECT type, wr, strict FROM pragma_table_list(?) WHERE schema = ?")
    .raw()
    .all(table, schema);
  const named = columns.map(([name, ...rest]) => [isMetrics && name === before?.level ? "level" : name, ...rest]);
  return JSON.stringify([kind, named]);
}
