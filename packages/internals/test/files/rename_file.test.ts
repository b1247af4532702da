import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { writeFileAtomically } from "../../src/files/atomic_write.ts";
import { renameFile } from "../../src/files/rename_file.ts";
import { asOnPlatform } from "../../../../test/as_on_platform.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { canMount, mount } from "../../../../test/mounts.ts";
import { needs } from "../../../../test/needs.ts";

/**
 * Makes renames fail as on Windows while another program has a file open, until the test is over.
 *
 * @returns Counts the attempts.
 */
function refuseRenames(code: string, times: number, platform: NodeJS.Platform = "win32"): () => number {
  const rename = fs.renameSync;
  let attempts = 0;
  fs.renameSync = (from, to) => {
    attempts += 1;
    if (attempts <= times) throw Object.assign(new Error(`${code}: refused`), { code, syscall: "rename" });
    rename(from, to);
  };
  syncBuiltinESMExports();
  asOnPlatform(platform);
  onTestFinished(() => {
    fs.renameSync = rename;
    syncBuiltinESMExports();
  });
  return () => attempts;
}

/** A folder with the files `new` and `old`. */
function twoFiles(): [from: string, to: string] {
  const folder = freshFolder();
  for (const name of ["new", "old"]) writeFileSync(join(folder, name), name);
  return [join(folder, "new"), join(folder, "old")];
}

describe("on Windows, simulated by an error of the rename", () => {
  test.each(["EPERM", "EACCES", "EBUSY"])("%s: replaces a file that another program closes", (code) => {
    const [from, to] = twoFiles();
    const attempts = refuseRenames(code, 3);
    renameFile(from, to);
    expect(attempts()).toBe(4);
    expect(readFileSync(to, "utf8")).toBe("new");
    expect(existsSync(from)).toBe(false);
  });

  it("saves over such a file, and leaves no other file", () => {
    const [, file] = twoFiles();
    refuseRenames("EPERM", 2);
    writeFileAtomically(file, (write) => write("newer"));
    expect(readFileSync(file, "utf8")).toBe("newer");
    expect(readdirSync(join(file, "..")).toSorted()).toEqual(["new", "old"]);
  });

  it("throws the last error if the file stays open", () => {
    const [from, to] = twoFiles();
    const attempts = refuseRenames("EPERM", Infinity);
    expect(() => renameFile(from, to, [0, 0, 0])).toThrow("EPERM: refused");
    expect(attempts()).toBe(4);
    expect([from, to].map((path) => readFileSync(path, "utf8"))).toEqual(["new", "old"]);
  });

  it("does not retry other errors, and not over a directory", () => {
    const [from, to] = twoFiles();
    const attempts = refuseRenames("ENOSPC", 1);
    expect(() => renameFile(from, to)).toThrow("ENOSPC");
    expect(attempts()).toBe(1);
    const directory = join(to, "..", "directory");
    mkdirSync(directory);
    const more = refuseRenames("EPERM", Infinity);
    expect(() => renameFile(from, directory)).toThrow("EPERM");
    expect(more()).toBe(1);
  });
});

it("does not retry on other systems, where the error means a missing permission", () => {
  const [from, to] = twoFiles();
  const attempts = refuseRenames("EACCES", 1, "linux");
  expect(() => renameFile(from, to)).toThrow("EACCES");
  expect(attempts()).toBe(1);
});

it("replaces a file that another process has open", async () => {
  const [from, to] = twoFiles();
  const program = `fs.openSync(${JSON.stringify(to)}, "r"); process.stdout.write("open"); process.stdin.resume()`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(async () => {
    child.stdin.end();
    await once(child, "close");
  });
  await once(child.stdout, "data");
  renameFile(from, to);
  expect(readFileSync(to, "utf8")).toBe("new");
});

test("a single file that is a mount point is kept, and the reason is named", needs("mount", !canMount()), () => {
  const folder = freshFolder();
  const [outside, path] = [join(freshFolder(), "outside"), join(folder, "library.json")];
  for (const each of [outside, path]) writeFileSync(each, "old");
  mount("--bind", outside, path);
  expect(() => writeFileAtomically(path, (write) => write("new"))).toThrow(
    /library\.json: saving failed: EBUSY: a mount point cannot be replaced, .* bind its directory instead\. No stored data was changed\.$/,
  );
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["library.json"]);
});
