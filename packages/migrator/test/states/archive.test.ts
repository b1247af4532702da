import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { resolveMarkers } from "../../../../fixtures/expected.ts";
import { layOutStates, type StateSet } from "../../../../fixtures/lay_out.ts";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

interface Archived {
  name: string;
  mode: number;
  mtime: number;
  sz: number;
  data: Buffer | null;
}

function rowsOf<Row>(archive: string, sql: string): Row[] {
  const database = connect(archive, { readonly: true });
  try {
    return database.prepare(sql).all() as Row[];
  } finally {
    database.close();
  }
}

const SETS: StateSet[] = ["documented", "field", "broken"];

describe.each(SETS)("the states of the set %s", (set) => {
  test("are archived file by file, and are not changed", async () => {
    const directory = join(freshFolder(), "my_states");
    const entries = layOutStates(set, directory);
    const before = stampOf(directory);
    const report = await migrate(directory, { stateDirectories: [directory] });
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
    expect(stampOf(directory)).toBe(before);
    const archived = new Map(
      rowsOf<Archived>(`${directory}.v15.sqlar`, "SELECT * FROM sqlar").map((row) => [row.name, row]),
    );
    for (const { name, kind, mode, mtime } of entries.filter((entry) => entry.kind === "file")) {
      const row = archived.get(name) as Archived;
      const bytes = readFileSync(join(directory, name));
      expect((row.data as Buffer).length === row.sz ? row.data : inflateSync(row.data as Buffer)).toEqual(bytes);
      expect({ kind, mode: row.mode & 0o7777, mtime: row.mtime }).toEqual({
        kind: "file",
        mode: Number.parseInt(mode, 8),
        mtime,
      });
    }
  });

  test("are shown in typed columns under the user of the file name", async () => {
    const directory = join(freshFolder(), "my_states");
    const entries = layOutStates(set, directory);
    await migrate(directory, { stateDirectories: [directory] });
    const states = new Map(
      rowsOf<Record<string, unknown>>(`${directory}.v15.sqlar`, "SELECT * FROM states").map((row) => [
        row["file"],
        row,
      ]),
    );
    for (const { name, expected } of entries.filter((entry) => entry.expected.user_id !== undefined)) {
      const row = states.get(name) as Record<string, unknown>;
      expect(row).toMatchObject({
        user_id: expected.user_id,
        sha256: createHash("sha256")
          .update(readFileSync(join(directory, name)))
          .digest("hex"),
      });
      if (expected.status !== "state") continue;
      const { user_id: _written, ...fields } = resolveMarkers(expected.fields) as Record<string, unknown>;
      expect(row).toMatchObject({ status: "ok", ...fields });
      const extra = JSON.parse((row["extra"] as string | null) ?? "{}") as Record<string, unknown>;
      expect(Object.keys(extra)).toEqual(expect.arrayContaining(Object.keys(expected.unmapped ?? {})));
    }
  });
});

test("reports a state that is not a JSON object as broken, with the reason; accepts NaN", async () => {
  const directory = join(freshFolder(), "empathy_state");
  layOutStates("broken", directory);
  await migrate(directory);
  const broken = rowsOf<{ file: string; reason: string }>(
    `${directory}.v15.sqlar`,
    "SELECT file, reason FROM states WHERE status = 'broken' ORDER BY file",
  );
  expect(broken.map(({ file }) => file)).toEqual([
    "blank.json",
    "cut.json",
    "empty.json",
    "latin1.json",
    "list.json",
    "text.json",
  ]);
  expect(broken[1]?.reason).toContain("8:23");
  const [nan] = rowsOf<{ trust_level: null; extra: string; reason: string }>(
    `${directory}.v15.sqlar`,
    "SELECT * FROM states WHERE file = 'nan.json'",
  );
  expect(nan).toMatchObject({
    trust_level: null,
    extra: expect.stringContaining('"trust_level": NaN'),
    reason: expect.stringContaining("trust_level"),
  });
});

test("links, empty files, empty directories and names that are not UTF-8 are kept", async () => {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(join(directory, "hollow"), { recursive: true });
  writeFileSync(join(directory, "empty.txt"), "");
  symlinkSync("/nowhere/a.json", join(directory, "link.json"));
  const unusual = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x4a, 0xfc]), Buffer.from(".json")]);
  writeFileSync(unusual, '{"user_id": "x", "trust_level": 0.5}');
  utimesSync(unusual, 1.5, 1.5);
  expect(await migrate(directory)).toMatchObject({ exit_code: 0, state_directories: [{ entries: 4, states_ok: 1 }] });
  expect(await planMigration(directory)).toMatchObject({ state_directories: [{ status: "nothing_to_do" }] });
  const rows = rowsOf<Record<string, unknown>>(
    `${directory}.v15.sqlar`,
    "SELECT hex(name) AS name, sz, hex(data) AS data, data IS NULL AS hollow FROM sqlar ORDER BY 1",
  );
  expect(rows.map((row) => [row["sz"], row["hollow"]])).toEqual([
    [36, 0],
    [0, 0],
    [0, 1],
    // Not -1, at which a stock program of 2022 stops.
    [15, 0],
  ]);
  expect(rows[0]?.["name"]).toBe("4AFC2E6A736F6E");
  expect(rows[3]?.["data"]).toBe(Buffer.from("/nowhere/a.json").toString("hex").toUpperCase());
});

test("archives a changed directory again, and keeps the first archive", async () => {
  const directory = join(freshFolder(), "empathy_state");
  layOutStates("documented", directory);
  await migrate(directory);
  const first = readFileSync(`${directory}.v15.sqlar`);
  writeFileSync(join(directory, "new.json"), '{"user_id": "new", "trust_level": 1}');
  expect(await migrate(directory)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "archived", archive: { path: `${directory}.v15.2.sqlar` } }],
  });
  expect(readFileSync(`${directory}.v15.sqlar`).equals(first)).toBe(true);
});
