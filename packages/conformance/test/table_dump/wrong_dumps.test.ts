import { readFileSync, writeFileSync } from "node:fs";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, it } from "vitest";
import { createAdapter } from "../../adapters/v16_postgres.ts";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Adapter } from "../../src/protocol/messages.ts";
import type { DumpedColumn, DumpedTable, TableDump } from "../../src/table_dump/dump.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

/** A table without one of its columns, in every row. */
function without(table: DumpedTable, name: string): void {
  const index = table.columns.findIndex((column) => column.name === name);
  table.columns.splice(index, 1);
  for (const row of table.rows) row.splice(index, 1);
}

const column = (table: DumpedTable, name: string): DumpedColumn =>
  table.columns.find((candidate) => candidate.name === name) as DumpedColumn;

const valuesOf = (table: DumpedTable, name: string, change: (value: never) => never): void => {
  const index = table.columns.findIndex((candidate) => candidate.name === name);
  for (const row of table.rows) row[index] = change(row[index] as never);
};

type Lie = [name: string, table: string, kills: string, tell: (table: DumpedTable) => void];

/** Tables of a faulty implementation, each with a case that must find it. */
const WRONG_DUMPS: Lie[] = [
  ["a column is missing", "interactions", "metrics/columns", (table) => without(table, "response_time_ms")],
  ["a column is missing", "patterns", "patterns-sqlite/columns", (table) => without(table, "tags")],
  [
    "the level has its old name",
    "interactions",
    "versioning/level-column",
    (table) => {
      column(table, "level").name = "empathy_level";
    },
  ],
  [
    "tags are not JSON",
    "patterns",
    "patterns-sqlite/tags-column",
    (table) => {
      valuesOf(table, "tags", () => "a, b" as never);
    },
  ],
  [
    "a count is text",
    "patterns",
    "patterns-sqlite/count-values",
    (table) => {
      column(table, "usage_count").type = "text";
      delete column(table, "usage_count").default;
      valuesOf(table, "usage_count", (value) => `${String(value)} uses` as never);
    },
  ],
  [
    "the confidence is rounded",
    "patterns",
    "patterns-sqlite/confidence-values",
    (table) => {
      valuesOf(table, "confidence", (value) => Math.round(value) as never);
    },
  ],
  [
    "a row is lost",
    "interactions",
    "metrics/one-row",
    (table) => {
      table.rows.pop();
    },
  ],
  [
    "a row is there twice",
    "interactions",
    "metrics/one-row",
    (table) => {
      table.rows.push([99, ...(table.rows[0] ?? []).slice(1)]);
    },
  ],
  [
    "a row is lost",
    "pattern_usage",
    "patterns-sqlite/usage",
    (table) => {
      table.rows.pop();
    },
  ],
  [
    "an index is missing",
    "interactions",
    "metrics/index-user",
    (table) => {
      table.indexes = table.indexes.filter(({ name }) => name !== "idx_interactions_user");
    },
  ],
  [
    "an index has a second column",
    "patterns",
    "patterns-sqlite/index-agent",
    (table) => {
      for (const index of table.indexes) index.columns.push("name");
    },
  ],
  [
    "a required column may be empty",
    "interactions",
    "metrics/user-id-required",
    (table) => {
      column(table, "user_id").nullable = true;
    },
  ],
  [
    "an optional column is required",
    "interactions",
    "metrics/response-time-optional",
    (table) => {
      column(table, "response_time_ms").nullable = false;
    },
  ],
  [
    "there is no key",
    "patterns",
    "patterns-sqlite/primary-key",
    (table) => {
      delete table.primary_key;
    },
  ],
  [
    "the foreign key is missing",
    "pattern_usage",
    "patterns-sqlite/usage-foreign-key",
    (table) => {
      table.foreign_keys = [];
    },
  ],
  [
    "a default is missing",
    "patterns",
    "patterns-sqlite/column-default-confidence",
    (table) => {
      delete column(table, "confidence").default;
    },
  ],
  [
    "a default is another",
    "patterns",
    "patterns-sqlite/column-default-counts",
    (table) => {
      column(table, "usage_count").default = { gives: 1 };
    },
  ],
  [
    "a default is not the present time",
    "interactions",
    "metrics/timestamp-default",
    (table) => {
      column(table, "timestamp").default = { gives: "2001-01-01 00:00:00" };
    },
  ],
  [
    "an id is not generated",
    "interactions",
    "metrics/id-generated",
    (table) => {
      column(table, "id").default = { gives: 1 };
    },
  ],
  [
    "metadata keep a row from being deleted",
    "interaction_metadata",
    "metrics/metadata-storage",
    (table) => {
      for (const key of table.foreign_keys) delete key.on_delete;
    },
  ],
];

/** The adapter with changed dumps. */
function lying(adapter: Adapter, table: string, tell: (table: DumpedTable) => void): Adapter {
  return {
    async handle(request) {
      const answer = await adapter.handle(request);
      if (!("tables" in answer)) return answer;
      for (const { file } of answer.tables) {
        const dump = JSON.parse(readFileSync(file, "utf8")) as TableDump;
        dump.tables.filter(({ name }) => name === table).forEach(tell);
        writeFileSync(file, JSON.stringify(dump));
      }
      return answer;
    },
  };
}

describeWithPostgres("a dump in which", (postgres) => {
  it.each(WRONG_DUMPS)("%s (%s) is found by %s", async (_, table, kills, tell) => {
    const judge = async (change: (table: DumpedTable) => void) => {
      const adapter = inProcessAdapter("lying", async () => lying(await createAdapter(postgres.url), table, change));
      const { cases } = await runWithLongTimeout({ adapter, cases: [kills] });
      return cases.find(({ id }) => id === kills);
    };
    // A violation of the protocol would prove nothing.
    expect(await judge(tell)).toMatchObject({ verdict: "fail" });
    expect(await judge(() => undefined)).toMatchObject({ verdict: "pass" });
  });
});
