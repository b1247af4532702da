import { readdirSync, readlinkSync } from "node:fs";
import { endOnInterrupt } from "@perdura/cli/interrupt.js";
import { migrate } from "../../src/index.ts";
import { runBeside } from "../support/program.ts";

/**
 * Migrates a small database with levels as a program, which does the work on its files itself. Prints what another process could
 * write meanwhile, and the number of descriptors of the database that are still open afterwards.
 */
const [path = "", row = ""] = process.argv.slice(2);
endOnInterrupt("migrate_itself", "");
const answers: string[] = [];
const { exit_code } = await migrate(path, {
  onProgress: ({ stage }) => {
    if (["backup", "change", "verify", "commit"].includes(stage)) answers.push(runBeside("intruder.ts", path, row));
  },
});
const targetOf = (name: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${name}`);
  } catch {
    return "";
  }
};
const open =
  process.platform === "linux" ? readdirSync("/proc/self/fd").filter((name) => targetOf(name) === path).length : 0;
process.stdout.write(JSON.stringify({ exit_code, answers, open }));
