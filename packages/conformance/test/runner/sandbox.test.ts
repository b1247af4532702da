import fs, { existsSync, readdirSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { makeSandbox, type Sandbox } from "../../src/runner/sandbox.ts";

/** Removed after the test. */
function sandbox(): Sandbox {
  const made = makeSandbox();
  onTestFinished(() => rmSync(dirname(made.root), { recursive: true, force: true }));
  return made;
}

/**
 * Refuses removals as Windows does while a process has a file of the directory open.
 *
 * @returns Closes that file.
 */
function keepOpen(directory: string, code: string): () => void {
  const remove = fs.rmSync;
  const close = (): void => {
    fs.rmSync = remove;
    syncBuiltinESMExports();
  };
  fs.rmSync = (path, options) => {
    const whole = String(path);
    if (directory.startsWith(whole)) throw Object.assign(new Error(`${code}: ${directory}, unlink`), { code });
    remove(path, options);
  };
  syncBuiltinESMExports();
  onTestFinished(close);
  return close;
}

it("lies in the folder that the environment names, and else in memory where that has room", () => {
  const folder = freshFolder();
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ["TMPDIR", "TMP", "TEMP"]) vi.stubEnv(name, undefined);
  const { bavail, bsize } = statfsSync(existsSync("/dev/shm") ? "/dev/shm" : folder);
  const inMemory = process.platform === "linux" && existsSync("/dev/shm") && bavail * bsize >= 1e9;
  expect(dirname(dirname(sandbox().root))).toBe(inMemory ? "/dev/shm" : realpathSync(tmpdir()));
  vi.stubEnv(process.platform === "win32" ? "TEMP" : "TMPDIR", folder);
  expect(dirname(dirname(sandbox().root))).toBe(realpathSync(folder));
});

it("gives each case an empty directory, and finds files outside of it", () => {
  const { root, enter, outsideFiles, leave, remove } = sandbox();
  for (const id of ["area/one", "area/two", "area/one"]) {
    const directory = enter(id);
    expect(readdirSync(directory)).toEqual([]);
    writeFileSync(join(directory, "file"), "");
    expect(outsideFiles()).toEqual([]);
    writeFileSync(join(root, "beside"), "");
    writeFileSync(join(root, "..", "above"), "");
    expect(outsideFiles()).toEqual(["beside", "../above"]);
    leave();
    expect(readdirSync(root)).toEqual([]);
  }
  expect(remove()).toBeUndefined();
  expect(existsSync(dirname(root))).toBe(false);
});

it.each(["EBUSY", "EPERM", "EACCES", "ENOTEMPTY"])(
  "%s: continues while a process has a file of a case open",
  (code) => {
    const { root, enter, outsideFiles, leave, remove } = sandbox();
    const held = enter("area/one");
    const close = keepOpen(held, code);
    leave();
    const next = enter("area/one");
    expect(readdirSync(root)).toEqual(["area--one", "area--one--2"]);
    expect(next).toBe(join(root, "area--one--2"));
    expect(outsideFiles()).toEqual([]);
    close();
    leave();
    expect(readdirSync(root)).toEqual([]);
    expect(enter("area/one")).toBe(held);
    expect(remove()).toBeUndefined();
  },
);

it("returns a note if files are in use at the end", () => {
  const { root, enter, remove } = sandbox();
  keepOpen(enter("area/one"), "EBUSY");
  expect(remove()).toBe(
    `the folder ${dirname(root)} was not removed: EBUSY: ${join(root, "area--one")}, unlink. Remove it when it is not in use`,
  );
});

it("throws other errors", () => {
  const { enter, leave } = sandbox();
  keepOpen(enter("area/one"), "EIO");
  expect(leave).toThrow("EIO");
});
