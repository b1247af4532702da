import { countText, numberText } from "@perdura/cli/quantities.js";
import { namedVersions } from "./named_versions.ts";
import type { CommandRun } from "./run_command.ts";
import { verificationLines } from "./versions_table.ts";

/** Reads versions, and says of each whether it is whole. */
export const verify: CommandRun = async (store, given, { signal, paint }) => {
  const name = given.targets[1];
  await namedVersions(store, name, signal);
  const versions = await store.verify(name, { signal });
  const bad = versions.filter(({ ok }) => !ok).length;
  const summary =
    versions.length === 0
      ? "No backups."
      : bad === 0
        ? `${countText(versions.length, "version")} read, all whole.`
        : `${countText(versions.length, "version")} read, ${numberText(bad)} not whole.`;
  return { code: bad === 0 ? 0 : 4, summary, result: { versions }, lines: verificationLines(versions, paint) };
};
