import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder, libraryOf } from "../elements.ts";
import { commandLine } from "./program.ts";

/** Runs perdura-backup next to this process; returns its exit code. */
function codeOf(...words: string[]): Promise<number | null> {
  const [node, ...rest] = commandLine(...words);
  const child = spawn(node, rest, { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((resolve) => child.on("close", resolve));
}

test("push waits for a locked library for the time of --timeout", async () => {
  const folder = freshFolder();
  const library = join(folder, "agents.db");
  saveLibraryToSqlite(libraryOf("one"), library);
  const holder = new Database(library);
  onTestFinished(() => void holder.close());
  holder.exec("BEGIN EXCLUSIVE");
  const store = (name: string): string => pathToFileURL(join(folder, name)).href;
  // The patient one begins first: if the option had no effect, it would give up first as well.
  const patient = codeOf("push", "--quiet", store("patient"), library, "--timeout", "600");
  expect(await codeOf("push", "--quiet", store("hasty"), library, "--timeout", "1")).toBe(5);
  holder.exec("ROLLBACK");
  expect(await patient).toBe(0);
  expect(readdirSync(join(folder, "patient", "agents"))).toHaveLength(2);
  expect(readdirSync(folder)).not.toContain("hasty");
});
