import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

const LARGE = 64 * 1024 * 1024;
const logSize = (path: string): number => statSync(`${path}-wal`).size;

/** Begins to read, and lets the log grow beyond its limit meanwhile; returns a function that ends the reading. */
function growLog(path: string): () => void {
  const [reader, writer] = [new Database(path, { readonly: true }), new Database(path)];
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM interactions").get();
  writer.pragma("synchronous = OFF");
  writer.exec("CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(70000000)); DROP TABLE filler");
  writer.close();
  expect(logSize(path)).toBeGreaterThan(LARGE);
  return () => reader.close();
}

describe.for(COLLECTORS)("a large write-ahead log of a collector of $name", ({ open }) => {
  test("is kept while another connection reads from it, and recording continues", () => {
    const path = temporaryDatabase();
    using collector = open(path, { durability: "normal" });
    const endReading = growLog(path);
    for (let row = 0; row < 300; row += 1) collector.recordInteraction("ada", 2, true, row);
    expect(logSize(path)).toBeGreaterThan(LARGE);
    endReading();
    expect(collector.getGlobalStats().total_interactions).toBe(300);
  });

  test("is emptied once no connection reads from it, without losing a row", () => {
    const path = temporaryDatabase();
    using collector = open(path, { durability: "normal" });
    growLog(path)();
    for (let row = 0; row < 300; row += 1) collector.recordInteraction("ada", 2, true, row);
    expect(logSize(path)).toBeLessThan(LARGE / 8);
    expect(collector.getGlobalStats().total_interactions).toBe(300);
  });

  test("is emptied by a writer, also through a symbolic link", async () => {
    const [path, link] = [temporaryDatabase(), join(freshFolder(), "link.db")];
    open(path).close();
    symlinkSync(path, link);
    {
      using collector = open(link, { durability: "normal" });
      growLog(path)();
      const writer = collector.writer();
      await Promise.all(Array.from({ length: 300 }, (_, row) => writer.recordInteraction("ada", 2, true, row)));
      expect(logSize(path)).toBeLessThan(LARGE / 8);
    }
  });
});
