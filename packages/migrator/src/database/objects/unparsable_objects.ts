import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { buildReplica, isColumn } from "../sql/replica.ts";
import type { Catalog, SchemaEntry } from "../sql/catalog.ts";
import { errorOf } from "../sql/error_of.ts";
import { changeSchemaText, type TextChange } from "../sql/schema_text.ts";
import { inSingleQuotes, literalIn, mentions, withKnownCollations } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";

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
 * again, verbatim.
 *
 * @param isRestored True for objects that need not be adapted to changed names.
 * @throws Stop that names such objects that use a removed name: SQLite cannot adapt their text.
 */
export function replaceUnparsable(
  catalog: Catalog,
  going: RemovedNames,
  isRestored: (object: Pick<SchemaEntry, "type" | "name">) => boolean = () => false,
): UnparsableSteps {
  const found = findUnparsable(catalog);
  if (found.length === 0) return { first: [], last: [], notes: [] };
  const touched = found.filter(
    (object) =>
      !isRestored(object) &&
      mentions(object.sql, object.literals.length > 0 ? [...going.renamed, ...going.dropped] : going.renamed),
  );
  const broken = touched.find(({ literals }) => literals.length === 0);
  if (broken !== undefined) throw cannotAdapt(broken, going);
  if (touched.length > 0) throw hasLiterals(touched);
  const texts = (from: "sql" | "replacement", to: "sql" | "replacement"): TextChange[] =>
    found.map((object) => ({ type: object.type, name: object.name, from: object[from], to: object[to] }));
  return {
    first: [
      {
        title: `temporarily replace ${listed(found)}, which ALTER TABLE cannot parse`,
        run: (database) => changeSchemaText(database, texts("sql", "replacement")),
      },
    ],
    last: [
      {
        title: `restore ${listed(found)} verbatim`,
        run: (database) => changeSchemaText(database, texts("replacement", "sql")),
      },
    ],
    notes: found
      .filter((object) => object.literals.length === 0 && !object.lacks && !isRestored(object))
      .map(({ type, name, fault }) => `the ${type} ${name} does not work (${fault}) and is kept unchanged`),
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

/** Names the literals, their replacement, and statements for the operator: the objects keep their meaning. */
function hasLiterals(objects: readonly Unparsable[]): Stop {
  const where = objects.map(
    ({ type, name, literals }) =>
      `the ${type} ${name}: write ${literals.map((text) => `${sqlText(text)} instead of ${sqlName(text)}`).join(", and ")}`,
  );
  const updates = objects.map(
    ({ type, name, sql, literals, replacement }) =>
      `UPDATE sqlite_schema SET sql = ${correction(sql, literals, replacement)} WHERE type = ${sqlText(type)} AND name = ${sqlText(name)};`,
  );
  return new Stop(
    "refused",
    `SQLite cannot adapt objects with text in double quotes, which it reads as a name: ${where.join("; ")}. Nothing was changed. Correct them first. In the sqlite3 shell: PRAGMA writable_schema = ON; ${updates.join(" ")} PRAGMA writable_schema = RESET;`,
  );
}

/** SQL for the corrected text: short, unless the same word is also a name in it. */
function correction(sql: string, literals: readonly string[], replacement: string): string {
  const inText = literals.reduce((text, literal) => text.replaceAll(sqlName(literal), sqlText(literal)), sql);
  return inText === replacement
    ? literals.reduce(
        (text, literal) => `replace(${text}, ${sqlText(sqlName(literal))}, ${sqlText(sqlText(literal))})`,
        "sql",
      )
    : sqlText(replacement);
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
  /** Text in double quotes, if the replacement has the same meaning with it in single quotes; otherwise empty. */
  literals: string[];
  /** True if it works where an application defines its collation: here it has another one meanwhile. */
  lacks: boolean;
  /** SQLite's message about it. */
  fault: string;
}

/**
 * Finds the objects that make ALTER TABLE fail, with the help of an empty replica: SQLite names one object at a time.
 */
function findUnparsable(catalog: Catalog): Unparsable[] {
  const replica = buildReplica(catalog);
  try {
    const probe = makeProbe(replica);
    const found = new Map<SchemaEntry, Unparsable>();
    for (;;) {
      const message = probe();
      if (message === undefined) return [...found.values()];
      const entry = entryIn(catalog, message);
      const earlier = entry === undefined ? undefined : found.get(entry);
      if (entry === undefined || entry.sql === null || earlier?.literals.length === 0) throw rejectedChange(message);
      // Invalid UTF-8 could not be restored from a JavaScript string.
      if (entry.sql.includes("\uFFFD")) throw rejectedChange(message);
      const from = earlier?.replacement ?? entry.sql;
      // oxlint-disable-next-line messages/no-decisions -- the words of SQLite, which has no code for the object
      const fault = message.slice(beginningOf(entry).length).replace(/^[^:]*: /, "");
      const better = inSingleQuotes(from, message, (column) => isColumn(replica, column));
      const collated = withKnownCollations(from);
      const replacement = better ?? collated ?? placeholder(replica, entry);
      if (replacement === undefined) throw rejectedChange(message);
      changeSchemaText(replica, [{ type: entry.type, name: entry.name, from, to: replacement }]);
      const { type, name, sql } = entry;
      const literals = better === undefined ? [] : [...(earlier?.literals ?? []), literalIn(message) as string];
      const lacks = better === undefined && collated !== undefined;
      found.set(entry, { type, name, sql, replacement, literals, lacks, fault: earlier?.fault ?? fault });
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
  return () => errorOf(() => replica.exec(`ALTER TABLE ${name} RENAME TO ${other}`))?.message;
}

/** Messages begin with the kind and the unquoted name; if several match, the longest name is the right one. */
function entryIn({ entries }: Catalog, message: string): SchemaEntry | undefined {
  return (
    entries
      // oxlint-disable-next-line messages/no-decisions -- the words of SQLite, which has no code for the object
      .filter((entry) => [": ", " after "].some((more) => message.startsWith(`${beginningOf(entry)}${more}`)))
      .toSorted((one, other) => other.name.length - one.name.length)[0]
  );
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
