import { readFileSync, writeFileSync } from "node:fs";
import { connect, FIELD_A } from "../../../../test/legacy/legacy_database.ts";

/** Parts of a database in its file, each as page numbers. */
export interface Pages {
  size: number;
  schema: number[];
  interior: number[];
  leaf: number[];
  index: number[];
  overflow: number[];
  freeTrunk: number[];
}

/** Makes a field database with pages of every kind, including free ones. */
export function makeManyPages(path: string): Pages {
  const database = connect(path);
  database.exec(`PRAGMA page_size = 512; ${FIELD_A}
    CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT);
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120)
      INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, timestamp, metadata)
      SELECT 'user ' || (n % 7), n % 5 + 1, n % 2, n / 8.0, '2025-10-20 12:00:00', iif(n % 10 = 0, printf('%.*c', 1500, 'm'), NULL) FROM numbers;
    INSERT INTO notes SELECT id, printf('%.*c', 300, 'n') FROM metrics;
    DELETE FROM notes WHERE id > 40;`);
  const listed = database.prepare("SELECT name, pageno, pagetype FROM dbstat ORDER BY pageno").all() as {
    name: string;
    pageno: number;
    pagetype: string;
  }[];
  database.close();
  const pages = (wanted: (name: string, type: string) => boolean): number[] =>
    listed.filter(({ name, pagetype }) => wanted(name, pagetype)).map(({ pageno }) => pageno);
  return {
    size: 512,
    schema: pages((name) => name === "sqlite_schema"),
    interior: pages((name, type) => name === "metrics" && type === "internal"),
    leaf: pages((name, type) => name === "metrics" && type === "leaf"),
    index: pages((name) => name.startsWith("idx_")),
    overflow: pages((name, type) => name === "metrics" && type === "overflow"),
    freeTrunk: [readFileSync(path).readUInt32BE(32)],
  };
}

/** Changes bytes of a file that no process has open. */
export function damage(path: string, change: (bytes: Buffer) => Buffer | void): void {
  const bytes = readFileSync(path);
  writeFileSync(path, change(bytes) ?? bytes);
}
