import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { buildTwin, isColumn } from "../../inspect/build_twin.ts";
import type { Catalog, SchemaEntry } from "../../recognise/catalog.ts";
import { Stop } from "../../core/stop.ts";
import { changeSchemaText } from "../schema_text.ts";
import { sqlName } from "../sql_text.ts";
import { inSingleQuotes } from "./single_quotes.ts";

/** Something that ALTER TABLE stumbles over, whatever table is altered. */
export interface Unparsable {
  type: SchemaEntry["type"];
  name: string;
  sql: string;
  /** The same with its text literals in single quotes, where that is all; otherwise a stand-in that does nothing. */
  stand: string;
  /** True when `stand` means the same. */
  repaired: boolean;
  /** What SQLite says of it. */
  fault: string;
}

/** Finds what ALTER TABLE stumbles over, by asking SQLite on an empty twin: it names one object after the other. */
export function findUnparsable(catalog: Catalog): Unparsable[] {
  const twin = buildTwin(catalog);
  try {
    const probe = makeProbe(twin);
    const found = new Map<SchemaEntry, Unparsable>();
    for (;;) {
      const message = probe();
      if (message === undefined) return [...found.values()];
      const entry = entryIn(catalog, message);
      const earlier = entry === undefined ? undefined : found.get(entry);
      if (entry === undefined || entry.sql === null || earlier?.repaired === false) throw unknownFault(message);
      // Its text could not be put back as it was once it went through JavaScript.
      if (entry.sql.includes("\uFFFD")) throw unknownFault(message);
      const from = earlier?.stand ?? entry.sql;
      const fault = message.slice(beginningOf(entry).length).replace(/^[^:]*: /, "");
      const better = inSingleQuotes(from, message, (column) => isColumn(twin, column));
      const stand = better ?? standIn(twin, entry);
      if (stand === undefined) throw unknownFault(message);
      changeSchemaText(twin, [{ type: entry.type, name: entry.name, from, to: stand }]);
      const { type, name, sql } = entry;
      found.set(entry, { type, name, sql, stand, repaired: better !== undefined, fault: earlier?.fault ?? fault });
    }
  } finally {
    twin.close();
  }
}

/** Renames a table of its own: SQLite then looks through everything that there is. */
function makeProbe(twin: Database): () => string | undefined {
  const names = twin.prepare("SELECT name FROM main.sqlite_schema").pluck().all() as string[];
  const [name, other] = ["perdura_probe", "perdura_probe_renamed"].map((wanted) => {
    let free = wanted;
    while (names.some((taken) => taken.toLowerCase() === free)) free += "_";
    return free;
  });
  twin.exec(`CREATE TABLE ${name} (a)`);
  return () => {
    try {
      twin.exec(`ALTER TABLE ${name} RENAME TO ${other}`);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/** Messages begin with the kind and the name, unquoted; of several that fit, the longest name is meant. */
function entryIn({ entries }: Catalog, message: string): SchemaEntry | undefined {
  return entries
    .filter((entry) => [": ", " after "].some((more) => message.startsWith(`${beginningOf(entry)}${more}`)))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
}

function beginningOf({ type, name }: SchemaEntry): string {
  return `error in ${type} ${name}`;
}

/** Only views and triggers are looked into when they are used; a table or an index cannot be without its text. */
function standIn(twin: Database, { type, name, table }: SchemaEntry): string | undefined {
  if (type === "view") return `CREATE VIEW ${sqlName(name)} AS SELECT NULL`;
  if (type !== "trigger") return undefined;
  const isView = twin
    .prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE")
    .get(table);
  const when = isView === undefined ? "AFTER" : "INSTEAD OF";
  return `CREATE TRIGGER ${sqlName(name)} ${when} INSERT ON ${sqlName(table)} BEGIN SELECT NULL; END`;
}

function unknownFault(message: string): Stop {
  return new Stop(
    "refused",
    `SQLite would refuse the change: ${message}. Nothing was changed. Correct the view, trigger or condition that this is about first; no row has to be removed for that.`,
  );
}
