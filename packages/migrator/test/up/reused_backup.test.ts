import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { FileProcess } from "../../src/io/child/workers.ts";
import { migrate } from "../support/migrate.ts";
import { damage } from "../support/damaged_database.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";

/** A database with free pages, and its copy. */
function twoEqual(): { path: string; copy: string; pageSize: number; free: number[] } {
  const folder = freshFolder();
  const [path, copy] = [join(folder, "m.db"), join(folder, "copy.db")];
  copyFileSync(fixture("legacy", "field-d.db"), path);
  const database = connect(path, { readonly: true });
  const used = new Set(database.prepare("SELECT pageno FROM dbstat").pluck().all());
  const pageSize = database.pragma("page_size", { simple: true }) as number;
  database.close();
  copyFileSync(path, copy);
  const pages = Array.from({ length: statSync(path).size / pageSize }, (_, index) => index + 1);
  return { path, copy, pageSize, free: pages.filter((page) => !used.has(page)) };
}

/** Offset of the last free page: the first one lists the others. */
const lastFree = ({ pageSize, free }: ReturnType<typeof twoEqual>): number => ((free.at(-1) as number) - 1) * pageSize;

test("databases are equal if only free pages differ", async () => {
  const files = new FileProcess();
  try {
    const pair = twoEqual();
    const same = (): Promise<boolean> => files.same(pair.path, pair.copy);
    expect(pair.free.length).toBeGreaterThan(1);
    expect(await same()).toBe(true);
    damage(pair.copy, (bytes) => void bytes.fill(0xab, lastFree(pair), lastFree(pair) + pair.pageSize));
    expect(await same()).toBe(true);
    for (const at of [24, 200, pair.pageSize + 10]) {
      damage(pair.copy, (bytes) => void bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at));
      expect(await same()).toBe(false);
      damage(pair.copy, (bytes) => void bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at));
      expect(await same()).toBe(true);
    }
    damage(pair.copy, (bytes) => Buffer.concat([bytes, Buffer.alloc(pair.pageSize)]));
    expect(await same()).toBe(false);
  } finally {
    files.close();
  }
});

test("other files are equal if their bytes are", async () => {
  const files = new FileProcess();
  try {
    const { path, copy } = twoEqual();
    damage(copy, (bytes) => bytes.fill(0xab));
    expect(await files.same(path, copy)).toBe(false);
    expect(await files.same(copy, path)).toBe(false);
    expect(await files.same(copy, copy)).toBe(true);
    // Not a whole number of pages: no page counts as free.
    for (const file of [path, copy]) writeFileSync(file, readFileSync(fixture("legacy", "field-d.db")).subarray(0, -1));
    expect(await files.same(path, copy)).toBe(true);
  } finally {
    files.close();
  }
});

test("uses the backup of a killed run although the rollback changed a free page", async () => {
  const pair = twoEqual();
  copyFileSync(pair.path, `${pair.path}.v15.bak`);
  damage(pair.path, (bytes) => void bytes.fill(0xab, lastFree(pair), lastFree(pair) + pair.pageSize));
  const report = await migrate(pair.path, { missingLevel: 3 });
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [{ backup: { path: `${pair.path}.v15.bak`, reused: true } }],
  });
  const files = new FileProcess();
  expect(report.databases[0]?.backup?.sha256).toBe(
    await files.hash(`${pair.path}.v15.bak`).finally(() => files.close()),
  );
  expect(existsSync(`${pair.path}.v15.2.bak`)).toBe(false);
});
