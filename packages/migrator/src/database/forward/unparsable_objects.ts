import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { buildReplica, isColumn } from "../inspect/schema_replica.ts";
import type { Catalog, SchemaEntry } from "../layouts/catalog.ts";
import { changeSchemaText, type TextChange } from "../sql/schema_text.ts";
import { inSingleQuotes, mentions, sqlName } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { assertStillUsable, workingUses, type WorkingUses } from "./user_objects.ts";

/** Steps that enable a change that ALTER TABLE would refuse because of objects that it cannot parse. */
export interface UnparsableSteps {
  /** Steps before all others. */
  first: Step[];
  /** Steps after all changes of tables. */
  last: Step[];
  notes: string[];
}

/** Names that a change removes. */
export interface RemovedNames {
  /** Names of renamed tables and columns. */
  renamed: readonly string[];
  /** Names of dropped columns. */
  dropped: readonly string[];
}

/**
 * Replaces the texts of objects that ALTER TABLE cannot parse while a table changes. Afterwards each has its own text
 * again, verbatim; or, if it uses a renamed object, with the new names, and with its text literals in single quotes.
 *
 * @throws Stop that names a broken object that uses a renamed one: its text could not be adapted.
 */
export function replaceUnparsable(catalog: Catalog, going: RemovedNames): UnparsableSteps {
  const found = findUnparsable(catalog);
  if (found.length === 0) return { first: [], last: [], notes: [] };
  const touched = found.filter(({ sql, repaired }) =>
    mentions(sql, repaired ? [...going.renamed, ...going.dropped] : going.renamed),
  );
  const lost = touched.find(({ repaired }) => !repaired);
  if (lost !== undefined) throw cannotAdapt(lost, going);
  const untouched = found.filter((object) => !touched.includes(object));
  let working: WorkingUses = new Map();
  const texts = (
    objects: readonly Unparsable[],
    from: "sql" | "replacement",
    to: "sql" | "replacement",
  ): TextChange[] =>
    objects.map((object) => ({ type: object.type, name: object.name, from: object[from], to: object[to] }));
  return {
    first: [
      ...(touched.length === 0
        ? []
        : [
            {
              title: `change text in double quotes to single quotes in ${listed(touched)}`,
              run: (database: Database) => {
                changeSchemaText(database, texts(touched, "sql", "replacement"));
                // Before this step, they worked only in other builds of SQLite.
                working = workingUses(database);
              },
            },
          ]),
      ...(untouched.length === 0
        ? []
        : [
            {
              title: `temporarily replace ${listed(untouched)}, which ALTER TABLE cannot parse`,
              run: (database: Database) => changeSchemaText(database, texts(untouched, "sql", "replacement")),
            },
          ]),
    ],
    last: [
      ...(touched.length === 0
        ? []
        : [
            {
              title: `check that ${listed(touched)} can be used`,
              run: (database: Database) => assertStillUsable(database, working),
            },
          ]),
      ...(untouched.length === 0
        ? []
        : [
            {
              title: `restore ${listed(untouched)} verbatim`,
              run: (database: Database) => changeSchemaText(database, texts(untouched, "replacement", "sql")),
            },
          ]),
    ],
    notes: [
      ...touched.map(
        ({ type, name }) =>
          `changed in the ${type} ${name}: text in double quotes is now in single quotes, which every build of SQLite reads as text`,
      ),
      ...untouched
        .filter(({ repaired }) => !repaired)
        .map(({ type, name, fault }) => `the ${type} ${name} does not work (${fault}) and is kept unchanged`),
    ],
  };
}

function listed(objects: readonly Unparsable[]): string {
  return objects.map(({ type, name }) => `the ${type} ${name}`).join(" and ");
}

function cannotAdapt({ type, name, sql, fault }: Unparsable, { renamed }: RemovedNames): Stop {
  const word = renamed.find((one) => mentions(sql, [one]));
  return new Stop(
    "refused",
    `The ${type} ${name} does not work (${fault}), so SQLite cannot adapt it when ${word} is renamed. Nothing was changed. Correct or drop the ${type} first; it contains no data.`,
  );
}

/** An object that makes ALTER TABLE fail, for any table. */
interface Unparsable {
  type: SchemaEntry["type"];
  name: string;
  sql: string;
  /**
   * The same text with its literals in single quotes, if that is sufficient; otherwise a placeholder without effect.
   */
  replacement: string;
  /** True if `stand` has the same meaning. */
  repaired: boolean;
  /** SQLite's message about it. */
  fault: string;
}

/**
 * Finds the objects that make ALTER TABLE fail, with the help of an empty replica: SQLite names one object at a time.
 */
export function findUnparsable(catalog: Catalog): Unparsable[] {
  const replica = buildReplica(catalog);
  try {
    const probe = makeProbe(replica);
    const found = new Map<SchemaEntry, Unparsable>();
    for (;;) {
      const message = probe();
      if (message === undefined) return [...found.values()];
      const entry = entryIn(catalog, message);
      const earlier = entry === undefined ? undefined : found.get(entry);
      if (entry === undefined || entry.sql === null || earlier?.repaired === false) throw rejectedChange(message);
      // Invalid UTF-8 could not be restored from a JavaScript string.
      if (entry.sql.includes("\uFFFD")) throw rejectedChange(message);
      const from = earlier?.replacement ?? entry.sql;
      const fault = message.slice(beginningOf(entry).length).replace(/^[^:]*: /, "");
      const better = inSingleQuotes(from, message, (column) => isColumn(replica, column));
      const stand = better ?? placeholder(replica, entry);
      if (stand === undefined) throw rejectedChange(message);
      changeSchemaText(replica, [{ type: entry.type, name: entry.name, from, to: stand }]);
      const { type, name, sql } = entry;
      found.set(entry, {
        type,
        name,
        sql,
        replacement: stand,
        repaired: better !== undefined,
        fault: earlier?.fault ?? fault,
      });
    }
  } finally {
    replica.close();
  }
}

/** Renames a table of its own, which makes SQLite parse all objects. */
function makeProbe(replica: Database): () => string | undefined {
  const names = replica.prepare("SELECT name FROM main.sqlite_schema").pluck().all() as string[];
  const [name, other] = ["perdura_probe", "perdura_probe_renamed"].map((wanted) => {
    let free = wanted;
    while (names.some((taken) => taken.toLowerCase() === free)) free += "_";
    return free;
  });
  replica.exec(`CREATE TABLE ${name} (a)`);
  return () => {
    try {
      replica.exec(`ALTER TABLE ${name} RENAME TO ${other}`);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/** Messages begin with the kind and the unquoted name; if several match, the longest name is the right one. */
function entryIn({ entries }: Catalog, message: string): SchemaEntry | undefined {
  return entries
    .filter((entry) => [": ", " after "].some((more) => message.startsWith(`${beginningOf(entry)}${more}`)))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
}

function beginningOf({ type, name }: SchemaEntry): string {
  return `error in ${type} ${name}`;
}

/**
 * A placeholder for a view or trigger, which SQLite parses only when it is used; a table or an index cannot exist
 * without its text.
 */
function placeholder(replica: Database, { type, name, table }: SchemaEntry): string | undefined {
  if (type === "view") return `CREATE VIEW ${sqlName(name)} AS SELECT NULL`;
  if (type !== "trigger") return undefined;
  const isView = replica
    .prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE")
    .get(table);
  const when = isView === undefined ? "AFTER" : "INSTEAD OF";
  return `CREATE TRIGGER ${sqlName(name)} ${when} INSERT ON ${sqlName(table)} BEGIN SELECT NULL; END`;
}

function rejectedChange(message: string): Stop {
  return new Stop(
    "refused",
    `SQLite would reject the change: ${message}. Nothing was changed. Correct the view, trigger or constraint that causes this first; no row needs to be removed.`,
  );
}
