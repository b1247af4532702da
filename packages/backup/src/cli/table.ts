import { type CommandOption, type OptionTable, valueOf } from "@perdura/cli/option_table.js";
import type { Invocation, ProgramTable, ArgumentRow } from "@perdura/cli/program_table.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { mayHoldSecret, redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { isNoPath } from "../local/no_path.ts";
import { ADDRESSES, ON_ALL_KINDS } from "../stores/kinds.ts";

export type Command = "push" | "list" | "pull" | "verify" | "prune";

/** Options for the numbers of versions that `prune` keeps. */
const KEEP_OPTIONS = ["keep-last", "keep-hourly", "keep-daily", "keep-weekly", "keep-monthly", "keep-yearly"] as const;
type KeepOption = (typeof KEEP_OPTIONS)[number];

export type OptionName =
  | "name"
  | "if-changed"
  | "to"
  | "version"
  | "at"
  | "overwrite"
  | KeepOption
  | "dry-run"
  | "yes"
  | "tries"
  | "timeout";

/** A command of the program with its arguments and options. */
export type Arguments = Invocation<Command, OptionName>;

const ALL: readonly Command[] = ["push", "list", "pull", "verify", "prune"];

const ADDRESS: ArgumentRow = {
  name: "ADDRESS",
  meaning: "the address of a store, for example file:///srv/backups",
  arguments: ["place"],
  env: "PERDURA_STORE",
  // Also matches text that would be refused as an address, because it is hardly meant as the name of a library.
  isIt: (word) => /^[a-z][a-z\d+.-]*:/i.test(word) || mayHoldSecret(word),
};
const PATH: ArgumentRow = { name: "PATH", meaning: "the file of a library", arguments: ["source"] };
const NAME: ArgumentRow = { name: "NAME", meaning: "the name of a library", namesNoFile: true, arguments: ["name"] };
const ANY_NAME: ArgumentRow = { ...NAME, meaning: "the name of a library; all of them by default", optional: true };

const keep = (help: string): CommandOption<Command> => ({
  value: "N",
  pattern: /^\d{1,9}$/,
  expected: "a whole number of at least 0",
  commands: ["prune"],
  help,
});

const OWN_VERSION = "It is an option of pull. perdura-backup --version prints the version of the program.";
const NAME_FOLLOWS = "The name follows the address.";

const OPTIONS: OptionTable<Command, OptionName> = {
  name: {
    value: "NAME",
    expected: "a name for the library",
    namesNoFile: true,
    default: "the name of the file without its extension",
    commands: ["push"],
    help: "store the library under this name",
    instead: { list: NAME_FOLLOWS, pull: NAME_FOLLOWS, verify: NAME_FOLLOWS, prune: NAME_FOLLOWS },
  },
  "if-changed": { commands: ["push"], help: "store nothing if the newest version has the same content" },
  to: {
    value: "PATH",
    expected: "the path of a file",
    required: true,
    commands: ["pull"],
    help: "write the library to this file",
  },
  version: {
    value: "V",
    expected: "the name of a version as list shows it",
    namesNoFile: true,
    default: "the newest",
    commands: ["pull"],
    help: "restore this version, as list shows it",
    instead: { push: OWN_VERSION, list: OWN_VERSION, verify: OWN_VERSION, prune: OWN_VERSION },
  },
  at: {
    value: "TIME",
    pattern: /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/,
    expected: "a time with its zone such as 2026-11-22T16:43:10Z, or a day such as 2026-11-22",
    commands: ["pull"],
    help: "restore the newest version made until this time, or until the end of this day in UTC",
  },
  overwrite: { commands: ["pull"], help: "replace the file even if it is newer than the version or has more tables" },
  "keep-last": keep("keep the newest N versions of each library"),
  "keep-hourly": keep("keep the newest version of each of the last N hours with versions"),
  "keep-daily": keep("keep the newest version of each of the last N days with versions"),
  "keep-weekly": keep("keep the newest version of each of the last N weeks (from Monday) with versions"),
  "keep-monthly": keep("keep the newest version of each of the last N months with versions"),
  "keep-yearly": keep("keep the newest version of each of the last N years with versions"),
  "dry-run": { commands: ["prune"], help: "only show what would be removed" },
  yes: {
    short: "y",
    commands: ["prune"],
    help: "remove without asking; required without a terminal, and with --json or --quiet",
  },
  tries: {
    value: "N",
    pattern: /^(?:[1-9]|1\d|20)$/,
    expected: "a whole number from 1 to 20",
    default: "5",
    commands: ALL,
    help: "send each request to the store at most N times",
  },
  timeout: {
    value: "SECONDS",
    pattern: /^[1-9]\d{0,5}$/,
    expected: "a whole number of seconds from 1 to 999999",
    default: "60; 30 for a database",
    arguments: ["timeoutMs", "busyTimeoutMs"],
    commands: ALL,
    help: "limit the time of one try, and the wait for a database that another process holds",
  },
};

/** Commands, options and help texts of perdura-backup. */
export const TABLE: ProgramTable<Command, OptionName> = {
  name: "perdura-backup",
  summary: `Back up pattern libraries ${ON_ALL_KINDS}`,
  details: `An address is ${ADDRESSES}. Set PERDURA_STORE to omit it.`,
  examples: [
    "perdura-backup push file:///srv/backups agents.db",
    "perdura-backup list file:///srv/backups",
    "perdura-backup pull file:///srv/backups agents --to agents.db",
  ],
  commands: {
    push: {
      summary: "Store a library as a new version",
      words: [ADDRESS, PATH],
      details:
        "PATH is a JSON document or an SQLite database. Other programs may write to the database at the same time: the version is a consistent snapshot. A file that is not a library is refused. A version becomes visible only when it is complete.",
      examples: [
        "perdura-backup push file:///srv/backups agents.db",
        "perdura-backup push --name team-a --if-changed file:///srv/backups agents.json",
      ],
    },
    list: {
      summary: "Show the versions of one library or of all, the newest first",
      words: [ADDRESS, ANY_NAME],
      examples: [
        "perdura-backup list file:///srv/backups",
        "perdura-backup list --json file:///srv/backups agents | jq .versions",
      ],
    },
    pull: {
      summary: "Restore a version into a file",
      words: [ADDRESS, NAME],
      details:
        "The version is read and checked; then the file of --to is replaced atomically. Without --overwrite, a file that was changed after the version was made is kept, and so is a database with tables that the version does not have. Programs that have the database open see either the old or the new content. If pull is interrupted, the bytes that arrived stay next to the file, and the next pull of this version continues there.",
      examples: [
        "perdura-backup pull file:///srv/backups agents --to agents.db",
        "perdura-backup pull file:///srv/backups agents --at 2026-11-22 --to old.db",
      ],
    },
    verify: {
      summary: "Read versions completely, and check that they are intact",
      words: [ADDRESS, ANY_NAME],
      details: "Nothing is changed.",
      examples: ["perdura-backup verify file:///srv/backups"],
    },
    prune: {
      summary: "Remove versions that no rule keeps; the newest is always kept",
      words: [ADDRESS, ANY_NAME],
      details:
        "A version is kept if at least one rule keeps it. Hours and days are in UTC. On a terminal, prune lists the versions and asks before it removes them; without a terminal, and with --json or --quiet, it requires --yes. It reports how many bytes were freed, and how to free those that a store with versioning retains. Locked versions are kept, and the exit code is then 1.",
      examples: [
        "perdura-backup prune --keep-last 3 --dry-run file:///srv/backups",
        "perdura-backup prune --keep-daily 7 --keep-weekly 4 --yes file:///srv/backups",
      ],
    },
  },
  options: OPTIONS,
  synonyms: {
    backup: "push",
    store: "push",
    save: "push",
    upload: "push",
    restore: "pull",
    download: "pull",
    get: "pull",
    ls: "list",
    versions: "list",
    check: "verify",
    remove: "prune",
    delete: "prune",
    rm: "prune",
    forget: "prune",
    clean: "prune",
  },
  exits: {
    1: "failed, or verify found no backup, or prune could not remove a locked version; or the output could not be written (stderr then reports what was done)",
    2: "wrong usage, or no such file, library or version",
    3: "a decision is needed, and nothing was changed: the file is newer than the version or has more tables, or prune cannot ask for confirmation",
    4: "verify found a version that is not intact",
  },
  check,
  secrets: { mayHoldSecret, redactSecrets },
};

/** @throws UsageError for arguments and options that exclude each other. */
function check({ command, words, given }: Arguments): void {
  for (const { name, value } of given) assertNoAddress(value ?? "", `--${name}`);
  const second = words[1] ?? "";
  if (command === "push") assertNoAddress(second, "PATH");
  // Not shown: it may contain a secret that would become the name of a library.
  if (isAddress(second))
    throw new UsageError(`${command}: expected the name of a library after the address, got another address.`);
  const valueFor = (name: OptionName): string | undefined => valueOf({ given }, name);
  if (command === "pull" && valueFor("version") !== undefined && valueFor("at") !== undefined)
    throw new UsageError("--version and --at cannot be combined.");
  if (command === "prune" && !KEEP_OPTIONS.some((name) => Number(valueFor(name) ?? 0) > 0))
    throw new UsageError(
      `prune requires at least one of ${KEEP_OPTIONS.map((name) => `--${name}`).join(", ")}, greater than 0.`,
    );
}

/**
 * Refuses an address as another argument; a path that looks like an address has to begin with `./`.
 *
 * @throws UsageError that does not show the argument, because it may contain a secret.
 */
function assertNoAddress(word: string, place: string): void {
  if (isNoPath(word))
    throw new UsageError(
      `${place}: expected no address; the value is not shown, because it may contain a secret. If it is a path, write ./ before it.`,
    );
}
