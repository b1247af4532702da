import { assertMeansSomething, assertOnce } from "@perdura/cli/check_options.js";
import { isAddress, isNearlyAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";
import type { Given } from "@perdura/cli/option_table.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { type Command, type OptionName, OPTIONS } from "./options.ts";

/** What to use instead of an option that means nothing to a command. */
const INSTEAD: Partial<Record<OptionName, Partial<Record<Command, string>>>> = {
  "dry-run": { up: "plan shows what up would do, and up --rehearse does it on private copies." },
  rehearse: { plan: "plan changes nothing anyway; it is for up.", down: "Use --dry-run.", prune: "Use --dry-run." },
  backups: { down: "down leaves the backups where they are." },
  extract: { down: "down brings the directory back; extract is for states ARCHIVE." },
};

/** @throws UsageError for what means nothing to the command, contradicts itself, or is missing. */
export function checkGiven(command: Command, targets: readonly string[], given: readonly Given<OptionName>[]): void {
  for (const { name } of given) assertMeansSomething(name, command, OPTIONS, INSTEAD);
  assertOnce(given, OPTIONS);
  const names = new Set(given.map(({ name }) => name));
  if (names.has("no-backup") && names.has("backup-dir") && !names.has("rehearse"))
    throw new UsageError("--no-backup and --backup-dir exclude each other.");
  if (command === "copy" && targets.length !== 2)
    throw new UsageError(
      "copy needs two places: perdura-migrate copy ./data postgres://localhost/agents, or the other way round.",
    );
  if (command !== "copy") checkAddresses(command, targets, names);
  if (targets.length === 0)
    throw new UsageError(
      command === "states"
        ? "states needs an archive, for example data/empathy_state.v15.sqlar."
        : `${command} needs a target: a database, a state directory, or a directory that holds them.`,
    );
  if (command === "states" && targets.length > 1) throw new UsageError("states takes one archive at a time.");
}

/** Options of `verify` that are about files. */
const ABOUT_FILES: readonly OptionName[] = ["states", "backup-dir"];

/** @throws UsageError for the address of a server where files are expected; it is not shown, since it may hold a password. */
function checkAddresses(command: Command, targets: readonly string[], names: ReadonlySet<OptionName>): void {
  const isServer = command === "verify" && targets.length > 0 && targets.every(isPostgresAddress);
  if (isServer) {
    const meaningless = ABOUT_FILES.find((name) => names.has(name));
    if (meaningless !== undefined)
      throw new UsageError(`--${meaningless} means nothing to verify with the address of a server.`);
    return;
  }
  if (targets.some((target) => isAddress(target) || isNearlyAddress(target)))
    throw new UsageError(
      command === "verify"
        ? "verify takes either files and directories or addresses that begin postgres://, not both at once."
        : `${command} takes files and directories; only copy and verify take the address of a server.`,
    );
  if (command === "verify" && names.has("schema"))
    throw new UsageError("--schema means nothing to verify with files; it is for addresses that begin postgres://.");
}
