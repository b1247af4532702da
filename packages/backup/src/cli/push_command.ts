import { EXIT } from "@perdura/cli/exit_codes.js";
import { parse } from "node:path";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { sizeText } from "@perdura/cli/quantities.js";
import { type CommandRun, onStore } from "./run_command.ts";

/** Stores a library. */
export const push: CommandRun = onStore(async (store, given, { signal }) => {
  const path = given.words[1] as string;
  const name = valueOf(given, "name") ?? parse(path).name;
  const { stored, ...backup } = await store.backup(path, { name, ifChanged: has(given, "if-changed"), signal });
  const version = `${backup.version} (${sizeText(backup.size)})`;
  const summary = stored
    ? `Stored ${name} as ${version} in ${store.place}.`
    : `Nothing was stored: the newest version of ${name}, ${version}, has the same content.`;
  return { code: EXIT.done, summary, result: { stored, backup }, lines: [] };
});
