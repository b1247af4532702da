import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { output, start } from "./programs/run_program.ts";
import { ON_POSIX } from "../needs.ts";

const save = (what: string, path: string): Promise<string> => output(start("save_without_rights.ts", what, path));

/** A directory that every user may write to, below one that every user may enter. */
function sharedDirectory(mode: number): string {
  const outer = freshFolder();
  chmodSync(outer, 0o755);
  const directory = join(outer, "shared");
  mkdirSync(directory);
  chmodSync(directory, mode);
  return directory;
}

describe("with restricted permissions", ON_POSIX, () => {
  test("the temporary file of another user's killed process does not prevent saving", async () => {
    const directory = sharedDirectory(0o1777);
    const leftover = join(directory, ".x.json.00000000-1-00000000.perdura-tmp");
    writeFileSync(leftover, "");
    utimesSync(leftover, 1, 1);
    expect(await save("json", join(directory, "x.json"))).toBe("saved");
    expect(await save("state", directory)).toBe("saved");
    expect(await save("sqlite", join(directory, "x.db"))).toBe("saved");
  });

  test("saves into a directory that cannot be listed", async () => {
    const directory = sharedDirectory(0o333);
    expect(await save("json", join(directory, "x.json"))).toMatch(
      /saved|StorageError.*x\.json: the new content is in place, but its directory could not be synced \(EACCES/,
    );
    expect(existsSync(join(directory, "x.json"))).toBe(true);
  });

  test("saving into a read-only directory causes a StorageError that names the file", async () => {
    const directory = sharedDirectory(0o555);
    for (const [what, file] of [
      ["json", "x.json"],
      ["sqlite", "x.db"],
    ] as const) {
      expect(await save(what, join(directory, file))).toMatch(
        new RegExp(`StorageError: .*${file}: (opening|saving) failed: .*No stored data was changed`),
      );
    }
    expect(await save("state", directory)).toMatch(/StorageError: .*u\.json: saving failed: EACCES/);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("loads libraries from a read-only directory, and refuses to open a collector there", async () => {
    const directory = sharedDirectory(0o755);
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    PatternPersistence.saveToJson(library, join(directory, "x.json"));
    PatternPersistence.saveToSqlite(library, join(directory, "x.db"));
    new MetricsCollector(join(directory, "m.db")).close();
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
    chmodSync(directory, 0o555);
    const load = (what: string, name: string): Promise<string> =>
      output(start("load_without_rights.ts", what, join(directory, name)));
    expect(await Promise.all([load("json", "x.json"), load("sqlite", "x.db")])).toEqual(["1", "1"]);
    expect(await load("metrics", "m.db")).toMatch(/^StorageError: .*m\.db: opening failed: EACCES/);
  });

  test("does not replace a write-protected file", async () => {
    const directory = sharedDirectory(0o777);
    const file = join(directory, "x.json");
    writeFileSync(file, "old", { mode: 0o444 });
    expect(await save("json", file)).toMatch(/StorageError: .*x\.json: saving failed: EACCES/);
    expect(readFileSync(file, "utf8")).toBe("old");
  });
});

test("names a directory in place of a file, and a file in place of a directory", () => {
  const directory = freshFolder();
  const library = new PatternLibrary();
  expect(() => PatternPersistence.loadFromJson(directory)).toThrow(
    expect.objectContaining({ name: "StorageError", path: directory, message: expect.stringContaining(directory) }),
  );
  writeFileSync(join(directory, "file"), "");
  expect(() => PatternPersistence.saveToJson(library, join(directory, "file", "x.json"))).toThrow(
    /file does not exist|ENOTDIR/,
  );
});
