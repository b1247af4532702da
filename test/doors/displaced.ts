import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Ways in which the files of an open database in WAL mode disappear from its path, DIRECTORY/metrics.db. */
export const DISPLACED: Record<string, (path: string) => void> = {
  "the file is moved away": (path) => renameSync(path, `${path}.old`),
  "the file is removed": (path) => rmSync(path),
  "the file is replaced": (path) => {
    copyFileSync(path, `${path}.new`);
    renameSync(`${path}.new`, path);
  },
  "the file is moved away, and a link leads to it": (path) => {
    renameSync(path, `${path}.old`);
    symlinkSync(`${path}.old`, path);
  },
  "its log is removed": (path) => rmSync(`${path}-wal`),
  "its log is replaced": (path) => {
    copyFileSync(`${path}-wal`, `${path}.new`);
    renameSync(`${path}.new`, `${path}-wal`);
  },
  "its directory is moved away": (path) => renameSync(dirname(path), `${dirname(path)}.old`),
  "its directory is replaced": (path) => {
    renameSync(dirname(path), `${dirname(path)}.old`);
    mkdirSync(dirname(path));
    copyFileSync(join(`${dirname(path)}.old`, "metrics.db"), path);
  },
  "another SQLite of this process closes it": (path) => {
    const other = new DatabaseSync(path);
    other.prepare("SELECT count(*) FROM sqlite_schema").get();
    other.close();
  },
};
