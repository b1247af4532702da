import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";
import { needs } from "../needs.ts";

const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";

describe.for(COLLECTORS)("the journal of the MetricsCollector of $name", ({ open }) => {
  test("is a write-ahead log", () => {
    using collector = open(temporaryDatabase());
    expect(collector.journalMode).toBe("wal");
    using memory = open(":memory:");
    expect(memory.journalMode).toBe("memory");
  });

  test.each<[string, (place: string) => void]>([
    ["-shm", (place) => mkdirSync(place)],
    ["-wal", (place) => symlinkSync("missing", place)],
  ])("is a rollback journal, with a warning, if a file named %s is in the way", async (end, make) => {
    const path = temporaryDatabase();
    make(`${path}${end}`);
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    const collector = open(path);
    expect(await warned).toMatchObject({
      name: "PerduraWarning",
      code: "PERDURA_NO_WRITE_AHEAD_LOG",
      message: expect.stringContaining(`metrics.db${end} is not a regular file`),
    });
    expect(collector.journalMode).toBe("delete");
    expect(collector.recordInteraction("a", 1, true, 1)).toBe(1);
    collector.close();
    expect(rowsOf(path, "SELECT user_id FROM interactions")).toEqual([["a"]]);
  });

  test.each([
    ["-wal", "log"],
    ["-journal", "journal"],
  ])("is refused if a directory is named %s, and nothing is created or changed", (end, what) => {
    const path = temporaryDatabase();
    const refusal = expect.objectContaining({
      code: "PERDURA_STORAGE",
      path,
      message: `${path}: opening failed: ${path}${end} is not a regular file, but SQLite needs that name for its ${what}. Remove it first.`,
    });
    mkdirSync(`${path}${end}`);
    expect(() => open(path)).toThrow(refusal);
    expect(readdirSync(dirname(path))).toEqual([`metrics.db${end}`]);
    rmdirSync(`${path}${end}`);
    open(path).close();
    const before = readFileSync(path);
    mkdirSync(`${path}${end}`);
    expect(() => open(path)).toThrow(refusal);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

const folder = fileURLToPath(new URL("programs/", import.meta.url));

test("opening a collector removes the temporary files of a killed process, also if the process has opened others", () => {
  const [{ open }] = COLLECTORS;
  open(temporaryDatabase()).close();
  const path = temporaryDatabase();
  const left = join(dirname(path), ".metrics.db.00000000-1-00000000.perdura-tmp");
  for (const end of ["", "-wal"]) {
    writeFileSync(`${left}${end}`, "");
    utimesSync(`${left}${end}`, 0, 0);
  }
  open(path).close();
  expect(readdirSync(dirname(path))).toEqual(["metrics.db"]);
});

/** Records a row in a process with a preloaded C library, and returns its output. */
function recordWith(program: string, path: string, environment: Record<string, string> = {}): Record<string, unknown> {
  const library = join(freshFolder(), "preloaded.so");
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, join(folder, program), "-ldl"]);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", join(folder, "record_once.ts"), path],
    { env: { ...process.env, LD_PRELOAD: library, ...environment }, encoding: "utf8", cwd: dirname(folder) },
  );
  return { stdout, stderr, status, left: readdirSync(dirname(path)) };
}

describe("on other file systems", needs("compiler", !hasCompiler), () => {
  test("without shared memory, a rollback journal is used, and no temporary file is left", () => {
    const path = temporaryDatabase();
    expect(recordWith("no_shared_memory.c", path)).toEqual({
      stdout: "delete 1\n",
      stderr: expect.stringMatching(
        /\[PERDURA_NO_WRITE_AHEAD_LOG\].*does not support a write-ahead log \(SQLITE_IOERR_SHMMAP\)/,
      ),
      status: 0,
      left: ["metrics.db"],
    });
    expect(rowsOf(path, "SELECT user_id FROM interactions")).toEqual([["a"]]);
  });

  test.each([
    ["6969", "NFS"],
    ["517b", "SMB"],
    ["fe534d42", "SMB"],
    ["ff534d42", "SMB"],
    ["01021997", "9P"],
    ["5346414f", "AFS"],
    ["73757245", "Coda"],
    ["00c36400", "Ceph"],
    ["0bd00bd0", "Lustre"],
  ])("with the type number %s, a rollback journal is used, and the warning names %s", (number, name) => {
    const path = temporaryDatabase();
    expect(recordWith("other_file_system.c", path, { FILE_SYSTEM: number })).toEqual({
      stdout: "delete 1\n",
      stderr: expect.stringContaining(
        `metrics.db: a write-ahead log needs shared memory, which ${name} does not support, so a rollback journal is used`,
      ),
      status: 0,
      left: ["metrics.db"],
    });
  });

  test("with the type number of ext4, a write-ahead log is used", () => {
    const path = temporaryDatabase();
    expect(recordWith("other_file_system.c", path, { FILE_SYSTEM: "ef53" })).toEqual({
      stdout: "wal 1\n",
      stderr: "",
      status: 0,
      left: ["metrics.db"],
    });
  });
});
