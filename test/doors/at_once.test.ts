import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { openBackupStore } from "@perdura/backup";
import * as v16 from "@perdura/v16";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { programWords } from "../programs.ts";

const PROGRAM = new URL("programs/record_save_push.ts", import.meta.url);

/** Runs the program; kills it after a number of lines, if one is given. Returns what it acknowledged. */
async function run(words: string[], killedAfter = Infinity): Promise<string[]> {
  const child = spawn(process.execPath, [...programWords(PROGRAM), ...words], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout }))
    if (lines.push(line) === killedAfter) child.kill("SIGKILL");
  const [code] = await ended;
  expect(code).toBe(killedAfter === Infinity ? 0 : null);
  return lines;
}

/** A round has three lines. */
test.each([
  ["none is killed", undefined],
  ["one is killed while it saves", 13],
  ["one is killed while it pushes", 14],
  ["one is killed while it records", 15],
])("two processes that record, save and push at once lose nothing: %s", async (_what, killedAfter) => {
  const folder = freshFolder();
  const path = join(folder, "all.db");
  const address = pathToFileURL(join(folder, "store")).href;
  v16.PatternPersistence.saveToSqlite(new v16.PatternLibrary(), path);
  const [one, other] = await Promise.all([
    run([path, address, "one", "12"]),
    run([path, address, "other", "12"], killedAfter),
  ]);
  const library = v16.PatternPersistence.loadFromSqlite(path);
  using collector = new v16.MetricsCollector(path);
  for (const [user, lines] of [
    ["one", one],
    ["other", other],
  ] as const) {
    const rows = lines.filter((line) => line === "row").length;
    expect(collector.getUserStats(user).total_operations).toBeGreaterThanOrEqual(rows);
    for (const line of lines) if (line.startsWith("pattern ")) expect(library.patterns.has(line.slice(8))).toBe(true);
  }
  const store = await openBackupStore(address);
  const verified = await store.verify();
  expect(verified.filter(({ ok }) => !ok)).toEqual([]);
  for (const line of [...one, ...other].filter((each) => each.startsWith("backup "))) {
    const [, version, pattern] = line.split(" ") as [string, string, string];
    expect(verified.map((each) => each.version)).toContain(version);
    const to = join(folder, "restored.db");
    await store.restore("all", { to, version, overwrite: true });
    expect(v16.PatternPersistence.loadFromSqlite(to).patterns.has(pattern)).toBe(true);
  }
});
