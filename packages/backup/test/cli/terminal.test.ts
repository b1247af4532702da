import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { describe, expect, test } from "vitest";
import { hasTerminals, type Seen, seenInTerminal } from "../../../../test/in_terminal.ts";
import { freshFolder, libraryOf } from "../elements.ts";
import { commandLine } from "./program.ts";
import { runProgram } from "./run_program.ts";
import { needs } from "../../../../test/needs.ts";

/** Runs perdura-backup in a pseudo terminal. */
function runInTerminal(
  words: readonly string[],
  options: Partial<Parameters<typeof seenInTerminal>[1]> = {},
): Promise<Seen> {
  return seenInTerminal(commandLine(...words), { columns: 100, ...options });
}

async function storeWithVersions(): Promise<{ address: string; versions: () => string[]; file: string }> {
  const folder = freshFolder();
  const [file, tree] = [join(folder, "agents.json"), join(folder, "store")];
  const address = pathToFileURL(tree).href;
  for (const id of ["one", "two", "three"]) {
    saveLibraryToJson(libraryOf(id), file);
    await runProgram("push", "-q", address, file);
  }
  const versions = (): string[] => readdirSync(join(tree, "agents")).filter((name) => name.endsWith(".json"));
  return { address, versions, file };
}

// `script` of util-linux makes the pseudo terminals; other systems have no such program, or one with other options.
describe("in a terminal", needs("terminal", !hasTerminals), () => {
  test.each([
    ["y\n", 0, 1],
    ["n\n", 3, 3],
    ["\u0004", 3, 3],
    ["\u0003", 130, 3],
  ])("prune lists the versions and asks: %j", async (typed, code, left) => {
    const { address, versions } = await storeWithVersions();
    const [oldest = "", middle = ""] = versions().toSorted();
    const seen = await runInTerminal(["prune", address, "--keep-last", "1"], { typed });
    expect(seen.bytes).toContain("Remove these 2 versions? 1 would be kept. [y/N]");
    for (const version of [oldest, middle]) expect(seen.bytes.split("[y/N]")[0]).toContain(version);
    expect({ code: seen.code, left: versions().length }).toEqual({ code, left });
    if (code !== 0) expect(seen.bytes).not.toContain("Removed");
  });

  test("prune asks about one version in the singular", async () => {
    const { address } = await storeWithVersions();
    const seen = await runInTerminal(["prune", address, "--keep-last", "2"], { typed: "n\n" });
    expect(seen.bytes).toContain("Remove this version? 2 would be kept. [y/N]");
  });

  test("prune does not ask if there is nothing to remove, nor with --yes, --dry-run, --json or --quiet", async () => {
    const { address, versions } = await storeWithVersions();
    for (const [words, code] of [
      [["--keep-last", "5"], 0],
      [["--keep-last", "1", "--dry-run"], 0],
      [["--keep-last", "1", "--json"], 3],
      [["--keep-last", "1", "--quiet"], 3],
    ] as const) {
      const seen = await runInTerminal(["prune", address, ...words]);
      expect({ words, code: seen.code, asked: seen.bytes.includes("[y/N]") }).toEqual({ words, code, asked: false });
      expect(versions()).toHaveLength(3);
    }
    expect(await runInTerminal(["prune", address, "--keep-last", "1", "--yes"])).toMatchObject({ code: 0 });
    expect(versions()).toHaveLength(1);
  });

  test("prints colours unless NO_COLOR, --no-color or a dumb terminal forbid them, and clears the progress", async () => {
    const { address, file } = await storeWithVersions();
    const seen = async (words: string[], environment = {}): Promise<string> =>
      (await runInTerminal(["list", ...words, address], { environment })).bytes;
    expect(await seen([])).toContain("\u001b[1m");
    for (const bytes of [
      await seen([], { NO_COLOR: "1" }),
      await seen(["--no-color"]),
      await seen([], { TERM: "dumb" }),
    ])
      expect(bytes).not.toContain("\u001b");
    const { bytes } = await runInTerminal(["push", address, file]);
    expect(bytes).toMatch(/\r\u001b\[2K[^\r\n]*agents: storing[^\n]*\r\u001b\[2K(?:\u001b\[32m)?Stored agents/);
  });

  test.each([40, 60, 80, 120])("a list fits into %i columns, and its versions can be copied", async (columns) => {
    const { address, versions } = await storeWithVersions();
    const { bytes } = await runInTerminal(["list", address], { columns });
    const lines = bytes.replaceAll(/\u001b\[\d*m/g, "").split("\r\n");
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    if (columns > 45) for (const version of versions()) expect(bytes).toContain(version);
    expect(lines.some((line) => /^not shown in \d+ columns: .*created/.test(line))).toBe(columns < 80);
  });
});

test(
  "exit code 1 if the output cannot be written, and a report of what was done",
  needs("linux", !existsSync("/dev/full")),
  async () => {
    const { address, file } = await storeWithVersions();
    const line = '"$@" >/dev/full';
    const { status, stderr } = spawnSync("sh", ["-c", line, "sh", ...commandLine("push", "-q", address, file)], {
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^perdura-backup: The output could not be written \(ENOSPC[^\n]*\)\. Stored agents as [^\n]*\n$/,
    );
  },
);
