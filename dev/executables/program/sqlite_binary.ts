import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getRawAsset } from "node:sea";

/** On every processor that Node.js supports; Node.js has no name for it. */
const O_TMPFILE = 0o20_000_000 | constants.O_DIRECTORY;

let binary: object | undefined;

/**
 * Loads SQLite from the executable, at its first use in a process. Takes the place of `getBinding` of better-sqlite3.
 *
 * The system loads native code only from files. On Linux and macOS the file is private, and it has lost its name when this
 * function returns, so that no other user can replace it, concurrent processes do not share it, and nothing is left behind.
 * Windows cannot remove the file of loaded code: there it is kept for the next start.
 *
 * @throws {Error} that names every directory that was tried; for example, if all are mounted with `noexec`.
 */
export function getBinding(): object {
  return (binary ??= process.platform === "win32" ? loadKept() : loadPrivate());
}

function loadPrivate(): object {
  const failures: string[] = [];
  for (const directory of new Set(directories())) {
    for (const loadIn of process.platform === "linux" ? [loadUnnamed, loadNamed] : [loadNamed]) {
      try {
        return loadIn(directory);
      } catch (error) {
        failures.push(`${directory}: ${(error as Error).message}`);
      }
    }
  }
  throw new Error(
    `SQLite could not be loaded. Set TMPDIR to a directory that is writable and not mounted with noexec. Tried:\n${failures.join("\n")}`,
  );
}

/** Directories in which a file may be created and loaded: on hardened systems not that of temporary files. */
function directories(): string[] {
  const given = process.env["XDG_RUNTIME_DIR"] ?? "";
  return [tmpdir(), ...(given === "" ? [] : [given]), "/var/tmp", "/dev/shm", dirname(process.execPath), homedir()];
}

/** Creates a file without a name. Needs a file system with O_TMPFILE, and /proc. */
function loadUnnamed(directory: string): object {
  const descriptor = openSync(directory, O_TMPFILE | constants.O_RDWR, 0o700);
  try {
    writeFileSync(descriptor, content());
    return load(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a file in a directory of its own, with a random name, that only this user can access. */
function loadNamed(parent: string): object {
  const directory = mkdtempSync(join(parent, "perdura-sqlite-"));
  try {
    const file = join(directory, "sqlite.node");
    writeFileSync(file, content(), { flag: "wx", mode: 0o700 });
    return load(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Creates the file in the directory of local data of this user, under its digest, unless it is there. */
function loadKept(): object {
  const directory = join(process.env["LOCALAPPDATA"] ?? tmpdir(), "perdura");
  const bytes = content();
  const file = join(directory, `sqlite-${createHash("sha256").update(bytes).digest("hex")}.node`);
  if (!has(file, bytes)) {
    mkdirSync(directory, { recursive: true });
    const own = mkdtempSync(join(directory, "new-"));
    try {
      writeFileSync(join(own, "sqlite.node"), bytes);
      renameSync(join(own, "sqlite.node"), file);
    } catch (error) {
      // Another process may have created and loaded it at this moment.
      if (!has(file, bytes)) throw error;
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  }
  return load(file);
}

function has(file: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(file).equals(bytes);
  } catch {
    return false;
  }
}

function content(): Uint8Array {
  return new Uint8Array(getRawAsset("sqlite.node"));
}

function load(file: string): object {
  const loaded: { exports: object } = { exports: {} };
  process.dlopen(loaded, file);
  return loaded.exports;
}
