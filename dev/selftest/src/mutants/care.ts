import { chmodSync, existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { isObject, type JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { gives, refusesToRead, writes } from "./json_mutations.ts";
import { opens, runs } from "./metrics_mutations.ts";
import { answers, ok, receives, refusal, refuses, row, value } from "./mutations.ts";
import type { Call, Mutant, Mutation } from "./mutations.ts";
import { redeclares, rowsOf, savesThen } from "./sqlite_mutations.ts";
import { loads } from "./state_mutations.ts";

/** Writes new content into the former file instead of replacing it. */
function writesInPlace(op: string, fileOf: (request: Call, directory: string) => string): Mutation {
  const former = (file: string): string => `${file}.former`;
  let file = "";
  return {
    op,
    before(request, directory) {
      if (request.op !== op) return request;
      file = fileOf(request, directory);
      if (existsSync(file)) linkSync(file, former(file));
      return request;
    },
    answer(request, answer) {
      if (request.op !== op || !existsSync(former(file))) return answer;
      writeFileSync(former(file), readFileSync(file));
      renameSync(former(file), file);
      return answer;
    },
  };
}

/** Does not wait for the lock of another writer. */
const isImpatient = (...ops: string[]): Mutation => {
  let database = "";
  return {
    before(request) {
      if (typeof request.args.db_path === "string") database = request.args.db_path;
      if (!ops.includes(request.op) || !existsSync(database)) return request;
      const connection = new Database(database, { timeout: 0 });
      try {
        connection.exec("BEGIN IMMEDIATE; ROLLBACK");
        return request;
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        return refusal(request, "OperationalError", "other");
      } finally {
        connection.close();
      }
    },
  };
};

/** Keeps a former description where the new one is null. */
function coalesces(): Mutation {
  let former: JsonObject[] = [];
  return {
    op: "save_to_sqlite",
    before(request) {
      if (request.op === "save_to_sqlite")
        former = rowsOf(String(request.args.db_path), "SELECT id, description FROM patterns");
      return request;
    },
    answer(request, answer) {
      if (request.op !== "save_to_sqlite") return answer;
      const database = new Database(String(request.args.db_path));
      const restore = database.prepare("UPDATE patterns SET description = ? WHERE id = ? AND description IS NULL");
      for (const { id, description } of former) restore.run(description, id);
      database.close();
      return answer;
    },
  };
}

/** Gives the patterns of a database in the order of their last change. */
const ordersByChange = answers("load_from_sqlite", (answer, { args }) =>
  value(answer, (library) => {
    if (!isObject(library)) return library;
    const ids = rowsOf(String(args.db_path), "SELECT id FROM patterns ORDER BY date(updated_at), rowid").map(
      ({ id }) => id,
    );
    const patterns = (library.patterns as JsonObject[]).toSorted(
      (first, second) => ids.indexOf(first.id) - ids.indexOf(second.id),
    );
    return { ...library, patterns };
  }),
);

/** Forgets the recorded uses when a save fails. */
function forgetsUses(): Mutation {
  let hasFailed = false;
  return {
    begins: () => (hasFailed = false),
    ...answers("save_to_sqlite", (answer, { args }) => {
      if (answer.type === "error") hasFailed = true;
      else if (hasFailed) runs("DELETE FROM pattern_usage")(String(args.db_path));
      return answer;
    }),
  };
}

/** Records an interaction whose metadata could not be written. */
function recordsHalf(): Mutation {
  let database = "";
  const opening = opens((path) => (database = path));
  return {
    ...opening,
    answer(request, answer) {
      if (request.op === "record_metric" && answer.type === "error")
        runs("INSERT INTO interactions (user_id, level, success) VALUES ('alice', 1, 1)")(database);
      return answer;
    },
  };
}

/** Gives the id of a deleted row to the next one. */
const reusesIds = opens(
  runs("UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM interactions) WHERE name = 'interactions'"),
);

/** Fails on rows that it would not have written. */
function failsOnForeignRows(): Mutation {
  let database = "";
  const opening = opens((path) => (database = path));
  const failing = refuses(
    "get_global_stats",
    () => rowsOf(database, "SELECT 1 FROM interactions WHERE typeof(level) <> 'integer'").length > 0,
    "other",
  );
  return {
    before: (request, directory) => failing.before?.(opening.before?.(request, directory) as Call, directory) as Call,
  };
}

const COUNTS = { interaction_count: 0, success_count: 0, failure_count: 0 };

const BYTE_ORDER_MARK = "\uFEFF";

/** Implementations that do what the specification says, without the care that users expect. */
export const CARE: readonly Mutant[] = [
  row(
    "writes a library into the former file",
    "U-save-existing",
    16,
    "patterns-json/replaced-whole",
    writesInPlace("save_to_json", ({ args }) => String(args.filepath)),
  ),
  row(
    "writes a state into the former file",
    "X-replaced-whole",
    15,
    "state/replaced-whole",
    writesInPlace("save_state", ({ args }, directory) => join(directory, "states", `${String(args.user_id)}.json`)),
  ),
  row(
    "writes an export into the former file",
    "U-export",
    16,
    "export/replaced-whole",
    writesInPlace("export_metrics", ({ args }) => String(args.filepath)),
  ),
  row(
    "does not wait to record",
    "X-waits",
    16,
    "metrics/waits-for-writer",
    isImpatient("record_interaction", "record_metric"),
  ),
  row("does not wait to save", "X-waits", 16, "patterns-sqlite/waits-for-writer", isImpatient("save_to_sqlite")),
  row("keeps a value that became null", "U-save-existing", 16, "patterns-sqlite/save-merges-nulls", coalesces()),
  row("orders by the last change", "U-order", 16, "patterns-sqlite/order-updated", ordersByChange),
  row("forgets uses when a save fails", "U-usage-table", 16, "patterns-sqlite/usage-after-failed-save", forgetsUses()),
  row(
    "accepts a use of an unknown pattern",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-unknown-pattern",
    answers("record_usage", (answer) => ok(answer)),
  ),
  row(
    "lets usage rows go with their pattern",
    "U-save-existing",
    16,
    "patterns-sqlite/usage-rows-stay",
    redeclares("pattern_usage", /(references\s+patterns\s*\(\s*id\s*\))/i, "$1 ON DELETE CASCADE"),
  ),
  row(
    "records an interaction without its metadata",
    "U-metadata-storage",
    16,
    "metrics/metadata-with-its-row",
    recordsHalf(),
  ),
  row(
    "refuses a library with a byte order mark",
    "X-byte-order-mark",
    16,
    "patterns-json/load-byte-order-mark",
    refusesToRead((text) => text.startsWith(BYTE_ORDER_MARK)),
  ),
  row(
    "finds no state behind a byte order mark",
    "X-byte-order-mark",
    15,
    "state/byte-order-mark",
    refuses("load_state"),
  ),
  row(
    "replaces a database by a document",
    "X-database-kept",
    16,
    "patterns-json/save-over-database",
    answers("save_to_json", (answer, { args }) => {
      if (answer.type !== "error") return answer;
      writeFileSync(String(args.filepath), "{}");
      return ok(answer);
    }),
  ),
  row(
    "leaves its temporary file when a save fails",
    "X-no-leftovers",
    16,
    "patterns-json/failed-save-leftovers",
    answers("save_to_json", (answer, { args }) => {
      if (answer.type === "error") writeFileSync(join(dirname(String(args.filepath)), ".tmp-1"), "");
      return answer;
    }),
  ),
  row(
    "replaces a symbolic link",
    "X-link-kept",
    16,
    "patterns-json/link-kept",
    receives("save_to_json", (args) => {
      rmSync(String(args.filepath));
      return args;
    }),
  ),
  row(
    "gives a replaced file its own permissions",
    "X-permissions-kept",
    16,
    "patterns-json/permissions-kept",
    answers("save_to_json", (answer, { args }) => {
      chmodSync(String(args.filepath), 0o600);
      return answer;
    }),
  ),
  row("gives ids again", "X-ids-go-on", 16, "metrics/ids-go-on", reusesIds),
  row("fails on rows of other programs", "X-foreign-rows", 16, "metrics/foreign-rows", failsOnForeignRows()),
  row(
    "loads absent counts as 0",
    "X-nothing-invented",
    15,
    "state/nothing-invented",
    loads((state) => ({ ...COUNTS, ...state })),
  ),
  row(
    "writes JSON timestamps into its library",
    "X-argument-untouched",
    16,
    "patterns-json/argument-untouched-times",
    savesThen("UPDATE patterns SET discovered_at = replace(discovered_at, ' ', 'T')"),
  ),
  row(
    "trims the agents of a file without contributions",
    "U-contributions",
    16,
    "patterns-json/load-without-contributions",
    gives("load_from_json", (library) => {
      const trimmed = Object.entries(library.agent_contributions).map(([agent, ids]) => [agent.trim(), ids]);
      library.agent_contributions = Object.fromEntries(trimmed) as Record<string, string[]>;
    }),
  ),
  row(
    "makes a table with an additional column again",
    "R-4.2/foreign-files",
    16,
    "metrics/additional-column",
    opens(runs("DELETE FROM interactions WHERE (SELECT count(*) FROM pragma_table_info('interactions')) > 6")),
  ),
  row(
    "names the zone of saved_at",
    "U-saved-at-zone",
    16,
    "patterns-json/saved-at-zone",
    writes(({ metadata }) => {
      metadata.saved_at = `${String(metadata.saved_at)}Z`;
    }),
  ),
  row(
    "loads ten thousand patterns",
    "R-8/counts",
    16,
    "cross-format/many-thousands",
    savesThen("DELETE FROM patterns WHERE rowid > 10000"),
  ),
];
