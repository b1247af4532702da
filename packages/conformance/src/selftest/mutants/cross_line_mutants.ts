import type { JsonObject } from "../../values/json_value.ts";
import { CROSS_LINE_JSON_MUTANTS } from "./cross_line_json_mutants.ts";
import { CROSS_LINE_SQLITE_MUTANTS } from "./cross_line_sqlite_mutants.ts";
import { overlooksLog } from "./log_faults.ts";
import { alters, answers, member, ok, receives, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { refuses, rowsOf } from "./sqlite_mutations.ts";

/** Refuses to open a metrics database in which a query finds a row. */
const cannotOpen = (query: string): Mutation =>
  refuses("MetricsCollector", ({ db_path: path }) => rowsOf(path as string, query).length > 0);
const M = "R-4.2/foreign-files";
const O = "U-other-line-metrics";

/** Faults with files that somebody else wrote. */
export const CROSS_LINE_MUTANTS: readonly Mutant[] = [
  ...CROSS_LINE_JSON_MUTANTS,
  ...CROSS_LINE_SQLITE_MUTANTS,
  row(
    "counts only what it recorded itself",
    M,
    16,
    "cross-line/metrics-of-own-line",
    answers(
      "get_user_stats",
      member("total_operations", () => 0),
    ),
  ),
  row(
    "opens only tables that it declared itself",
    M,
    16,
    "cross-line/metrics-of-python",
    cannotOpen(
      "SELECT 1 FROM sqlite_schema WHERE name = 'interactions' AND sql NOT LIKE '%(' || char(10) || '    id INTEGER%'",
    ),
  ),
  row(
    "cannot do without the indexes",
    M,
    15,
    "cross-line/metrics-other-ddl",
    cannotOpen("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'idx_interactions_user')"),
  ),
  row("opens a metrics database without its log", M, 16, "cross-line/metrics-wal", overlooksLog("MetricsCollector")),
  row(
    "opens pages of 4096 bytes only",
    M,
    15,
    "cross-line/metrics-page-sizes",
    cannotOpen("SELECT 1 FROM pragma_page_size WHERE page_size <> 4096"),
  ),
  row(
    "drops views on its table",
    "X-foreign-objects",
    16,
    "cross-line/metrics-extra-objects",
    alters("DROP VIEW failures"),
  ),
  row(
    "opens a database of the other line",
    O,
    16,
    "cross-line/other-line-metrics",
    answers("MetricsCollector", (answer) => ok(answer)),
  ),
  row(
    "adds its own column to a database that it then refuses",
    O,
    16,
    "cross-line/other-line-metrics-untouched",
    answers("MetricsCollector", (answer, { args }) => {
      alters("ALTER TABLE interactions ADD COLUMN level INTEGER").settled?.([args.db_path as string]);
      return answer;
    }),
  ),
  row(
    "throws the log away before it refuses a database",
    O,
    15,
    "cross-line/other-line-metrics-wal",
    overlooksLog("MetricsCollector"),
  ),
  row(
    "finds no state whose id is not the name of its file",
    "U-state-file",
    15,
    "cross-line/states-of-15",
    answers("load_state", (answer, { args }) => (String(args.user_id).includes("/") ? ok(answer) : answer)),
  ),
  row(
    "lists names of files instead of ids",
    "U-state-file",
    15,
    "cross-line/states-of-python",
    answers("list_users", (answer) => value(answer, (users) => (users as string[]).map(encodeURIComponent))),
  ),
  row(
    "saves the described fields of a state only",
    "U-state-extra",
    15,
    "cross-line/states-by-hand",
    receives("save_state", ({ state, ...args }) => {
      const { trust_trajectory: _dropped, ...described } = state as JsonObject;
      return { ...args, state: described };
    }),
  ),
];
