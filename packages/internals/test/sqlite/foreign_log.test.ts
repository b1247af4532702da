import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { assertLogsBelong } from "../../src/sqlite/foreign_log.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const WRITER = fileURLToPath(new URL("programs/any_writer.mjs", import.meta.url));

const RUNS = Math.ceil(Number(process.env["PERDURA_RUNS"] ?? 1));

const CELLS = ["wal", "delete", "truncate", "persist"].flatMap((journal) =>
  [0, 1, 2].map((vacuum) => ({ journal, vacuum })),
);

// Whatever a writer does with a database, and whenever it is killed: its own log must never be refused.
test.each(CELLS)("accepts every log of a killed writer (journal $journal, auto_vacuum $vacuum)", async (cell) => {
  const path = join(freshFolder(), "x.db");
  for (let run = 0; run < RUNS; run += 1) {
    const seed = Math.trunc(Math.random() * 2 ** 30);
    const child = spawn(process.execPath, [WRITER, path, cell.journal, String(cell.vacuum), String(seed)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    // It prints a line for each step. A number of steps instead of a time: slow machines reach the same places.
    let steps = 0;
    for await (const chunk of child.stdout) {
      steps += String(chunk).length;
      if (existsSync(path)) assertLogsBelong(path, `${path}, seed ${seed}`);
      if (steps > 200 + (seed % 300)) child.kill("SIGKILL");
    }
    await ended;
    assertLogsBelong(path, `${path}, seed ${seed}`);
  }
});
