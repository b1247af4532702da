import fc from "fast-check";
import { connect, FIELD_PATTERNS } from "../../../../test/legacy/legacy_database.ts";

/** A row of a user's table `patterns`; absent columns take their defaults. */
export type FieldRow = Record<string, unknown>;

/** A row that both lines accept. */
const sound = (id: unknown): FieldRow => ({ id, agent_id: "a", pattern_type: "t", name: "n" });

/** Declarations of the id in tables of patterns. */
const IDS = {
  key: "id TEXT PRIMARY KEY",
  "no row id": "id TEXT PRIMARY KEY",
  "no key": "id TEXT",
  "no type": "id PRIMARY KEY",
  "no type, no row id": "id PRIMARY KEY",
  number: "id NUMERIC",
} as const;

/** A table of patterns as a program may have created it, with rows. */
export interface FieldTable {
  ids: keyof typeof IDS;
  rows: FieldRow[];
}

/**
 * Creates missing tables of patterns in a database, and fills them. Rows that the table refuses are left out.
 *
 * @returns The number of patterns.
 */
export function addPatterns(
  path: string,
  rows: readonly FieldRow[],
  usage: readonly FieldRow[] = [],
  ids: FieldTable["ids"] = "key",
): number {
  const database = connect(path);
  database.pragma("foreign_keys = OFF");
  database.exec(createText(ids));
  for (const [table, added] of [
    ["patterns", rows],
    ["pattern_usage", usage],
  ] as const) {
    for (const row of added) {
      const columns = Object.keys(row);
      database
        .prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
        .run(...Object.values(row));
    }
  }
  const count = database.prepare("SELECT count(*) FROM patterns").pluck().get() as number;
  database.close();
  return count;
}

function createText(ids: FieldTable["ids"]): string {
  const sql = FIELD_PATTERNS.replace(IDS.key, IDS[ids]);
  if (ids.endsWith("no row id")) return sql.replace("\n  );", "\n  ) WITHOUT ROWID;");
  // No foreign key can refer to a column without a key.
  return hasKey(ids) ? sql : sql.replace(/,\s+FOREIGN KEY.*/, "");
}

const hasKey = (ids: FieldTable["ids"]): boolean => IDS[ids].endsWith("KEY");

const timestamp = fc.constantFrom<unknown>(
  null,
  "2024-03-10T02:30:00",
  "2024-03-10 02:30:00.123456",
  "2024-03-10T02:30:00+02:00",
  "2024-03-10T02:30:00Z",
  "0001-01-01T00:00:00+01:00",
  "2024-03-10",
  "2024-03-10T02:30",
  1710037800,
  1710037800.25,
  "2024-02-30T00:00:00",
  "yesterday",
  "",
  Buffer.from("2024-03-10T02:30:00"),
);
const json = fc.constantFrom<unknown>(
  null,
  "{}",
  '{"a": [1, 1e400, 12345678901234567890]}',
  '{"a": NaN}',
  '{"b": [-Infinity, "NaN"], "__proto__": 1}',
  "[1, 2]",
  "[NaN]",
  '{"a": ',
  "",
  "not JSON",
  Buffer.from("{}"),
  5,
);
const tags = fc.constantFrom<unknown>(null, "[]", '["api", "é"]', "[NaN]", "{}", "[1]", "api", "");
const count = fc.constantFrom<unknown>(null, 0, 3, 2.5, "many", 9007199254740993n, Buffer.from("3"));
const text = fc.constantFrom<unknown>(null, "", "text", "\ud83d\ude00\0", 7, Buffer.from("t"));
const name = fc.constantFrom<unknown>("n", "n", "n", "", Buffer.from("n"));
const id = fc.constantFrom<unknown>(
  "p",
  "p",
  "p-2",
  "pattern-1",
  "Образец",
  "",
  "",
  " ",
  "a\0b",
  "a%00b",
  null,
  null,
  Buffer.from("id"),
  Buffer.from("p"),
  Buffer.from([255, 0]),
  Buffer.from(""),
  "x".repeat(300),
  5,
  1.5,
  9007199254740993n,
);

/** A row with any value in any column. */
const anyRow: fc.Arbitrary<FieldRow> = fc.record(
  {
    agent_id: fc.constantFrom<unknown>("a", "a", "", "a\0", Buffer.from("a"), Buffer.from([255])),
    pattern_type: name,
    name,
    description: text,
    context: json,
    code: text,
    confidence: fc.constantFrom<unknown>(null, 0.5, 1, "high", Number.POSITIVE_INFINITY, Buffer.from("1")),
    usage_count: count,
    success_count: count,
    failure_count: count,
    tags,
    discovered_at: timestamp,
    last_used: timestamp,
    updated_at: timestamp,
  },
  { requiredKeys: ["agent_id", "pattern_type", "name"] },
);

/** A row with at most one odd column. */
const nearlySound: fc.Arbitrary<FieldRow> = fc
  .oneof(
    fc.constant({}),
    fc.record({ context: json }),
    fc.record({ tags }),
    fc.record({ discovered_at: timestamp }),
    fc.record({ last_used: timestamp, discovered_at: timestamp }),
    fc.record({ usage_count: count }),
    fc.record({ agent_id: fc.constantFrom<unknown>("", "a\0") }),
  )
  .map((unusual) => ({ ...sound(undefined), ...unusual }));

/** Rows of a table of patterns; some ids are odd. */
function rowsWith(hasUniqueIds: boolean): fc.Arbitrary<FieldRow[]> {
  const [row, unusual] = [fc.oneof(nearlySound, nearlySound, anyRow), fc.constant(undefined)];
  return fc.array(fc.tuple(row, fc.oneof(unusual, unusual, id)), { maxLength: 8 }).map((rows) => {
    const given = new Set<string>();
    return rows.map(([values, unusualId], index) => {
      const isRepeated = hasUniqueIds && given.has(String(unusualId));
      const key = unusualId === undefined || isRepeated ? `p${index}` : unusualId;
      given.add(String(key));
      return { ...values, id: key };
    });
  });
}

/** Rows of a table of patterns, each with a unique id. */
export const fieldRows: fc.Arbitrary<FieldRow[]> = rowsWith(true);

/** Tables of patterns, also those in which an id can be repeated or a number. */
export const fieldTables: fc.Arbitrary<FieldTable> = fc
  .constantFrom<FieldTable["ids"][]>(
    "key",
    "key",
    "no row id",
    "no key",
    "no key",
    "no type",
    "no type, no row id",
    "number",
  )
  .chain((ids) => rowsWith(hasKey(ids)).map((rows) => ({ ids, rows })));

/** Usage of some of the rows, and of a missing pattern. */
export function usageOf(rows: readonly FieldRow[]): FieldRow[] {
  return [...rows.map(({ id: pattern }) => pattern), "nobody"]
    .filter((pattern) => pattern !== null)
    .map((pattern, index) => ({ pattern_id: pattern, agent_id: "u", success: index % 2 }));
}
