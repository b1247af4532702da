import Database from "better-sqlite3";
import fc from "fast-check";

/** A column of a declaration. */
export interface ColumnModel {
  /** The name in the specification; undefined for an additional column. */
  field?: string;
  name: string;
  type: string;
  /** Constraints and the default, such as `NOT NULL`. */
  rest: string[];
}

/** An index of a declaration. */
export interface IndexModel {
  name: string;
  unique: boolean;
  on: string;
  where: string;
}

/** The declaration of a table, from which it is created again. */
export interface TableModel {
  name: string;
  columns: ColumnModel[];
  /** Constraints of the table. */
  constraints: string[];
  options: string;
  indexes: IndexModel[];
  /** Statements after the rows were copied. */
  after: string[];
}

/** A table of the specification, and what its alterations may do to it. */
export interface Described {
  model: TableModel;
  /** Updates that keep the form of the rows, or break it. */
  updates: readonly string[];
  /** Constraints of the table that alterations add. */
  constraints: readonly string[];
}

/** One change of a declaration. */
export interface Alteration {
  name: string;
  apply: (model: TableModel) => void;
}

const TYPES = ["TEXT", "VARCHAR(255)", "INTEGER", "REAL", "NUMERIC", "BLOB", "", "TIMESTAMP"];
const DEFAULTS = [
  "NULL",
  "0",
  "0.5",
  "1",
  "''",
  "'5'",
  "CURRENT_TIMESTAMP",
  "(unixepoch())",
  "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
  "'2020-01-01 00:00:00'",
];
const CONSTRAINTS = ["NOT NULL", "NOT NULL ON CONFLICT IGNORE", "UNIQUE", "COLLATE NOCASE", "COLLATE RTRIM"];

const without = (rest: string[], word: string): string[] => rest.filter((part) => !part.startsWith(word));

/** Any alteration of a described table. */
export function alterationOf({ model, updates, constraints }: Described): fc.Arbitrary<Alteration> {
  const fields = model.columns.map(({ field }) => field as string);
  const field = fc.constantFrom(...fields);
  const index = fc.constantFrom(...model.indexes.map(({ name }) => name), "idx_none");
  const change = (name: string, apply: Alteration["apply"]): Alteration => ({ name, apply });
  const ofColumn = (
    name: string,
    apply: (column: ColumnModel, model: TableModel) => void,
  ): ((field: string) => Alteration) => {
    return (wanted) =>
      change(`${name} ${wanted}`, (altered) => {
        const column = altered.columns.find((candidate) => candidate.field === wanted);
        if (column) apply(column, altered);
      });
  };
  const ofIndex = (
    name: string,
    apply: (one: IndexModel, model: TableModel) => void,
  ): ((index: string) => Alteration) => {
    return (wanted) =>
      change(`${name} ${wanted}`, (altered) => {
        const found = altered.indexes.find((candidate) => candidate.name === wanted);
        if (found) apply(found, altered);
      });
  };
  const columns = (
    pick: (column: ColumnModel, given: string) => void,
    values: readonly string[],
    name: string,
  ): fc.Arbitrary<Alteration> =>
    fc
      .tuple(field, fc.constantFrom(...values))
      .map(([wanted, given]) => ofColumn(`${name} ${given} for`, (column) => pick(column, given))(wanted));
  return fc.oneof(
    field.map(ofColumn("drop", (column, altered) => altered.columns.splice(altered.columns.indexOf(column), 1))),
    field.map(ofColumn("rename", (column) => (column.name = `${column.name}_x`))),
    field.map(ofColumn("capitals for", (column) => (column.name = column.name.toUpperCase()))),
    columns((column, given) => (column.type = given), TYPES, "type"),
    columns((column, given) => column.rest.push(`DEFAULT ${given}`), DEFAULTS, "default"),
    field.map(ofColumn("no default for", (column) => (column.rest = without(column.rest, "DEFAULT")))),
    columns((column, given) => column.rest.push(given), CONSTRAINTS, "constraint"),
    field.map(ofColumn("optional", (column) => (column.rest = without(column.rest, "NOT NULL")))),
    field.map(ofColumn("check of", (column) => column.rest.push(`CHECK (${column.name} IS NOT NULL)`))),
    field.map(ofColumn("generated", (column) => (column.rest = ["AS ('x')"]))),
    field.map(ofColumn("no key of", (column) => (column.rest = without(column.rest, "PRIMARY KEY")))),
    fc.constantFrom("ON CONFLICT REPLACE", "DESC").map((more) =>
      change(`key ${more}`, (altered) => {
        for (const column of altered.columns)
          column.rest = column.rest.map((part) => (part === "PRIMARY KEY" ? `PRIMARY KEY ${more}` : part));
      }),
    ),
    fc
      .shuffledSubarray(fields, { minLength: fields.length })
      .map((order) =>
        change("order", (altered) =>
          altered.columns.sort((a, b) => order.indexOf(a.field ?? "") - order.indexOf(b.field ?? "")),
        ),
      ),
    fc
      .tuple(fc.nat(fields.length), fc.constantFrom([], ["NOT NULL DEFAULT 'x'"], ["NOT NULL"], ["UNIQUE"]))
      .map(([at, rest]) =>
        change(`additional column ${rest.join(" ")}`, (altered) =>
          altered.columns.splice(at, 0, { name: `more_${altered.columns.length}`, type: "TEXT", rest: [...rest] }),
        ),
      ),
    fc
      .constantFrom(...constraints)
      .map((one) => change(`constraint ${one}`, (altered) => altered.constraints.push(one))),
    fc.constant(change("no constraints", (altered) => (altered.constraints = []))),
    fc.constant(change("capitals for the table", (altered) => (altered.name = altered.name.toUpperCase()))),
    fc.constant(change("rename the table", (altered) => (altered.name = `${altered.name}_x`))),
    fc.constant(change("without row ids", (altered) => (altered.options = "WITHOUT ROWID"))),
    index.map(ofIndex("drop index", (one, altered) => altered.indexes.splice(altered.indexes.indexOf(one), 1))),
    index.map(ofIndex("rename index", (one) => (one.name = `${one.name}_x`))),
    index.map(ofIndex("capitals for index", (one) => (one.name = one.name.toUpperCase()))),
    index.map(ofIndex("unique index", (one) => (one.unique = true))),
    fc
      .tuple(index, fc.constantFrom("1", "IS NOT NULL", "> 0"))
      .map(([wanted, condition]) =>
        ofIndex(
          `index where ${condition}:`,
          (one) => (one.where = condition === "1" ? "1" : `${one.on} ${condition}`),
        )(wanted),
      ),
    fc
      .tuple(index, field, fc.constantFrom("instead", "too"))
      .map(([wanted, other, way]) =>
        ofIndex(
          `index on ${other} ${way}:`,
          (one) => (one.on = way === "instead" ? other : `${one.on}, ${other}`),
        )(wanted),
      ),
    fc
      .tuple(index, fc.constantFrom("DESC", "COLLATE NOCASE"))
      .map(([wanted, order]) => ofIndex(`index ${order}:`, (one) => (one.on = `${one.on} ${order}`))(wanted)),
    fc
      .tuple(index, fc.constantFrom("lower", "length"))
      .map(([wanted, call]) => ofIndex(`index of ${call}:`, (one) => (one.on = `${call}(${one.on})`))(wanted)),
    fc.constantFrom(...updates).map((sql) => change(sql, (altered) => altered.after.push(sql))),
    fc.constant(
      change("additional objects", (altered) =>
        altered.after.push(
          `CREATE TABLE further (a); CREATE VIEW seen AS SELECT * FROM ${altered.name}; CREATE TRIGGER further_added AFTER INSERT ON ${altered.name} BEGIN INSERT INTO further VALUES (1); END`,
        ),
      ),
    ),
  );
}

function tableSql({ name, columns, constraints, options }: TableModel): string {
  const parts = [...columns.map((column) => [column.name, column.type, ...column.rest].join(" ")), ...constraints];
  return `CREATE TABLE ${name} (${parts.join(", ")}) ${options}`;
}

function indexSql({ name, unique, on, where }: IndexModel, table: string): string {
  return `CREATE ${unique ? "UNIQUE " : ""}INDEX ${name} ON ${table} (${on})${where === "" ? "" : ` WHERE ${where}`}`;
}

/** True if SQLite accepts the declaration: not every combination of alterations is SQL. */
export function isDeclarable(model: TableModel): boolean {
  const database = new Database(":memory:");
  try {
    database.exec(`CREATE TABLE patterns (id TEXT PRIMARY KEY); DROP TABLE IF EXISTS ${model.name}`);
    database.exec(tableSql(model));
    for (const index of model.indexes) database.exec(indexSql(index, model.name));
    for (const sql of model.after) database.exec(sql);
    return true;
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return false;
  } finally {
    database.close();
  }
}

/**
 * Declares a table of a database again, in another form, with the rows that this form accepts.
 * @param table the name of the table, with its columns.
 * @returns false for a database without this table, for example one of the other line.
 */
export function redeclare(path: string, { name: table, columns }: TableModel, model: TableModel): boolean {
  const database = new Database(path, { fileMustExist: true });
  try {
    database.pragma("foreign_keys = OFF");
    database.pragma("legacy_alter_table = ON");
    const names = database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table);
    if (!columns.every(({ name }) => names.includes(name))) return false;
    const rows = database.prepare(`SELECT * FROM ${table}`).safeIntegers().all() as Record<string, unknown>[];
    database.exec(`DROP TABLE ${table}`);
    database.exec(tableSql(model));
    fill(database, model, rows);
    for (const index of model.indexes) addIndex(database, index, model.name);
    for (const sql of model.after) database.exec(sql.replace(/^UPDATE /, "UPDATE OR IGNORE "));
    return true;
  } finally {
    database.close();
  }
}

function fill(database: Database.Database, { name, columns }: TableModel, rows: Record<string, unknown>[]): void {
  const written = columns.filter(({ rest }) => !rest.some((part) => part.startsWith("AS ")));
  const names = written.map((column) => column.name);
  const places = names.map(() => "?").join(", ");
  const insert = database.prepare(`INSERT OR IGNORE INTO ${name} (${names.join(", ")}) VALUES (${places})`);
  for (const [number, row] of rows.entries()) {
    try {
      insert.run(written.map(({ field }) => (field === undefined ? `more ${number}` : row[field])));
    } catch (error) {
      // An integer key takes no text, whatever happens to conflicts.
      if (!(error instanceof Database.SqliteError) || error.code !== "SQLITE_MISMATCH") throw error;
    }
  }
}

/** A program with a unique index could not have written rows with equal values. */
function addIndex(database: Database.Database, index: IndexModel, table: string): void {
  try {
    database.exec(indexSql(index, table));
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || error.code !== "SQLITE_CONSTRAINT_UNIQUE") throw error;
    database.exec(`DELETE FROM ${table}; ${indexSql(index, table)}`);
  }
}
