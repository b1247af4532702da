import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { WRITABLE, type Finding } from "./findings.ts";
import { suiteText } from "./suite_text.ts";
import { missing, placeOf } from "./text_files.ts";

/** A lock that ends after a moment, or the difference that prevented it. */
interface LockAttempt {
  findings: Finding[];
  /** Resolves when the other program has ended. */
  released: Promise<unknown>;
}

/**
 * Lets another program take the lock of a writer on a database; readers can still read. Returns once the lock is held.
 * @throws {Error} when the other program fails for a reason that is not the database, with its words.
 */
export async function lockDatabase(file: string, directory: string): Promise<LockAttempt> {
  const path = placeOf(file, directory);
  if (!existsSync(path)) return { findings: [missing(file)], released: Promise.resolve() };
  const program = new URL(`./hold_lock.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
  const child = spawn(process.execPath, ["--no-warnings", fileURLToPath(program), path, String(Date.now())], {
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text));
  const released = once(child, "close");
  const said = await Promise.race([once(child.stdout.setEncoding("utf8"), "data"), released.then(() => [""])]);
  const word = String(said[0]).trim();
  if (word === "") throw new Error(`the program that writes to ${file} failed: ${problem.trim()}`);
  return { findings: word === "held" ? [] : [{ at: "", wanted: WRITABLE, got: suiteText(word) }], released };
}
