import { readdirSync, readlinkSync, readSync, writeSync } from "node:fs";
import { access } from "node:fs/promises";
import { isPerduraError } from "@perdura/v16";
import { FILE_OPERATIONS } from "./file_operations.ts";
import type { Operation } from "./operation.ts";

/** What a run says of itself in its last line. */
export interface Words {
  /** The error that it ended with. */
  error?: { message: string; path: string | undefined; mayBeWritten: boolean; ours: boolean; stack: string };
  /** Files of the directory that are still open at the end. */
  open: string[];
}

/** `perform.ts NAME DIRECTORY`: does an operation; prints a line for each step that is acknowledged, and one at the end. */
const [name, directory = ""] = process.argv.slice(2);
const called = (operations: readonly Operation[]) => operations.find((each) => each.name === name);
// Most operations are no backups, and start in three quarters of the time without what those import.
const operation = called(FILE_OPERATIONS) ?? called((await import("./backup_operations.ts")).BACKUP_OPERATIONS);
if (operation === undefined) throw new Error(`There is no operation called ${name}.`);

const words: Words = { open: [] };
// What is still open when nothing is left to do is open for ever.
process.on("exit", () => {
  words.open = readdirSync("/proc/self/fd")
    .map(fileOf)
    .filter((path) => path.startsWith(directory));
  writeSync(1, `${JSON.stringify(words)}\n`);
});

/** Of a descriptor that is open; nothing of the one by which the list of them was read. */
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

/** Tells which thread makes the asynchronous calls, and waits until somebody watches it. */
async function waitForTracer(): Promise<void> {
  const before = new Set(readdirSync("/proc/self/task"));
  await access("/");
  const thread = readdirSync("/proc/self/task").find((each) => !before.has(each));
  writeSync(1, `thread ${thread}\n`);
  readSync(0, Buffer.alloc(1));
}
