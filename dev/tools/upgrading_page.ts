// Runs the commands of UPGRADING.md, in order and on real data, and puts their output into the page. With --check it
// only compares, and exits with 1 if the page shows something else.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { layOutStates } from "../../fixtures/lay_out.ts";
import { fixture } from "../../fixtures/paths.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const PAGE = fileURLToPath(new URL("../../UPGRADING.md", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../packages/migrator/src/cli.ts", import.meta.url));
const BLOCK = /^```console\n\$ perdura-migrate (.*)\n([^]*?)^```$/gm;

/**
 * `data`: a metrics database of a pre-16 program with invalid rows, and states. `later`: one whose levels a later
 * program destroyed.
 */
function layOut(place: string): void {
  for (const [directory, database] of [
    ["data", "field-a-invalid.db"],
    ["later", "field-c.db"],
  ] as const) {
    mkdirSync(join(place, directory));
    copyFileSync(fixture("legacy", database), join(place, directory, "metrics.db"));
    layOutStates("documented", join(place, directory, "state"));
  }
}

function run(words: string, place: string): string {
  const { stdout } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", "--no-warnings", PROGRAM, ...words.split(" ")],
    { cwd: place, encoding: "utf8" },
  );
  return stdout;
}

/** Replaces values that differ between runs and releases: free disk space, the time, checksums of files that contain one, the version. */
function normal(text: string): string {
  return text
    .replaceAll(/[\d.]+ [kMGT]?B free/g, "83.0 GB free")
    .replaceAll(/(?<=\bperdura-migrate )\d+\.\d+\.\d+/g, "0.1.0")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)/g, "2026-11-21 09:30 UTC")
    .replaceAll(/(v16[^\n]*sha256 )[0-9a-f]+/g, "$1d2b1c0a99e877665")
    .trimEnd();
}

/** The page with the current output of the commands. */
export function refreshedPage(page: string): string {
  const place = temporaryFolder();
  try {
    layOut(place);
    return page.replaceAll(
      BLOCK,
      (_block, words: string) => `\`\`\`console\n$ perdura-migrate ${words}\n${normal(run(words, place))}\n\`\`\``,
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(PAGE, "utf8");
  const after = refreshedPage(before);
  if (process.argv.includes("--check")) {
    if (after !== before)
      process.stderr.write(
        "UPGRADING.md does not match the output of its commands: run node dev/tools/upgrading_page.ts.\n",
      );
    process.exitCode = after === before ? 0 : 1;
  } else writeFileSync(PAGE, after);
}
