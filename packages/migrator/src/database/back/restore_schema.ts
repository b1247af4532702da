import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { rewriteSchema, changeSchemaText } from "../sql/schema_text.ts";
import type { Step } from "../step.ts";
import { type SchemaEntry, schemaEntries, type Catalog } from "../layouts/catalog.ts";
import { type SetAside, setAside, findUnparsable } from "../forward/set_aside.ts";
import type { Lineage } from "./lineage.ts";
import type { OldForm } from "./old_form.ts";

/**
 * Gives the schema its former text and order. SQLite writes names that it changes in its own way (in quotes, in the
 * letters of the new name), and puts what is made again at the end.
 *
 * @param restored Objects whose text is to be the former one.
 * @param former The former schema, in order.
 */
export function schemaStep(restored: readonly SchemaEntry[], former: readonly SchemaEntry[]): Step {
  return {
    title: "give the schema the text and the order that it had",
    run: (database) => {
      const before = structureOf(database);
      const present = schemaEntries(database);
      const texts = restored.filter(
        (entry) => isWhole(entry) && present.some((now) => isNamed(now, entry) && now.sql !== entry.sql),
      );
      const ordered = inOrder(present, former);
      if (texts.length === 0 && ordered.every((entry, index) => entry === present[index])) return;
      rewriteSchema(database, () => write(database, texts, ordered));
      // The text must say what the tables are; SQLite would read their rows wrongly otherwise.
      if (structureOf(database) !== before) throw new Error("The recorded text of the schema does not fit its tables.");
    },
  };
}

function write(database: Database, texts: readonly SchemaEntry[], ordered: readonly SchemaEntry[]): void {
  const text = database.prepare("UPDATE main.sqlite_schema SET sql = ? WHERE type = ? AND name = ?");
  for (const { type, name, sql } of texts) text.run(sql, type, name);
  const last = database.prepare("SELECT max(rowid) FROM main.sqlite_schema").pluck().get() as number;
  const move = database.prepare("UPDATE main.sqlite_schema SET rowid = ? WHERE type = ? AND name = ?");
  for (const [index, { type, name }] of ordered.entries()) move.run(last + 1 + index, type, name);
  database.exec(`UPDATE main.sqlite_schema SET rowid = rowid - ${last}`);
}

/** False where the text held bytes that are no UTF-8, which a record cannot hold. */
function isWhole({ sql }: SchemaEntry): boolean {
  return sql?.includes("\ufffd") === false;
}

/** What was there in its former order, then what came since. */
function inOrder(present: readonly SchemaEntry[], former: readonly SchemaEntry[]): SchemaEntry[] {
  const first = former.flatMap((entry) => present.filter((now) => isNamed(now, entry)));
  return [...first, ...present.filter((entry) => !first.includes(entry))];
}

function isNamed(one: SchemaEntry, other: SchemaEntry): boolean {
  return one.type === other.type && one.name.toLowerCase() === other.name.toLowerCase();
}

/** Columns, keys, indexes and references of every table, as SQLite understands the text. */
function structureOf(database: Database): string {
  const tables = database
    .prepare(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .pluck()
    .all() as string[];
  const parts = [
    "SELECT * FROM pragma_table_xinfo(?, 'main')",
    "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?, 'main') ORDER BY name",
    "SELECT l.name, x.* FROM pragma_index_list(?, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS x ORDER BY 1, 2",
    "SELECT * FROM pragma_foreign_key_list(?, 'main')",
  ].map((sql) => database.prepare(sql).raw());
  return JSON.stringify(tables.map((table) => [table, ...parts.map((part) => part.all(table))])).toLowerCase();
}

/**
 * What ALTER TABLE cannot parse has other texts while a table changes. What gets its former text at the end anyway needs
 * nothing more; the rest is dealt with as on the way there.
 */
export function setAsideForWay(catalog: Catalog, { metrics, rebuilds }: OldForm, { restore }: Lineage): SetAside {
  if (metrics === null) return { first: [], last: [], notes: [] };
  const restored = findUnparsable(catalog).filter(({ type, name }) =>
    restore.some((entry) => entry.type === type && entry.name === name),
  );
  const stands = new Map(restored.map(({ type, name, stand }) => [`${type} ${name}`, stand]));
  const others = {
    ...catalog,
    entries: catalog.entries.map((entry) => ({
      ...entry,
      sql: stands.get(`${entry.type} ${entry.name}`) ?? entry.sql,
    })),
  };
  const gone = metrics.level === null ? ["level"] : [];
  const renamed = [...(rebuilds ? ["interactions"] : []), ...(metrics.level === null ? [] : ["level"])];
  const rest = setAside(others, { renamed, dropped: gone });
  if (restored.length === 0) return rest;
  return {
    ...rest,
    first: [
      {
        title: `set ${restored.map(({ type, name }) => `the ${type} ${name}`).join(" and ")} aside, which ALTER TABLE cannot parse`,
        run: (database) =>
          changeSchemaText(
            database,
            restored.map(({ type, name, sql, stand }) => ({ type, name, from: sql, to: stand })),
          ),
      },
      ...rest.first,
    ],
  };
}
