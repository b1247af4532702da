import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import { expect, test } from "vitest";
import { freshFolder, libraryOf } from "../elements.ts";
import { schemaErrors } from "./json_schemas.ts";
import { runProgram } from "./run_program.ts";

test("results and progress of all commands match their schemas", async () => {
  const folder = freshFolder();
  const at = (name: string): string => join(folder, name);
  const address = pathToFileURL(at("store")).href;
  saveLibraryToJson(libraryOf("a"), at("a.json"));
  saveLibraryToSqlite(libraryOf("b"), at("a.db"));
  const damage = (): void => {
    const tree = at("store/a");
    const [one = "", other = ""] = readdirSync(tree).filter((name) => name.endsWith(".json"));
    copyFileSync(join(tree, one), join(tree, other));
    copyFileSync(at("a.db"), join(tree, other));
  };
  const lines: [words: string[], code: number, stages: string[], before?: () => void][] = [
    [["verify", address], 1, [], () => mkdirSync(at("store"))],
    [["push", address, at("a.json")], 0, ["snapshot", "upload", "check"]],
    [["push", address, at("a.db")], 0, ["snapshot", "upload", "check"]],
    [["push", "--if-changed", address, at("a.db")], 0, ["snapshot"]],
    [["push", address, at("a.json")], 0, ["snapshot", "upload", "check"]],
    [["list", address], 0, []],
    [["list", "--quiet", address, "a"], 0, []],
    [["pull", address, "a", "--to", at("back.json")], 0, ["download"]],
    [["verify", address], 0, ["download", "download", "download"]],
    [["prune", "--dry-run", "--keep-last", "2", address], 0, []],
    [["verify", address], 4, ["download", "download", "download"], damage],
    [["prune", "--yes", "--keep-last", "1", address, "a"], 0, []],
  ];
  for (const [words, code, stages, before] of lines) {
    before?.();
    const seen = await runProgram(...words, "--json");
    expect({ words, code: seen.code, stderr: seen.code === code ? "" : seen.stderr }).toEqual({
      words,
      code,
      stderr: "",
    });
    const result = JSON.parse(seen.stdout) as object;
    expect({ words, errors: schemaErrors("result", result) }).toEqual({ words, errors: [] });
    expect(result).toMatchObject({ command: words[0], exit_code: code, place: address });
    const events = seen.stderr
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { stage: string });
    expect({ words, stages: events.map(({ stage }) => stage) }).toEqual({ words, stages });
    for (const event of events) expect(schemaErrors("progress", event)).toEqual([]);
  }
});

test("a failure prints no result, only a message on stderr", async () => {
  const seen = await runProgram("list", "--json", "file:///nowhere/at/all");
  expect(seen).toEqual({
    code: 2,
    stdout: "",
    stderr: "perdura-backup: file:///nowhere/at/all: the directory does not exist.\n",
  });
});
