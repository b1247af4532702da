import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileProcess } from "../../src/io/child/workers.ts";
import { planMigration } from "../../src/index.ts";
import { untilAnotherRow } from "../live/writer.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { endOf, firstLine, startProgram } from "../support/program.ts";

/** Runs a test while a pre-16 program writes row after row. */
async function whileWriting(
  use: (folder: string, path: string) => Promise<void>,
  { rows = 500, words = [] as string[] } = {},
): Promise<void> {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", rows);
  const writer = startProgram("busy_writer.ts", path, ...words);
  await firstLine(writer);
  try {
    await use(folder, path);
  } finally {
    writer.stdin?.end();
    expect(await endOf(writer)).toBe(0);
  }
}

test("plans a database that a pre-16 program keeps writing to", async () => {
  await whileWriting(async (folder) => {
    for (let round = 0; round < 40; round += 1)
      expect(await planMigration(folder, { busyTimeoutMs: 30_000 })).toMatchObject({
        exit_code: 0,
        refused: [],
        left_alone: [],
        databases: [{ status: "planned" }],
      });
  });
});

test("plans a database whose write-ahead log changes during the copy", async () => {
  await whileWriting(
    async (folder) => {
      for (let round = 0; round < 5; round += 1)
        expect(await planMigration(folder, { busyTimeoutMs: 30_000 })).toMatchObject({
          exit_code: 0,
          databases: [{ status: "planned", tables: [{ table: "metrics", rows: expect.any(Number) }] }],
        });
    },
    { rows: 200_000, words: ["wal"] },
  );
});

test("copies of a database and its growing log are sound and have all committed rows", async () => {
  await whileWriting(
    async (folder, path) => {
      const files = new FileProcess();
      const directory = join(folder, "copies");
      mkdirSync(directory);
      try {
        for (let round = 0; round < 30; round += 1) {
          const committed = untilAnotherRow(path, "metrics");
          expect(await files.snapshot(path, directory, 30_000)).toBe(true);
          const copy = connect(join(directory, "metrics.db"));
          expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
          const found = copy.prepare("SELECT count(*) FROM metrics").pluck().get();
          copy.close();
          expect(found).toBeGreaterThanOrEqual(committed);
        }
      } finally {
        files.close();
      }
    },
    { rows: 20_000, words: ["wal"] },
  );
});

test("copies again if the journal disappears before it is copied", async () => {
  await whileWriting(async (folder, path) => {
    const files = new FileProcess();
    const directory = join(folder, "copies");
    mkdirSync(directory);
    try {
      for (let round = 0; round < 200; round += 1)
        expect(typeof (await files.snapshot(path, directory, 0))).toBe("boolean");
    } finally {
      files.close();
    }
  });
});
