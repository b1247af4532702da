import { parse } from "node:path";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { sizeText } from "@perdura/cli/quantities.js";
import type { CommandRun } from "./run_command.ts";

/** Stores a library. */
export const push: CommandRun = async (store, given, { signal }) => {
  const path = given.targets[1] as string;
  const name = valueOf(given, "name") ?? parse(path).name;
  const { stored, ...backup } = await store.backup(path, { name, ifChanged: has(given, "if-changed"), signal });
  const version = `${backup.version} (${sizeText(backup.size)})`;
  const summary = stored
    ? `Stored ${name} as ${version} in ${store.place}.`
    : `Nothing was stored: the newest version of ${name}, ${version}, has the same content.`;
  return { code: 0, summary, result: { stored, backup }, lines: [] };
};
