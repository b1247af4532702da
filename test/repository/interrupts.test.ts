import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { canTrace } from "../../dev/soak/src/system_calls/strace.ts";
import { LARGE } from "../../packages/migrator/src/io/child/workers.ts";
import { PATIENCE_MS } from "../patience.ts";
import { programWords } from "../programs.ts";
import { freshFolder } from "../fresh_folder.ts";
import { needs, ON_LINUX } from "../needs.ts";

const PRELOAD = new URL("./programs/interrupt_at.ts", import.meta.url).href;

type Program = "migrator" | "backup" | "conformance";

/** Words after `node` that run the program. */
const programOf = (name: Program): string[] =>
  programWords(new URL(`../../packages/${name}/src/cli.ts`, import.meta.url));

/** Runs one of the three programs, interrupted at a moment that `interrupt_at.ts` supports. */
function run(name: Program, moment: string, words: readonly string[], temporary: string) {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--import", PRELOAD, ...programOf(name), ...words],
    {
      encoding: "utf8",
      env: { ...process.env, TMPDIR: temporary, PERDURA_TEST_INTERRUPT: moment },
      timeout: PATIENCE_MS,
    },
  );
  return { end: signal ?? status, stdout, stderr };
}

/** A folder with a library and a place for backups, and words for each program that change neither. */
function layOut() {
  const folder = freshFolder();
  const [library, store, temporary] = ["library.db", "store", "temporary"].map((name) => join(folder, name));
  PatternPersistence.saveToSqlite(new PatternLibrary(), library as string);
  for (const made of [store, temporary]) mkdirSync(made as string);
  const address = pathToFileURL(store as string).href;
  return { folder, library, address, store: store as string, temporary: temporary as string };
}

describe("SIGINT while a program installs its handlers ends it with exit code 130 and a message", () => {
  test.each([1, 2, 3, 4])("perdura-migrate, handler %i", (number) => {
    const { folder, temporary } = layOut();
    const { end, stdout, stderr } = run("migrator", `listener ${number}`, ["status", "-q", folder], temporary);
    // During the work the result contains the message; after its end, an additional sentence.
    const said = number < 3 ? [stdout, stderr] : [stderr, stdout];
    expect({ end, said }).toEqual({
      end: 130,
      said: [
        expect.stringMatching(/^(perdura-migrate: )?Interrupted[.;] .*\n$/),
        number < 3 ? "" : "Found 1 with nothing to do.\n",
      ],
    });
  });

  test.each([1, 2, 3, 4])("perdura-backup, handler %i", (number) => {
    const { library, address, store, temporary } = layOut();
    const words = ["push", "-q", address, library as string];
    const { end, stderr } = run("backup", `listener ${number}`, words, temporary);
    expect({ end, stderr }).toEqual({
      end: 130,
      stderr: expect.stringMatching(/^perdura-backup: .*[Ii]nterrupted.*\n$/),
    });
    expect(readdirSync(store).length > 0).toBe(number >= 3);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("perdura-conformance", () => {
    const { temporary } = layOut();
    expect(run("conformance", "listener 1", ["explain", "U-durability"], temporary)).toMatchObject({
      end: 130,
      stderr: "perdura-conformance: Interrupted.\n",
    });
  });
});

test("Ctrl-C that kills a helper process of perdura-migrate first still counts as an interruption", ON_LINUX, () => {
  const { folder, library, temporary } = layOut();
  // Only a large database is checked in another process.
  const database = new Database(library);
  database.exec(`CREATE TABLE other AS SELECT zeroblob(${LARGE}) AS content`);
  database.close();
  const { end, stdout, stderr } = run("migrator", "start 1 node", ["plan", "-q", folder], temporary);
  expect({ end, stdout, stderr }).toEqual({
    end: 130,
    stdout: expect.stringMatching(/^Interrupted.*\n$/),
    stderr: "",
  });
});

test("Ctrl-C that kills `sync` counts as an interruption, and no extracted file is kept", ON_LINUX, () => {
  const { folder, temporary } = layOut();
  const states = join(folder, "empathy_state");
  mkdirSync(states);
  writeFileSync(join(states, "alice.json"), '{"user_id": "alice", "current_level": 2, "trust_level": 0.5}');
  expect(run("migrator", "none", ["up", "-q", folder], temporary).end).toBe(0);
  const into = join(folder, "extracted");
  const words = ["states", `${states}.v15.sqlar`, "--extract", into];
  // Simulates a slow disk.
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "sync"), '#!/bin/sh\n[ "$2" = /proc ] || exec sleep 1000\n', { mode: 0o755 });
  vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { end, stderr } = run("migrator", "start 2 sync", words, temporary);
  expect({ end, stderr }).toEqual({ end: 130, stderr: expect.stringMatching(/^(?!.*synced)[^]*Interrupted/) });
  expect(readdirSync(folder).filter((name) => name.startsWith("extracted"))).toEqual([]);
});

test("a program never restores the default handler of SIGINT once it has its own", needs("strace", !canTrace()), () => {
  const { folder, temporary } = layOut();
  for (const [name, words] of [
    ["migrator", ["status", folder]],
    ["backup", ["--help"]],
    ["conformance", ["--version"]],
  ] as const) {
    const log = join(temporary, name);
    const strace = ["-o", log, "-e", "trace=rt_sigaction", process.execPath, ...programOf(name), ...words];
    expect(spawnSync("strace", strace, { stdio: "ignore" }).status).toBe(0);
    const handlers = readFileSync(log, "utf8").match(/(?<=^rt_sigaction\(SIGINT, \{sa_handler=)\w+/gm) ?? [];
    expect({ name, handlers }).toEqual({ name, handlers: handlers.filter((handler) => handler !== "SIG_DFL") });
    expect(handlers).not.toEqual([]);
  }
});

test("an interrupted run kills a hanging adapter and removes its sandbox", async () => {
  const { folder, temporary } = layOut();
  const log = join(folder, "adapter");
  const adapter = join(folder, "adapter.cjs");
  writeFileSync(
    adapter,
    `process.on("SIGINT", () => {}); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);
     require("node:fs").writeFileSync(${JSON.stringify(log)}, String(process.pid));
     process.kill(process.ppid, "SIGTERM");`,
  );
  const words = ["run", "--adapter", `"${process.execPath}" "${adapter}"`, "--timeout", "3600"];
  const { end, stdout, stderr } = run("conformance", "none", words, temporary);
  expect({ end, stderr }).toEqual({ end: 130, stderr: "" });
  expect(stdout).toContain("the run was interrupted");
  expect(readdirSync(temporary)).toEqual([]);
  const pid = Number(readFileSync(log, "utf8"));
  await expect.poll(() => isAlive(pid)).toBe(false);
});

/** True for a living process; a zombie (Z), which its parent has not reaped, is dead. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
