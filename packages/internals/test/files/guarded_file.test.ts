import { constants, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { readAt, withFile, withFileInTurn } from "../../src/files/guarded_file.ts";
import { readHead, readWhole } from "../../src/files/read_bytes.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_LINUX } from "../../../../test/needs.ts";
import { openFilesIn } from "./open_files_in.ts";

function database(): { folder: string; path: string; connection: Database.Database } {
  const folder = freshFolder();
  const path = join(folder, "x.db");
  const connection = new Database(path);
  connection.exec("CREATE TABLE t (x)");
  return { folder, path, connection };
}

test("keeps one descriptor of a database that is open, and closes it with the next file after that", ON_LINUX, () => {
  const { folder, path, connection } = database();
  for (let times = 0; times < 3; times += 1) expect(readHead(path, 6).toString()).toBe("SQLite");
  expect(readWhole(path).length).toBe(8192);
  expect(openFilesIn(folder)).toBe(2);
  connection.close();
  expect(openFilesIn(folder)).toBe(1);
  expect(readWhole(path).length).toBe(8192);
  expect(openFilesIn(folder)).toBe(0);
});

test("keeps one descriptor also if links are refused, and refuses them still", ON_LINUX, () => {
  const { folder, path, connection } = database();
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  for (let times = 0; times < 3; times += 1)
    withFile(path, (descriptor) => readAt(descriptor, Buffer.alloc(6), 0), flags);
  expect(openFilesIn(folder)).toBe(2);
  symlinkSync(path, `${path}.link`);
  expect(() => withFile(`${path}.link`, () => undefined, flags)).toThrow(expect.objectContaining({ code: "ELOOP" }));
  expect(() => withFile(path, () => undefined, "wx")).toThrow(expect.objectContaining({ code: "EEXIST" }));
  connection.close();
});

test("goes by the first bytes that were read, and by the file if none were", ON_LINUX, () => {
  const { folder, path, connection } = database();
  const other = join(folder, "other");
  writeFileSync(other, "other");
  withFile(
    other,
    () => undefined,
    "r",
    () => Buffer.from("o"),
  );
  expect(openFilesIn(folder)).toBe(1);
  withFile(
    path,
    () => undefined,
    "r",
    () => Buffer.alloc(0),
  );
  expect(openFilesIn(folder)).toBe(2);
  connection.close();
});

test("keeps a descriptor of an empty file that is open, because SQLite locks a new database first", ON_LINUX, () => {
  const folder = freshFolder();
  const path = join(folder, "new.db");
  const connection = new Database(path);
  expect(readWhole(path).length).toBe(0);
  expect(openFilesIn(folder)).toBe(2);
  connection.close();
  readWhole(path);
  expect(openFilesIn(folder)).toBe(0);
});

test("does not read a kept descriptor if the path has another file by now", ON_LINUX, () => {
  const { path, connection } = database();
  readHead(path, 1);
  renameSync(path, `${path}.old`);
  writeFileSync(path, "other");
  expect(readWhole(path).toString()).toBe("other");
  connection.close();
});

test("reads fewer bytes only at the end of the file", () => {
  const path = join(freshFolder(), "x");
  writeFileSync(path, "0123456789");
  const bytes = Buffer.alloc(6);
  expect(withFile(path, (descriptor) => [0, 6, 10].map((at) => readAt(descriptor, bytes, at)))).toEqual([6, 4, 0]);
});

test(
  "keeps one descriptor of a database that is read asynchronously, and closes it only after that",
  ON_LINUX,
  async () => {
    const { folder, path, connection } = database();
    readHead(path, 1);
    await withFileInTurn(path, async (descriptor) => {
      connection.close();
      // Closes what was kept, if nobody reads it.
      readHead(join(folder, "x.db"), 1);
      await Promise.resolve();
      expect(readAt(descriptor, Buffer.alloc(6), 0)).toBe(6);
    });
    readHead(path, 1);
    expect(openFilesIn(folder)).toBe(0);
  },
);
