import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { systemReason } from "../../src/files/system_reason.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

it("finds no reason if there is space and every file is accessible, or if the code is not one of SQLite's", () => {
  const path = join(freshFolder(), "m.db");
  for (const code of [
    "SQLITE_IOERR_WRITE",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "EIO",
    "NO_SQLITE_IOERR",
    undefined,
    5,
  ])
    expect(systemReason(code, path)).toBe(undefined);
});

it("does not take a removed program for the reason, as after an update of Node.js", () => {
  const folder = freshFolder();
  const { execPath } = process;
  process.execPath = join(folder, "node");
  try {
    expect(systemReason("SQLITE_CANTOPEN", join(folder, "m.db"))).toBe(undefined);
  } finally {
    process.execPath = execPath;
  }
});

it("names a missing directory", () => {
  const path = join(freshFolder(), "gone", "m.db");
  expect(systemReason("SQLITE_IOERR", path)).toBe(`ENOENT: no such file or directory, ${join(path, "..")}`);
});

// A file system without any free space.
it("states the free space for codes of SQLite that do not name the shortage", ON_LINUX, () => {
  const short = "no space left on the disk: 0 kB free";
  for (const code of [
    "SQLITE_IOERR",
    "SQLITE_IOERR_SHMSIZE",
    "SQLITE_CANTOPEN",
    "SQLITE_CANTOPEN_FULLPATH",
    "SQLITE_FULL",
  ])
    expect(systemReason(code, "/proc/m.db")).toBe(short);
});

it("names the directory for temporary files if the disk of the database has space", ON_LINUX, () => {
  const path = join(freshFolder(), "m.db");
  const { dev } = statSync(dirname(path));
  const other = ["/dev/shm", "/var/tmp"].find((directory) => statSync(directory).dev !== dev) as string;
  const before = process.env["SQLITE_TMPDIR"];
  process.env["SQLITE_TMPDIR"] = other;
  try {
    expect(systemReason("SQLITE_FULL", path)).toContain(`in the directory for temporary files, ${other}: `);
  } finally {
    if (before === undefined) delete process.env["SQLITE_TMPDIR"];
    else process.env["SQLITE_TMPDIR"] = before;
  }
});
