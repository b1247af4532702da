import { join } from "node:path";
import { expect, it } from "vitest";
import { shortageAfter } from "../../src/errors/disk_space.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

it("returns nothing if there is space, or if the code already names the shortage", () => {
  const path = join(freshFolder(), "m.db");
  expect(shortageAfter("SQLITE_IOERR_WRITE", path)).toBe("");
  expect(shortageAfter("SQLITE_CANTOPEN", path)).toBe("");
  expect(shortageAfter("SQLITE_IOERR", join(path, "gone", "m.db"))).toBe("");
});

// A file system without any free space.
it("states the free space for codes of SQLite that do not name the shortage", ON_LINUX, () => {
  const short = " (no space left on the disk: 0 kB free)";
  for (const code of ["SQLITE_IOERR", "SQLITE_IOERR_SHMSIZE", "SQLITE_CANTOPEN", "SQLITE_CANTOPEN_FULLPATH"])
    expect(shortageAfter(code, "/proc/m.db")).toBe(short);
  for (const code of ["SQLITE_FULL", "EIO", "NO_SQLITE_IOERR", undefined, 5])
    expect(shortageAfter(code, "/proc/m.db")).toBe("");
});
