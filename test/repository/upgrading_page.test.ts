import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { layOutStates } from "../../fixtures/lay_out.ts";
import { fixture } from "../../fixtures/paths.ts";

const cli = fileURLToPath(new URL("../../packages/migrator/src/cli.ts", import.meta.url));
const page = readFileSync(new URL("../../UPGRADING.md", import.meta.url), "utf8");

/** How much is free differs from disk to disk. */
const normal = (text: string): string => text.replaceAll(/[\d.]+ [kMGT]?B free/g, "… free").trim();

test("UPGRADING.md shows what the commands print, in this order", () => {
  const place = mkdtempSync(join(tmpdir(), "perdura-upgrading-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(join(place, "data"));
  copyFileSync(fixture("legacy", "field-a-odd.db"), join(place, "data", "metrics.db"));
  layOutStates("documented", join(place, "data", "state"));
  const blocks = [...page.matchAll(/^```console\n\$ perdura-migrate (.*)\n([^]*?)^```$/gm)];
  expect(blocks.map(([, words]) => words)).toEqual([
    "plan data",
    "up --invalid-rows quarantine data",
    "verify data",
    "up data",
  ]);
  for (const [, words, shown] of blocks as unknown as [string, string, string][]) {
    const { stdout } = spawnSync(
      process.execPath,
      ["--conditions=@perdura/source", "--no-warnings", cli, ...words.split(" ")],
      {
        cwd: place,
        encoding: "utf8",
      },
    );
    expect(normal(stdout)).toBe(normal(shown));
  }
});
