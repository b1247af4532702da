import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { canTrace } from "../../../../dev/soak/src/system_calls/strace.ts";
import { freeName, giveName, giveNextName } from "../../src/io/placing.ts";
import { freshFolder } from "../support/folder.ts";
import { needs } from "../../../../test/needs.ts";

const PROGRAM = fileURLToPath(new URL("../programs/give_name.ts", import.meta.url));

/** A finished file with its final name. */
function finished(): { folder: string; temporary: string; path: string } {
  const folder = freshFolder();
  const [temporary, path] = [join(folder, "temporary"), join(folder, "name")];
  writeFileSync(temporary, "new");
  return { folder, temporary, path };
}

test("gives a free name", () => {
  const { folder, temporary, path } = finished();
  expect(giveName(temporary, path)).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(readdirSync(folder)).toEqual(["name"]);
});

test("does not replace an existing file, even a broken link", () => {
  const { temporary, path } = finished();
  writeFileSync(path, "old");
  expect(giveName(temporary, path)).toBe(false);
  expect([temporary, path].map((name) => readFileSync(name, "utf8"))).toEqual(["new", "old"]);
  const other = finished();
  symlinkSync("nowhere", other.path);
  expect(giveName(other.temporary, other.path)).toBe(false);
  expect(lstatSync(other.path).isSymbolicLink()).toBe(true);
  expect(existsSync(other.temporary)).toBe(true);
});

test("fails for a missing directory, and keeps the file", () => {
  const { folder, temporary } = finished();
  expect(() => giveName(temporary, join(folder, "none", "name"))).toThrow("ENOENT");
  expect(existsSync(temporary)).toBe(true);
});

test("ends the search if every name is taken", () => {
  const { temporary, path } = finished();
  writeFileSync(path, "old");
  let asked = 0;
  const taken = (): string => {
    asked += 1;
    return path;
  };
  const refusal = (more: number) => ({
    name: "Stop",
    message: expect.stringContaining(`No free file name: ${path} and the next ${more} names exist`) as string,
  });
  expect(() => freeName(taken)).toThrow(expect.objectContaining(refusal(9999)));
  expect(() => giveNextName(temporary, taken)).toThrow(expect.objectContaining(refusal(99)));
  expect(asked).toBe(10_000 + 1 + 100 + 1);
  expect([temporary, path].map((name) => readFileSync(name, "utf8"))).toEqual(["new", "old"]);
});

test("gives the next name if another process takes the first", () => {
  const { folder, temporary, path } = finished();
  writeFileSync(path, "old");
  const names = [path, join(folder, "next")];
  expect(giveNextName(temporary, () => names.shift() ?? "")).toBe(join(folder, "next"));
  expect(readFileSync(join(folder, "next"), "utf8")).toBe("new");
});

/** The same on a file system that refuses every hard link. */
function withoutLinks(code: string, { folder, temporary, path }: ReturnType<typeof finished>): string {
  const log = join(folder, "calls");
  const trace = ["-f", "-o", log, "-e", "trace=?link,?linkat", "-e", `inject=?link,?linkat:error=${code}`];
  const node = [process.execPath, "--conditions=@perdura/source", "--no-warnings", PROGRAM, temporary, path];
  const { stdout } = spawnSync("strace", [...trace, ...node], { encoding: "utf8" });
  expect(readFileSync(log, "utf8")).toContain("INJECTED");
  return stdout.trim();
}

describe("on a file system without hard links", needs("strace", !canTrace()), () => {
  test.each(["EPERM", "EOPNOTSUPP", "ENOSYS", "EMLINK"])("%s: gives a free name", (code) => {
    const file = finished();
    expect(withoutLinks(code, file)).toBe("true");
    expect(readFileSync(file.path, "utf8")).toBe("new");
    expect(existsSync(file.temporary)).toBe(false);
  });

  test("does not replace an existing file, even a broken link", () => {
    const file = finished();
    writeFileSync(file.path, "old");
    expect(withoutLinks("EPERM", file)).toBe("false");
    expect([file.temporary, file.path].map((name) => readFileSync(name, "utf8"))).toEqual(["new", "old"]);
    const other = finished();
    symlinkSync("nowhere", other.path);
    expect(withoutLinks("EPERM", other)).toBe("false");
    expect(existsSync(other.temporary)).toBe(true);
  });

  test("fails with any other error, and renames nothing", () => {
    const file = finished();
    expect(withoutLinks("EIO", file)).toBe("EIO");
    expect(existsSync(file.path)).toBe(false);
    expect(existsSync(file.temporary)).toBe(true);
  });
});
