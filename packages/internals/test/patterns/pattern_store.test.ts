import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryName } from "../../src/files/temporary_names.ts";
import { saveLibraryToJson } from "../../src/patterns/json_save.ts";
import { loadLibraryFromSqlite } from "../../src/patterns/sqlite_load.ts";
import { saveLibraryToSqlite } from "../../src/patterns/sqlite_save.ts";
import { SqlitePatternStore } from "../../src/patterns/sqlite_store.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { openFilesIn } from "../files/open_files_in.ts";
import { change, library } from "./libraries.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

describe("a store in memory", () => {
  it("replaces its library repeatedly", () => {
    const store = new SqlitePatternStore(undefined);
    for (const ids of [["a", "b"], ["b", "c"], ["c"]]) {
      store.save(library(...ids), { mode: "replace" });
      expect([...store.load().patterns.keys()]).toEqual(ids);
    }
    store.close();
  });

  it("refuses to load before a save and after close", () => {
    const store = new SqlitePatternStore(undefined);
    expect(() => store.load()).toThrow(/^No pattern library was saved in memory yet\.$/);
    store.close();
    expect(() => store.load()).toThrow(/^The pattern store of :memory: was closed\.$/);
    expect(() => store.save(library())).toThrow(/was closed/);
  });
});

it("a closed store in a file writes nothing", () => {
  const folder = freshFolder();
  const store = new SqlitePatternStore(join(folder, "p.db"));
  store.close();
  expect(() => store.save(library("a"))).toThrow(/was closed/);
  expect(readdirSync(folder)).toEqual([]);
});

it("closes the file after loading, whether that succeeds or not", ON_LINUX, () => {
  const folder = freshFolder();
  const path = join(folder, "p.db");
  saveLibraryToSqlite(library("a"), path);
  expect(openFilesIn(folder)).toBe(0);
  loadLibraryFromSqlite(path);
  expect(openFilesIn(folder)).toBe(0);
  change(path, "UPDATE patterns SET context = '[]'");
  expect(() => loadLibraryFromSqlite(path)).toThrow("context");
  expect(openFilesIn(folder)).toBe(0);
});

it("saving removes temporary files of ended programs, for a new and an existing file", () => {
  const folder = freshFolder();
  const gone = String(spawnSync(process.execPath, ["-e", ""]).pid);
  const left = join(folder, temporaryName("x", "00ff00ff").replace(`-${process.pid}-`, `-${gone}-`));
  for (const save of [
    () => saveLibraryToSqlite(library("a"), join(folder, "p.db")),
    () => saveLibraryToSqlite(library("a"), join(folder, "p.db")),
    () => saveLibraryToJson(library("a"), join(folder, "p.json")),
  ]) {
    writeFileSync(left, "half");
    save();
    expect(readdirSync(folder)).not.toContain(left.slice(folder.length + 1));
  }
  expect(readdirSync(folder)).toEqual(["p.db", "p.json"]);
});
