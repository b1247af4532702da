import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "./both_lines.ts";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";

describe.for(COLLECTORS)("the journal of the MetricsCollector of $name", ({ open }) => {
  test("is a write-ahead log", () => {
    using collector = open(temporaryDatabase());
    expect(collector.journalMode).toBe("wal");
    using memory = open(":memory:");
    expect(memory.journalMode).toBe("memory");
  });

  test("is a rollback journal where something has the log's name, and a warning says so", async () => {
    const path = temporaryDatabase();
    mkdirSync(`${path}-shm`);
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    const collector = open(path);
    expect(await warned).toMatchObject({
      code: "PERDURA_NO_WRITE_AHEAD_LOG",
      message: expect.stringContaining("metrics.db-shm is no regular file"),
    });
    expect(collector.journalMode).toBe("delete");
    expect(collector.recordInteraction("a", 1, true, 1)).toBe(1);
    collector.close();
    expect(rowsOf(path, "SELECT user_id FROM interactions")).toEqual([["a"]]);
  });
});

describe.skipIf(!hasCompiler)("a file system without shared memory (needs Linux and a C compiler)", () => {
  const folder = fileURLToPath(new URL("programs/", import.meta.url));

  test("gets a rollback journal before the database is marked as one with a log, and leaves nothing else", () => {
    const directory = temporaryDirectory();
    const [library, path] = [join(temporaryDirectory(), "refuse.so"), join(directory, "metrics.db")];
    execFileSync("cc", ["-shared", "-fPIC", "-o", library, join(folder, "no_shared_memory.c"), "-ldl"]);
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ["--conditions=@perdura/source", join(folder, "record_once.ts"), path],
      { env: { ...process.env, LD_PRELOAD: library }, encoding: "utf8", cwd: dirname(folder) },
    );
    expect({ stdout, status }).toEqual({ stdout: "delete 1\n", status: 0 });
    expect(stderr).toMatch(/\[PERDURA_NO_WRITE_AHEAD_LOG\].*cannot hold a write-ahead log \(SQLITE_IOERR_SHMMAP\)/);
    expect(rowsOf(path, "SELECT user_id FROM interactions")).toEqual([["a"]]);
    expect(execFileSync("ls", ["-A", directory], { encoding: "utf8" })).toBe("metrics.db\n");
  });
});
