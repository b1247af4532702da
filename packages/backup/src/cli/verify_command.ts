import { EXIT } from "@perdura/cli/exit_codes.js";
import { countText, numberText } from "@perdura/cli/quantities.js";
import { namedVersions } from "./named_versions.ts";
import { type CommandRun, onStore } from "./run_command.ts";
import { verificationLines } from "./versions_table.ts";

/** Reads versions and reports for each whether it is intact. */
export const verify: CommandRun = onStore(async (store, given, { signal, paint }) => {
  const name = given.words[1];
  await namedVersions(store, name, signal);
  const versions = await store.verify(name, { signal });
  const bad = versions.filter(({ ok }) => !ok).length;
  const summary =
    versions.length === 0
      ? `Found no backup in ${store.place}; nothing was verified.`
      : bad === 0
        ? `${countText(versions.length, "version")} read, all intact.`
        : `${countText(versions.length, "version")} read, ${numberText(bad)} not intact.`;
  return {
    // A scheduled verification with a wrong address must not pass.
    code: versions.length === 0 ? EXIT.failed : bad === 0 ? EXIT.done : EXIT.difference,
    summary,
    result: { versions },
    lines: verificationLines(versions, paint),
  };
});
