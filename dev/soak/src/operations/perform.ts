import { readdirSync, readlinkSync, readSync, writeSync } from "node:fs";
import { access } from "node:fs/promises";
import { isPerduraError } from "@perdura/v16";
import { FILE_OPERATIONS } from "./file_operations.ts";
import type { Operation } from "./operation.ts";

/** Last line of a run's output. */
export interface Words {
  /** The error that it ended with. */
  error?: { message: string; path: string | undefined; mayBeWritten: boolean; ours: boolean; stack: string };
  /** Files of the directory that are open at the end. */
  open: string[];
}

/** `perform.ts NAME DIRECTORY`: runs an operation; prints a line for each acknowledged step, and one at the end. */
const [name, directory = ""] = process.argv.slice(2);
const called = (operations: readonly Operation[]) => operations.find((each) => each.name === name);
// Most operations are not backups, and start in three quarters of the time without the imports of those.
const operation = called(FILE_OPERATIONS) ?? called((await import("./backup_operations.ts")).BACKUP_OPERATIONS);
if (operation === undefined) throw new Error(`Unknown operation ${name}.`);

const words: Words = { open: [] };
// A file that is still open at exit would stay open forever.
process.on("exit", () => {
  words.open = readdirSync("/proc/self/fd")
    .map(fileOf)
    .filter((path) => path.startsWith(directory));
  writeSync(1, `${JSON.stringify(words)}\n`);
});

/** Path of an open descriptor; empty for the one that was used to list them. */
function fileOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

if (process.env["PERDURA_SOAK_WAIT"] === "1") await waitForTracer();
try {
  await operation.perform(directory, () => void writeSync(1, "acknowledged\n"));
} catch (error) {
  const { message, stack } = error as Error;
  const { path, mayBeWritten } = isPerduraError(error) ? error : { path: undefined, mayBeWritten: false };
  words.error = { message, path, mayBeWritten, ours: isPerduraError(error), stack: String(stack) };
  process.exitCode = 1;
}

/** Prints the id of the thread for asynchronous calls, and waits until strace is attached to it. */
async function waitForTracer(): Promise<void> {
  const before = new Set(readdirSync("/proc/self/task"));
  await access("/");
  const thread = readdirSync("/proc/self/task").find((each) => !before.has(each));
  writeSync(1, `thread ${thread}\n`);
  readSync(0, Buffer.alloc(1));
}
