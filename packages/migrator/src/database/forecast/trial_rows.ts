import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import { lazy } from "@perdura/internals/runtime/lazy.js";
import { RowWriter } from "@perdura/internals/metrics/row_writer.js";
import { metricsSchema } from "@perdura/internals/metrics/schema.js";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { saveLibrary } from "@perdura/internals/patterns/sqlite_save.js";
import { columnsOf, hasRowid, hasTable, isOrdinaryTable, schemaObjects } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { hasConflictClause, IgnoredRow } from "@perdura/internals/validity/ignored_row.js";
import { type Catalog, schemaEntries } from "../sql/catalog.ts";
import { recognise } from "../layouts/known_layouts.ts";
import { metricsTableOf } from "../layouts/layout.ts";
import { isOurs, type RowChange } from "../steps/fired_triggers.ts";
import { integerKey } from "../sql/row_id.ts";
import { removeCollations } from "../layouts/remove_collations.ts";
import { rebuildPatternTable } from "../layouts/rebuild_pattern_table.ts";
import { notesOnRules } from "./value_rules.ts";
import { faultOfWriting } from "./replica_rows.ts";
import { suspendTriggers } from "../sql/schema_text.ts";
import { type Trigger, triggersIn } from "../sql/triggers.ts";
import { countFrom } from "../sql/count_from.ts";
import { errorOf } from "../sql/error_of.ts";

/** Result of a trial: what version 16 could not write, and what could not be tried. */
interface Trial {
  refusal: string | null;
  notes: string[];
}

/** Something that version 16 writes, with the statements that it uses. */
interface Write {
  /** The action in words that follow “cannot”. */
  what: string;
  table: "interactions" | "patterns";
  run: () => void;
}

/**
 * Writes one row of each kind that version 16 writes to a migrated replica, to find what refuses them: a further column
 * that must not be NULL, a CHECK, a unique index, or a trigger of the user.
 *
 * @param replica A database in memory with the migrated schema; it is changed.
 * @param database Source of values that the tables accept, because a CHECK may allow only some.
 * @param catalog The tables of the database.
 */
export function tryWriting(replica: Database, database: Database, catalog: Catalog): Trial {
  const entries = schemaEntries(replica);
  const triggers = triggersIn(entries);
  const refusal =
    refusalOfNames(replica) ??
    refusalOfTriggers(replica, triggers) ??
    refusalOfKeys(replica, database) ??
    refusalOfUsageIds(replica, database);
  if (refusal !== undefined) return { refusal, notes: [] };
  // A trigger can run without end: only those that do nothing but raise an error are tried.
  const others = entries.flatMap(({ type, name, sql }) =>
    type === "trigger" && sql !== null && !ONLY_RAISES.test(sql) && !isOurs(name.toLowerCase()) ? [{ name, sql }] : [],
  );
  let trial: Trial = { refusal: null, notes: [] };
  suspendTriggers(replica, others, () => {
    trial = tryEach(
      replica,
      database,
      [...interactionsOf(replica, sampleOf(database, catalog)), ...patternsOf(replica, database)],
      triggers.filter(({ sql }) => ONLY_RAISES.test(sql)),
    );
  });
  return { ...trial, notes: [...trial.notes, ...notesOnRules(replica)] };
}

/** Tables that version 16 writes, with its action in words that follow “cannot”. */
const REFERRING = [
  ["interactions", "record a metric"],
  ["interaction_metadata", "record a metric with metadata"],
  ["patterns", "save patterns"],
  ["pattern_usage", "save the use of a pattern"],
] as const;

/**
 * Names an object in place of a table that version 16 writes. Reading a view, or a virtual table with the rows of one, may
 * never end: nothing may be tried with it.
 */
function refusalOfNames(replica: Database): string | undefined {
  for (const [table, what] of REFERRING) {
    const object = schemaObjects(replica, [table]).find((found) => !isOrdinaryTable(found));
    if (object === undefined) continue;
    const kind = object.type === "table" ? "a virtual table" : `${object.type === "index" ? "an" : "a"} ${object.type}`;
    return `After the migration, version 16 could not ${what}: it needs a table with the name ${object.name}, which ${kind} has. Nothing was changed. Rename or drop it first.`;
  }
  return undefined;
}

/** Names a reference that SQLite cannot check: the columns that it refers to have no key. */
function refusalOfKeys(replica: Database, database: Database): string | undefined {
  for (const [table, what] of REFERRING) {
    if (!hasTable(replica, table)) continue;
    const error = errorOf(() => replica.prepare("SELECT count(*) FROM pragma_foreign_key_check(?, 'main')").get(table));
    if (error === undefined || codeOf(error) !== "SQLITE_ERROR") continue;
    const way =
      table === "pattern_usage"
        ? rebuildPatternTable(database, table)
        : "Make the columns that it refers to a key first (CREATE UNIQUE INDEX), or write the table without the reference.";
    return `After the migration, version 16 could not ${what}: ${error.message}. Nothing was changed. ${way}`;
  }
  return undefined;
}

/** Writes of version 16 that fire triggers of the user, in words that follow “cannot”. */
const FIRING: readonly (RowChange & { what: string })[] = [
  { what: "record a metric", table: "interactions", kind: "insert" },
  { what: "save patterns", table: "patterns", kind: "insert" },
  { what: "save patterns", table: "patterns", kind: "update" },
  { what: "save the use of a pattern", table: "pattern_usage", kind: "insert" },
];

/** Names a trigger that SQLite cannot compile: it uses a function or a module that only another program has loaded. */
function refusalOfTriggers(replica: Database, triggers: readonly Trigger[]): string | undefined {
  for (const { what, ...change } of FIRING) {
    if (!hasTable(replica, change.table)) continue;
    const own = triggers.filter(
      ({ name, on }) => on.table === change.table && on.kind === change.kind && !isOurs(name.toLowerCase()),
    );
    for (const trigger of own) {
      const others = own.filter((other) => other !== trigger);
      const fault = faultOfWriting(replica, change, others);
      if (fault !== undefined && faultOfWriting(replica, change, own) === undefined)
        return `After the migration, version 16 could not ${what}: the trigger ${trigger.name} on ${change.table} cannot run (${fault}). Nothing was changed. Drop the trigger first, or write it without what only another program loads.`;
    }
  }
  return undefined;
}

/** A trigger whose body is one RAISE, without functions or queries. */
const ONLY_RAISES =
  /^CREATE\s+TRIGGER\s[^()]*\bINSERT\s+ON\s[^()]*\bBEGIN\s+SELECT\s+RAISE\s*\([^()]*\)\s*;\s*END\s*;?\s*$/i;

/** Version 16 gives no id to a row of the usage: SQLite must. */
function refusalOfUsageIds(replica: Database, database: Database): string | undefined {
  if (!hasTable(replica, "pattern_usage")) return undefined;
  const id = columnsOf(replica, "pattern_usage").find(({ name }) => name.toLowerCase() === "id");
  const isRequired = id !== undefined && (id.notnull === 1 || (id.pk > 0 && !hasRowid(replica, "pattern_usage")));
  if (!isRequired || id.dflt_value !== null || integerKey(replica, "pattern_usage") !== undefined) return undefined;
  return `After the migration, version 16 could not save the use of a pattern: SQLite would not give an id to a row of pattern_usage. Nothing was changed. ${rebuildPatternTable(database, "pattern_usage")}`;
}

function tryEach(replica: Database, database: Database, writes: readonly Write[], raising: readonly Trigger[]): Trial {
  const notes: string[] = [];
  for (const write of writes) {
    const error = errorOf(write.run);
    if (error === undefined) continue;
    const triggers = raising.filter(({ on }) => on.table === write.table);
    const isOfTrigger = triggers.length > 0 && isFreeWithout(replica, triggers, write.run);
    const fault =
      error instanceof IgnoredRow ? error.fault : (error.cause instanceof Error ? error.cause : error).message;
    if (write.table === "patterns" && codeOf(error) === "SQLITE_CONSTRAINT_CHECK") {
      notes.push(`a CHECK of the table patterns may refuse what version 16 saves: ${fault}`);
      continue;
    }
    const cause = isOfTrigger ? `the trigger ${namesOf(triggers)} on ${write.table} prevents it (${fault})` : fault;
    return {
      refusal: `After the migration, version 16 could not ${write.what}: ${cause}. Nothing was changed. ${wayOut(error, isOfTrigger, database)}`,
      notes,
    };
  }
  return { refusal: null, notes };
}

/** A user and a response time that the table has, so that its constraints accept them. */
interface Sample {
  user: string;
  ms: number;
}

function interactionsOf(replica: Database, { user, ms }: Sample): Write[] {
  if (!hasTable(replica, "interactions")) return [];
  for (const create of metricsSchema("level")) replica.exec(create);
  // Compiling the statements fails if a trigger cannot be compiled.
  const writer = lazy(() => new RowWriter(replica, "the replica", "level", undefined));
  const counted = replica.prepare("SELECT count(*) FROM interactions").pluck();
  const before = counted.get() as number;
  const insert = (more: Partial<CheckedInteraction>): void =>
    void writer().insert({ userId: user, level: 1, success: true, responseTimeMs: ms, metadata: null, ...more });
  // Rows leave the memory at once, because a default of the user may fill it.
  const write = (what: string, ...rows: Partial<CheckedInteraction>[]): Write => ({
    what,
    table: "interactions",
    run: () => {
      replica.exec("SAVEPOINT perdura_trial");
      try {
        for (const row of rows) insert(row);
        assertKept(replica, "interactions", counted.get() === before + rows.length);
      } finally {
        // A trigger may have rolled all back.
        if (replica.inTransaction) replica.exec("ROLLBACK TO perdura_trial; RELEASE perdura_trial");
      }
    },
  });
  return [
    write("record a metric", { level: null }),
    write("record a metric with metadata", { level: null, metadata: '{"key":"value"}' }),
    ...[1, 2, 3, 4, 5].flatMap((level) => [
      write(`record an interaction at level ${level}`, { level }),
      write(`record a failed interaction at level ${level}`, { level, success: false }),
    ]),
    ...[1, 2, 3, 4, 5].flatMap((level) =>
      [true, false].map((success) =>
        write("record two interactions of a user in one second", { level, success }, { level, success }),
      ),
    ),
  ];
}

function sampleOf(database: Database, catalog: Catalog): Sample {
  const table = metricsTableOf(catalog, recognise(catalog));
  const column = sqlName(table?.names.user_id ?? "");
  const rows =
    table === null
      ? []
      : (database
          .prepare(
            `SELECT CAST(${column} AS TEXT) AS user, ${sqlName(table.names.response_time_ms)} AS ms FROM main.${sqlName(table.name)} WHERE ${column} <> '' ORDER BY id DESC LIMIT 20`,
          )
          .all() as { user: string; ms: unknown }[]);
  const known = rows.find(({ user }) => user.isWellFormed() && !user.includes("\0"));
  const ms = rows.find((row) => typeof row.ms === "number" && Number.isFinite(row.ms) && row.ms >= 0)?.ms;
  return { user: known?.user ?? "user", ms: (ms as number | undefined) ?? 12.5 };
}

function patternsOf(replica: Database, database: Database): Write[] {
  if (!hasTable(replica, "patterns")) return [];
  const known = hasTable(database, "patterns")
    ? (database
        .prepare(
          `SELECT agent_id, pattern_type, name FROM main.patterns ORDER BY ${hasRowid(database, "patterns") ? "rowid" : "id"} DESC LIMIT 1`,
        )
        .get() as Record<"agent_id" | "pattern_type" | "name", unknown> | undefined)
    : undefined;
  const text = (field: "agent_id" | "pattern_type" | "name"): string => {
    const value = known?.[field];
    return typeof value === "string" && value !== "" && value.isWellFormed() && !value.includes("\0") ? value : field;
  };
  const library = new PatternLibrary();
  const required = { pattern_type: text("pattern_type"), name: text("name") };
  library.contribute(text("agent_id"), { ...required, id: "perdura trial 1" });
  library.contribute(text("agent_id"), {
    ...required,
    id: "perdura trial 2",
    description: "description",
    context: { key: "value" },
    code: "code",
    confidence: 0.9,
    tags: ["tag"],
    discovered_at: "2025-01-15T10:30:00",
  });
  const save = (what: string, change: () => void): Write => ({
    what,
    table: "patterns",
    run: () => {
      const others = countFrom(replica, "patterns WHERE ifnull(id, '') NOT LIKE 'perdura trial _'");
      change();
      saveLibrary(replica, library, "the replica");
      assertKept(replica, "patterns", countFrom(replica, "patterns") === others + library.size);
      // Uses stay in the queue if no row was added for them.
      if (library.pendingUsage.length > 0) throw new IgnoredRow(replica, "pattern_usage", "the replica");
    },
  });
  return [
    save("save patterns", () => undefined),
    save("save a pattern that was used", () => {
      for (const id of library.patterns.keys()) library.recordUsage(id, text("agent_id"), true);
    }),
  ];
}

/** @throws Error if a row took the place of another one, or was left out: SQLite reports no conflict then. */
function assertKept(replica: Database, table: Write["table"], areAllThere: boolean): void {
  if (areAllThere) return;
  if (!hasConflictClause(replica, table, "REPLACE")) throw new IgnoredRow(replica, table, "the replica");
  const error = new Error(`a constraint of the table ${table} with ON CONFLICT REPLACE would remove another row`);
  throw Object.assign(error, { code: "SQLITE_CONSTRAINT_UNIQUE" });
}

function isFreeWithout(replica: Database, triggers: readonly Trigger[], run: () => void): boolean {
  let isFree = false;
  suspendTriggers(replica, triggers, () => {
    isFree = errorOf(run) === undefined;
  });
  return isFree;
}

/** The code of SQLite's error, also if it is the cause of another. */
function codeOf(error: Error): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return [code, cause?.code].map(String).find((text) => text.startsWith("SQLITE_")) ?? "";
}

const namesOf = (triggers: readonly Trigger[]): string =>
  triggers
    .filter(({ name }) => !isOurs(name.toLowerCase()))
    .map(({ name }) => name)
    .join(" or ");

function wayOut(error: Error, isOfTrigger: boolean, database: Database): string {
  const collations = codeOf(error) === "SQLITE_ERROR_MISSING_COLLSEQ" ? removeCollations(database) : undefined;
  if (collations !== undefined) return collations;
  if (isOfTrigger) return "Drop the trigger first, or let it accept such rows.";
  if (error instanceof IgnoredRow) return error.wayOut;
  switch (codeOf(error)) {
    case "SQLITE_CONSTRAINT_NOTNULL":
      return "Give the column a default first, or allow NULL.";
    case "SQLITE_CONSTRAINT_UNIQUE":
    case "SQLITE_CONSTRAINT_PRIMARYKEY":
      return "Drop the unique index or constraint first.";
    default:
      return "Correct the table first.";
  }
}
