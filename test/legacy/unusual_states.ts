import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../temporary_folder.ts";

/** A state of a field program. */
export function stateText(userId: string, trust = 0.5): string {
  return JSON.stringify({ user_id: userId, trust_level: trust, total_interactions: 3 });
}

/**
 * Writes one of many files, with a modification time in whole seconds. Nanoseconds are restored by `touch`, one process
 * for each file; the odd states have some.
 */
export function writeOfMany(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
}

/** A path with a name that is not UTF-8. */
function latin1Path(directory: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name, "latin1")]);
}

/**
 * Archive of the states of {@link makeUnusualStates}: one process unpacks it, instead of a dozen that set the time of each
 * entry.
 */
let packed: Buffer | undefined;

/**
 * Makes a directory of states with every kind of entry: links to nowhere, to a file and to a directory, a name that is
 * not UTF-8, empty files and directories, all kinds of modes, times to the nanosecond.
 */
export function makeUnusualStates(directory: string): void {
  packed ??= packUnusualStates();
  mkdirSync(directory, { recursive: true });
  // With every mode, and with links unchanged whatever their target.
  run("tar", ["-x", "-p", "-P", "-f", "-", "-C", directory], packed);
}

function packUnusualStates(): Buffer {
  const folder = temporaryFolder();
  try {
    const directory = join(folder, "states");
    layOutUnusualStates(directory);
    // The format with nanoseconds.
    return run("tar", ["-c", "--format=pax", "-f", "-", "-C", directory, "."]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function layOutUnusualStates(directory: string): void {
  mkdirSync(join(directory, "inner", "hollow"), { recursive: true });
  for (const user of ["alice", "bob"]) writeFileSync(join(directory, `${user}.json`), stateText(user));
  writeFileSync(join(directory, "inner", "notes.txt"), "notes\n".repeat(10_000));
  writeFileSync(join(directory, "inner-more.json"), "");
  writeFileSync(latin1Path(directory, "J\u00fcrgen.json"), stateText("x"));
  symlinkSync("/nowhere/at/all.json", join(directory, "0 dangling.json"));
  symlinkSync("alice.json", join(directory, "zz link.json"));
  symlinkSync("inner", join(directory, "to inner"));
  chmodSync(join(directory, "bob.json"), 0o600);
  chmodSync(join(directory, "inner", "notes.txt"), 0o4751);
  chmodSync(join(directory, "inner", "hollow"), 0o2770);
  const times: [string | Buffer, string][] = [
    [join(directory, "alice.json"), "2023-11-14T22:13:20.123456789Z"],
    [join(directory, "0 dangling.json"), "2024-02-29T23:59:59.999999999Z"],
    [latin1Path(directory, "J\u00fcrgen.json"), "1969-12-31T23:59:59.000000001Z"],
    [join(directory, "inner", "hollow"), "2001-09-09T01:46:40.000000007Z"],
    [join(directory, "inner"), "2001-09-09T01:46:41.100000003Z"],
    [directory, "2020-01-01T00:00:00.987654321Z"],
  ];
  const words = times.flatMap(([path, time]) => ["-hmd", time, path]);
  // One call for all: starting a process takes longer, the more memory this process has.
  run(
    "xargs",
    ["-0", "-n", "3", "touch"],
    Buffer.concat(words.flatMap((word) => [Buffer.from(word as string), Buffer.of(0)])),
  );
}

/** Runs a system program to its end; returns its output. */
function run(program: string, words: string[], input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync(program, words, input === undefined ? {} : { input });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr?.toString()}`);
  return stdout;
}
