import { spawnSync } from "node:child_process";
import fs, { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, type TestContext } from "vitest";
import { freshFolder } from "./fresh_folder.ts";
import { skipWithout } from "./needs.ts";

/**
 * Directories that ignore case, for tests: a real exFAT where one can be mounted, and a simulated one anywhere. In both,
 * `realpath` gives back the spelling that it was asked for, as on Linux.
 */

let isMountable: boolean | undefined;

function canMountExfat(): boolean {
  isMountable ??= tryMount();
  return isMountable;
}

function tryMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/dev/fuse")) return false;
  try {
    mountExfat().remove();
    return true;
  } catch {
    return false;
  }
}

/** An exFAT of its own, which is gone after the test. */
function exfatDirectory(): string {
  const { directory, remove } = mountExfat();
  onTestFinished(remove);
  return directory;
}

function mountExfat(): { directory: string; remove: () => void } {
  const directory = freshFolder();
  const image = `${directory}.image`;
  writeFileSync(image, "");
  truncateSync(image, 8 << 20);
  let device = "";
  const remove = (): void => {
    spawnSync("umount", [directory]);
    if (device !== "") spawnSync("losetup", ["--detach", device]);
    rmSync(directory, { recursive: true, force: true });
    rmSync(image, { force: true });
  };
  try {
    run("mkfs.exfat", image);
    device = run("losetup", "--find", "--show", image).trim();
    run("mount.exfat-fuse", device, directory, "-o", "uid=0");
    return { directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${program}: ${stderr.trim()}`);
}

/** Functions of `node:fs` whose first argument is a path, and those whose first two are. */
const OF_ONE = "access chmod chown lstat lutimes mkdir open opendir readdir readFile readlink rm rmdir stat".split(" ");
const OF_ONE_MORE = "truncate unlink utimes writeFile".split(" ");
const OF_TWO = "copyFile link rename".split(" ");

type AnyFunction = (...values: unknown[]) => unknown;
type Functions = Record<string, AnyFunction>;

/**
 * Makes this process see the directory `root` as one that ignores case and how Unicode is composed, until the test is
 * over. Other processes, and SQLite, see it as it is.
 *
 * @param stored The form in which a new name is stored.
 */
function ignoreCaseBelow(root: string, stored: (name: string) => string): void {
  const real = fs.realpathSync(root);
  const list = readdirSync;
  const asStored = (path: unknown): unknown =>
    typeof path === "string" ? join(dirname(path), stored(basename(path))) : path;
  const resolved = (path: unknown): unknown => {
    const text = path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path.toString() : path;
    if (typeof text !== "string") return path;
    const whole = resolve(text);
    if (!whole.startsWith(`${real}${sep}`)) return path;
    return whole
      .slice(real.length + 1)
      .split(sep)
      .reduce((at, name) => join(at, spellingIn(at, name, list) ?? stored(name)), real);
  };
  const changed: [Functions, string, AnyFunction][] = [];
  const change = (functions: Functions, name: string, replace: (original: AnyFunction) => AnyFunction): void => {
    const original = functions[name];
    if (original === undefined) return;
    changed.push([functions, name, original]);
    functions[name] = Object.assign(replace(original), original);
  };
  for (const [count, names] of [
    [1, [...OF_ONE, ...OF_ONE_MORE]],
    [2, OF_TWO],
  ] as const)
    for (const name of names)
      for (const [functions, key] of [
        [fs as unknown as Functions, `${name}Sync`],
        [fs.promises as unknown as Functions, name],
      ] as const)
        change(functions, key, (original) => (...values) => {
          const paths = values.slice(0, count).map(resolved);
          // Only a change of spelling gives an entry another name.
          if (count === 2 && paths[0] === paths[1]) paths[1] = asStored(values[1]);
          return original.call(functions, ...paths, ...values.slice(count));
        });
  change(fs as unknown as Functions, "existsSync", (original) => (path) => original(resolved(path)));
  change(
    fs as unknown as Functions,
    "open",
    (original) =>
      (path, ...more) =>
        original.call(fs, resolved(path), ...more),
  );
  const realpath = fs.realpathSync;
  const spelledAsAsked = Object.assign(
    (path: string): string => {
      realpath(resolved(path) as string);
      const whole = resolve(path);
      return whole.startsWith(`${real}${sep}`) ? whole : realpath(path);
    },
    { native: (path: string): string => spelledAsAsked(path) },
  );
  changed.push([fs as unknown as Functions, "realpathSync", realpath as unknown as AnyFunction]);
  (fs as unknown as Functions)["realpathSync"] = spelledAsAsked as unknown as AnyFunction;
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const [functions, name, original] of changed) functions[name] = original;
    syncBuiltinESMExports();
  });
}

/** The entry of a name in its own spelling; undefined if there is no entry. */
function spellingIn(directory: string, name: string, list: typeof readdirSync): string | undefined {
  let names: string[];
  try {
    names = list(directory);
  } catch {
    // The call that this is for says what is wrong with the directory.
    return undefined;
  }
  if (names.includes(name)) return name;
  return names.find((each) => folded(each) === folded(name));
}

/** As HFS+ stores names: decomposed, except for characters in three ranges. */
function decomposed(name: string): string {
  return name.replaceAll(/[^\u2000-\u2fff\uf900-\ufaff\u{2f800}-\u{2faff}]+/gu, (part) => part.normalize("NFD"));
}

/** As APFS and ext4 do it: `ß` is `ss`. */
function folded(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFD");
}

function simulated(stored: (name: string) => string): string {
  const directory = freshFolder();
  ignoreCaseBelow(directory, stored);
  return directory;
}

/** Directories that ignore case; for `describe.each`. */
export const CASE_INSENSITIVE: readonly { kind: string; open: (context: TestContext) => string }[] = [
  { kind: "a simulated file system", open: () => simulated((name) => name) },
  { kind: "a simulated file system that decomposes names", open: () => simulated(decomposed) },
  {
    kind: "exFAT",
    open: (context) => {
      if (!canMountExfat()) skipWithout("exfat", context);
      return exfatDirectory();
    },
  },
];

/** A directory that stores names in capital letters. */
export const capitalizing = (): string => simulated((name) => name.toUpperCase());

/** A directory that stores names in lower case. */
export const LOWER_CASING: (typeof CASE_INSENSITIVE)[number] = {
  kind: "a simulated file system that stores names in lower case",
  open: () => simulated((name) => name.toLowerCase()),
};
