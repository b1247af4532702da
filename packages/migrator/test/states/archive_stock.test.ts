import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { needs } from "../../../../test/needs.ts";

const isInstalled = spawnSync("sqlite3", ["--version"]).error === undefined;

/** Runs the stock sqlite3. It exits with 0 even if it stops in the middle, so its stderr counts. */
function stock(directory: string, archive: string, option: string): string {
  const { stdout, stderr } = spawnSync("sqlite3", [archive, option], { cwd: directory, encoding: "latin1" });
  expect(stderr).toBe("");
  return stdout;
}

/**
 * State that the stock program can extract: times in whole seconds, without those of links; no setuid and setgid bits.
 * Directories have the time of the last extraction into them.
 */
function asExtracted(directory: string): string {
  return treeStamp(directory)
    .split("\n")
    .slice(1)
    .map((line) =>
      line.replace(/ ([0-7]{5,6}) (-?\d+)(?= |$)/, (_match, mode: string, time: string) => {
        const isFile = mode.startsWith("10");
        return ` ${(Number.parseInt(mode, 8) & ~0o7000).toString(8)} ${isFile ? BigInt(time) / 1_000_000_000n : ""}`;
      }),
    )
    .join("\n");
}

test.each([
  ["odd entries", makeUnusualStates],
  ["the set field", (directory: string): void => void layOutStates("field", directory)],
  ["the set broken", (directory: string): void => void layOutStates("broken", directory)],
] as [string, (directory: string) => void][])(
  "the stock sqlite3 lists and extracts the archive, links too: %s",
  needs("sqlite3", !isInstalled),
  async (_what, layOut) => {
    const directory = join(freshFolder(), "empathy_state");
    layOut(directory);
    // The stock program treats times before 1970 as missing.
    for (const name of readdirSync(directory, { encoding: "buffer" })) {
      const path = Buffer.concat([Buffer.from(`${directory}/`), name]);
      if (lstatSync(path).isFile() && statSync(path).mtimeMs < 0) utimesSync(path, 1, 1);
    }
    expect((await migrate(directory)).exit_code).toBe(0);
    const archive = `${directory}.v15.sqlar`;
    const names = treeStamp(directory).split("\n").slice(1);
    expect(stock(freshFolder(), archive, "-At").trimEnd().split("\n").length).toBe(names.length);
    const target = freshFolder();
    stock(target, archive, "-Ax");
    expect(asExtracted(target)).toBe(asExtracted(directory));
  },
);

test(
  "what the stock sqlite3 extracts through links changes nothing that they lead to",
  needs("sqlite3", !isInstalled),
  async () => {
    const directory = join(freshFolder(), "empathy_state");
    makeUnusualStates(directory);
    await migrate(directory);
    const target = freshFolder();
    stock(target, `${directory}.v15.sqlar`, "-Ax");
    expect(statSync(join(target, "alice.json")).mtimeMs).toBe(1_700_000_000_000);
  },
);
