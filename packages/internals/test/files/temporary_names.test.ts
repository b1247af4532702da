import { spawn } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { removeAbandonedTemporaries } from "../../src/files/abandoned_temporaries.ts";
import {
  isAbandoned,
  isTemporaryName,
  PART_SUFFIX,
  releasedName,
  temporaryName,
} from "../../src/files/temporary_names.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { needs, ON_LINUX } from "../../../../test/needs.ts";

test("a temporary name contains the name of its file, and is hidden and short", () => {
  expect(temporaryName("a b/ä.json", "00ff")).toMatch(/^\.a_b__\.json\.[0-9a-f]{8}-\d+-00ff\.perdura-tmp$/);
  expect(temporaryName("x".repeat(300), "00ff00ff").length).toBeLessThanOrEqual(120);
});

test("a temporary name contains a digest of the host, the process namespace and the boot", ON_LINUX, async () => {
  // Another test may have made the digest as on another platform.
  vi.resetModules();
  const fresh = await import("../../src/files/temporary_names.ts");
  const world = [
    hostname(),
    readlinkSync("/proc/self/ns/pid"),
    readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
  ].join("\n");
  // FNV-1a, see http://www.isthe.com/chongo/tech/comp/fnv/.
  let sum = 0x811c9dc5n;
  for (const byte of Buffer.from(world)) sum = ((sum ^ BigInt(byte)) * 0x01000193n) % 2n ** 32n;
  const digest = sum.toString(16).padStart(8, "0");
  expect(fresh.temporaryName("file", "00ff")).toBe(`.file.${digest}-${process.pid}-00ff.perdura-tmp`);
});

test("the names of a process differ, and are temporary names", () => {
  const names = Array.from({ length: 500 }, () => temporaryName("file"));
  expect(new Set(names).size).toBe(500);
  for (const name of names) expect(name).toMatch(/^\.file\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.perdura-tmp$/);
  expect(names.every(isTemporaryName)).toBe(true);
});

test("a part has a temporary name, also when its process has released it", () => {
  const name = temporaryName("file", "00ff", PART_SUFFIX);
  expect(name).toMatch(/^\.file\.[0-9a-f]{8}-\d+-00ff\.perdura-part$/);
  const released = releasedName(name);
  expect(released).toMatch(/^\.file\.[0-9a-f]{8}-0-[0-9a-f]+\.perdura-part$/);
  const folder = freshFolder();
  for (const [each, isFree] of [
    [name, false],
    [released, true],
  ] as const) {
    writeFileSync(join(folder, each), "half");
    expect([isTemporaryName(each), isAbandoned(join(folder, each))]).toEqual([true, isFree]);
  }
  removeAbandonedTemporaries(folder);
  expect(readdirSync(folder).toSorted()).toEqual([name, released].toSorted());
});

test("only complete names are temporary names", () => {
  const name = temporaryName("file", "00ff");
  expect(isTemporaryName(name)).toBe(true);
  for (const other of [name.slice(1), `${name}.bak`, ".perdura-tmp", name.replace("-00ff", "-00fg"), `x${name}`])
    expect({ other, is: isTemporaryName(other) }).toEqual({ other, is: false });
});

/** A temporary file of another process. */
function fileOf(pid: number): string {
  const path = join(freshFolder(), temporaryName("file", "00ff").replace(`-${process.pid}-`, `-${pid}-`));
  writeFileSync(path, "half");
  return path;
}

test(
  "a file of another user's running process is not abandoned",
  needs("root", process.platform !== "linux" || process.geteuid?.() !== 0),
  () => {
    const other = spawn("sleep", ["60"], { uid: 65_533, stdio: "ignore" });
    onTestFinished(() => void other.kill());
    const pid = other.pid ?? 0;
    const path = fileOf(pid);
    chmodSync(dirname(path), 0o755);
    process.seteuid?.(65_534);
    try {
      expect(() => process.kill(pid, 0)).toThrow("EPERM");
      expect(isAbandoned(path)).toBe(false);
    } finally {
      process.seteuid?.(0);
    }
  },
);

test("a file is abandoned after a day without a change, even if its process is running", () => {
  const path = fileOf(process.ppid);
  expect(isAbandoned(path)).toBe(false);
  const [nearly, over] = [-1, 1].map((seconds) => new Date(Date.now() - 24 * 60 * 60 * 1000 - seconds * 1000 * 60));
  utimesSync(path, nearly as Date, nearly as Date);
  expect(isAbandoned(path)).toBe(false);
  utimesSync(path, over as Date, over as Date);
  expect(isAbandoned(path)).toBe(true);
  expect(isAbandoned(join(freshFolder(), temporaryName("none", "00ff")))).toBe(false);
  expect(isAbandoned(freshFolder())).toBe(false);
});

test("a file older than this process belongs to an earlier process with the same id", () => {
  const path = fileOf(process.pid);
  expect(isAbandoned(path)).toBe(false);
  const before = new Date(performance.timeOrigin - 1000);
  utimesSync(path, before, before);
  expect(isAbandoned(path)).toBe(true);
});
