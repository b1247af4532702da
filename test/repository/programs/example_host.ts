/**
 * `example_host.ts SEPARATOR LIST`: runs the scripts of a JSON file one after the other, each in its directory, and
 * prints a line after each: the separator and the outcome.
 */
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Ending, Script } from "../run_example.ts";

const [separator = "", list = ""] = process.argv.slice(2);
for (const { script, directory } of JSON.parse(readFileSync(list, "utf8")) as Script[]) {
  process.chdir(directory);
  const ending: Ending = {};
  try {
    await import(pathToFileURL(script).href);
  } catch (error) {
    ending.error = error instanceof Error ? String(error.stack) : String(error);
  }
  if (Number(process.exitCode ?? 0) !== 0) ending.error ??= `it exited with status ${process.exitCode}`;
  process.exitCode = undefined;
  writeSync(1, `${separator}${JSON.stringify(ending)}\n`);
}
