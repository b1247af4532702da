import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programWords } from "../../../test/programs.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { ON_POSIX } from "../../../test/needs.ts";

const PROGRAM = new URL("../src/main.ts", import.meta.url);

/** Starts a soak like a shell, in its own process group, and reports its output. */
function started(words: readonly string[]) {
  const place = freshFolder();
  const report = join(place, "report.json");
  const child = spawn(process.execPath, [...programWords(PROGRAM), ...words, "--dir", place, "--json", report], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  /** Sends SIGINT to the whole group, as a terminal does at Ctrl+C. */
  const interrupt = (): void => void process.kill(-(child.pid ?? 0), "SIGINT");
  /** Waits until a file appears below the place of the trials, or text in the output. */
  const until = async (isThere: (names: string[]) => boolean): Promise<void> => {
    const changes = new EventEmitter();
    const changed = (): void => void changes.emit("change");
    const watcher = watch(place, { recursive: true }, changed);
    child.stderr.on("data", changed);
    try {
      for (;;) {
        const next = once(changes, "change");
        if (isThere(readdirSync(place, { recursive: true, encoding: "utf8" }))) return;
        await next;
      }
    } finally {
      watcher.close();
      child.stderr.off("data", changed);
    }
  };
  return { place, report, ended, interrupt, until, said: () => ({ stdout, stderr }) };
}

test("Ctrl+C ends a soak after the current trial, which does not count as wrong", ON_POSIX, async () => {
  // A small part: every trial that has begun is finished.
  const soak = started(["documents", "--share", "0.3", "--seed", "3"]);
  await soak.until((names) => names.some((name) => name.endsWith("/progress")));
  soak.interrupt();
  expect(await soak.ended).toBe(130);
  const { stdout, stderr } = soak.said();
  expect(stderr).toContain("Interrupted: finishing the current trial.");
  expect(stdout).toMatch(/\d+ trials, \d+ survived, 0 lost, 0 wrong \(\d+ s, interrupted\)/);
  expect(JSON.parse(readFileSync(soak.report, "utf8"))).toMatchObject({ interrupted: true, complaints: [] });
  expect(readdirSync(soak.place)).toEqual(["report.json"]);
});

test("Ctrl+C twice kills a soak at once", ON_POSIX, async () => {
  const soak = started(["documents", "--only", "library JSON", "--seed", "3"]);
  await soak.until((names) => names.some((name) => name.endsWith("/progress")));
  soak.interrupt();
  await soak.until(() => soak.said().stderr.includes("Interrupted"));
  soak.interrupt();
  expect(await soak.ended).toBe(137);
});
