import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { crash } from "../src/crash.ts";
import { errors } from "../src/errors.ts";
import { disturb, type Fault } from "../src/operations/disturb.ts";
import { faultsAfterError, faultsAfterKill } from "../src/operations/judge.ts";
import { OPERATIONS } from "../src/operations/operations.ts";
import { type Rehearsed, rehearse } from "../src/operations/rehearsal.ts";
import { sample } from "../src/sample.ts";
import { copyWithoutTimes } from "../src/system_calls/copy_of.ts";
import { canTrace } from "../src/system_calls/strace.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";
import { needs } from "../../../test/needs.ts";

const place = freshFolder();

const rehearsals = new Map<string, Promise<Rehearsed>>();

function rehearsed(name: string): Promise<Rehearsed> {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`unknown operation ${name}`);
  const found = rehearsals.get(name) ?? rehearse(operation, temporaryFolder(place));
  rehearsals.set(name, found);
  return found;
}

describe("samples", needs("strace", !canTrace()), () => {
  test.for([
    "save a library as JSON (16)",
    "record into a new database (16)",
    "record by a writer, many at once (16)",
    "fold the rollup",
  ])("is killed: %s", async (only) => {
    const { complaints, trials } = await sample(crash, { only, share: 0.1 });
    expect(complaints).toEqual([]);
    expect(trials).toBeGreaterThan(1);
  });

  test.for(["save a first state (15)", "record into a new database (15)", "export csv (16)"])(
    "has failing system calls: %s",
    async (only) => {
      const { complaints, trials } = await sample(errors, { only, share: 0.02 });
      expect(complaints).toEqual([]);
      expect(trials).toBeGreaterThan(1);
    },
  );
});

/** Regression tests: the operation, a pattern for the call in the log, and the fault. */
const FOUND: [operation: string, call: RegExp, fault: Fault][] = [
  // The error wrongly stated that the old content was still there.
  ["save a library as JSON (16)", /^fsync\(\S+whole>\)/, "error=EIO"],
  ["save a library as SQLite, merging (16)", /^fsync\(\S+whole>\)/, "error=EIO"],
  // A TypeError of the driver.
  ["save a library as SQLite, merging (16)", /^access\(/, "error=EIO"],
  // The next pull could not read the database that it replaces.
  ["pull a backup over a library (db)", /^pwrite64\(\S+library\.db>/, "kill"],
  // A completed operation was reported as failed.
  ["pull a backup over a library (db)", /^unlink\(\S+library\S+perdura-part"/, "error=EROFS"],
  // The checksum of a removed version stayed forever.
  ["prune backups", /^unlink\(\S+\.json"/, "kill"],
  // A removed version was reported as unchanged.
  ["prune backups", /^statx\(.*\/store\/agents", /, "error=EIO"],
  // The file was left open.
  ["load a state and list users (15)", /^statx\(\d+<\S+ada\.json>/, "error=EIO"],
];

describe("regressions", needs("strace", !canTrace()), () => {
  // A temporary file was left, because a failing check came before its removal; and an error of the operating system
  // was not wrapped.
  test.for(["record into a new database (16)", "pull a backup over a library (json)"])(
    "%s, with a failure at every statx",
    async (only) => {
      const { complaints, trials } = await sample(errors, { only, point: "program:statx", share: 1 });
      expect(complaints).toEqual([]);
      expect(trials).toBeGreaterThan(4);
    },
  );

  // Unsynced before: the name of a new directory; a commit of SQLite's own connection; a removal.
  test.for(["save a first state (15)", "pull a backup over a library (db)", "prune backups"])(
    "%s: loses nothing acknowledged in a power cut",
    async (name) => expect((await rehearsed(name)).unsynced).toEqual([]),
  );

  test.for(FOUND)("%s, at %s: %s", async ([name, wanted, fault]) => {
    const operation = await rehearsed(name);
    const point = operation.touching.findLast((call) => wanted.test(`${call.name}(${call.text}`));
    expect(point).toBeDefined();
    expect(await disturb(operation, point as never, fault, place)).toEqual([]);
  });
});

describe("the judge reports", needs("strace", !canTrace()), () => {
  const dead = { code: null, stdout: "", stderr: "" };

  async function judged(name: string, damage: (directory: string) => void, ended: object): Promise<string[]> {
    const operation = await rehearsed(name);
    const directory = copyWithoutTimes(operation.template, join(place, "judged"));
    damage(directory);
    const end = { ...dead, ...ended };
    return end.code === null
      ? faultsAfterKill(operation, directory, end)
      : faultsAfterError(operation, directory, end, { name: "write" });
  }

  const name = "save a library as JSON (16)";

  test("half a file", async () => {
    const half = (directory: string): void => writeFileSync(join(directory, "library.json"), '{"patterns": [');
    expect(await judged(name, half, {})).toEqual([
      expect.stringContaining("matches neither the state before nor the state after"),
    ]);
  });

  test("an acknowledged step that is missing", async () => {
    expect(await judged(name, () => undefined, { stdout: "acknowledged\n" })).toContain(
      "0 steps are stored after 1 were acknowledged",
    );
  });

  test("false success, an open file, and a file left behind", async () => {
    const words = JSON.stringify({ open: ["/library.json"] });
    const leave = (directory: string): void => writeFileSync(join(directory, "left.perdura-tmp"), "");
    expect(await judged(name, leave, { code: 0, stdout: words })).toEqual(
      expect.arrayContaining([
        "succeeded, but 0 steps are stored",
        "/library.json is still open at the end",
        "left.perdura-tmp was left behind",
      ]),
    );
  });

  test("an error that is not perdura's, and one that names no file", async () => {
    const ended = (error: object): object => ({ code: 1, stdout: JSON.stringify({ error, open: [] }) });
    const other = await judged(name, () => undefined, ended({ message: "x", ours: false, stack: "TypeError: x" }));
    expect(other).toContain("not an error of perdura: TypeError: x");
    const nameless = await judged(name, () => undefined, ended({ message: "it failed", ours: true, stack: "" }));
    expect(nameless).toContain("the error names no file: it failed");
  });
});
