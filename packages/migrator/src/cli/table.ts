import { existsSync } from "node:fs";
import type { OptionTable } from "@perdura/cli/option_table.js";
import type { Invocation, ProgramTable, Word } from "@perdura/cli/program_table.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { mayHoldSecret, withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { isAddress, isNearlyAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { shellWord } from "../core/shell_words.ts";

/** In the order in which an operator uses them. */
export type Command = "plan" | "up" | "verify" | "status" | "down" | "prune" | "states" | "copy";

export type OptionName =
  | "states"
  | "line-from"
  | "invalid-rows"
  | "non-finite"
  | "timestamps"
  | "missing-level"
  | "fence"
  | "defer-indexes"
  | "backup-dir"
  | "no-backup"
  | "verify"
  | "rehearse"
  | "dry-run"
  | "backups"
  | "yes"
  | "extract"
  | "replace"
  | "schema";

/** A command of the program with its words and options. */
export type Arguments = Invocation<Command, OptionName>;

const CHANGING: readonly Command[] = ["plan", "up"];
const MIGRATING: readonly Command[] = [...CHANGING, "copy"];
const ON_DATA: readonly Command[] = ["plan", "up", "verify", "status", "down", "prune"];

/** Keeps an address with its password out of the command line, which other users of the machine can read. */
const FROM_ENVIRONMENT = {
  placeholder: { word: "postgres://", env: "PERDURA_POSTGRES_URL" },
  pattern: /^postgres(?:ql)?:\/\//i,
  expected: "an address that begins postgres://",
} satisfies Partial<Word>;

const TARGET: Word = {
  name: "TARGET",
  meaning: "a database, a state directory, or a directory that holds them",
  arguments: ["targets"],
  repeatable: true,
};

/** The program's own options, in the order of the help. */
export const OPTIONS: OptionTable<Command, OptionName> = {
  states: {
    value: "DIR",
    arguments: ["stateDirectories"],
    repeatable: true,
    commands: [...ON_DATA, "copy"],
    help: "include a state directory that the search does not find (may be repeated)",
  },
  "line-from": {
    value: "LINE",
    choices: ["auto", "15"],
    default: "auto",
    commands: CHANGING,
    help: "auto recognises the layout of each database; 15 declares all of them pre-16, so that one that has the 16 layout stops the run",
  },
  "invalid-rows": {
    value: "WAY",
    choices: ["abort", "quarantine"],
    default: "abort",
    commands: MIGRATING,
    help: "treat rows that version 16 cannot hold, and patterns that it cannot read: abort lists them and changes nothing; quarantine moves them unchanged into the table perdura_quarantine of the same database",
  },
  "non-finite": {
    value: "WAY",
    choices: ["null", "text"],
    commands: MIGRATING,
    help: 'replace NaN, Infinity and -Infinity in patterns, which are not JSON: by null, or by text, the strings "NaN", "Infinity" and "-Infinity"',
  },
  timestamps: {
    value: "WAY",
    choices: ["drop-zone", "utc"],
    commands: MIGRATING,
    help: "convert timestamps of patterns that have a time zone: drop-zone leaves it out, utc converts to UTC; with either, seconds since 1970, dates alone and times without seconds are completed",
  },
  "missing-level": {
    value: "WAY",
    pattern: /^(?:abort|from-state(?:,[1-5])?|from-table,.+|[1-5])$/s,
    expected: "abort, from-state, from-state,N, from-table,NAME, from-table,NAME,N or a level N from 1 to 5",
    default: "abort",
    commands: MIGRATING,
    help: "fill in levels that are missing: abort explains and changes nothing; from-state takes the current level of the user's collaboration state; N takes that level from 1 to 5; from-state,N takes N for users without a state; from-table,NAME takes the level of the same row in another table of the database, which was renamed or remains from an interrupted upgrade, and adds the rows that only that table has; from-table,NAME,N takes N for the others",
  },
  fence: {
    value: "WAY",
    choices: ["tombstone", "compat", "none"],
    default: "tombstone",
    commands: CHANGING,
    help: "leave something under the old name metrics: tombstone makes pre-16 programs fail with a clear message; compat is a view with which a running one continues",
  },
  "defer-indexes": {
    commands: CHANGING,
    help: "leave the building of new indexes to a later run; the old ones stay until then",
  },
  "backup-dir": {
    value: "DIR",
    default: "next to each database",
    commands: ON_DATA,
    help: "keep, or look for, backups in this directory",
  },
  "no-backup": { commands: ["up"], help: "keep no copy of the databases" },
  verify: {
    value: "WAY",
    choices: ["full", "quick"],
    default: "full",
    commands: ["up"],
    help: "compare the result with the copy: full compares every value; quick compares counts, ids and the schema",
  },
  rehearse: {
    commands: ["up"],
    help: "do everything, the proof included, on private copies, and leave the data unchanged",
    instead: {
      plan: "plan changes nothing anyway; it is for up.",
      down: "Use --dry-run.",
      prune: "Use --dry-run.",
    },
  },
  "dry-run": {
    commands: ["down", "prune", "copy"],
    help: "only show what would be done",
    instead: { up: "plan shows what up would do, and up --rehearse does it on private copies." },
  },
  backups: {
    commands: ["prune"],
    help: "remove the backups of databases too, after comparing each with its database once more",
    instead: { down: "down leaves the backups where they are." },
  },
  yes: {
    short: "y",
    commands: ["up", "down", "prune"],
    help: "do not ask first; prune needs this without a terminal, and with --json or --quiet",
  },
  extract: {
    value: "DIR",
    arguments: ["directory"],
    commands: ["states"],
    help: "write the archived files into this directory, which must be new or empty",
    instead: { down: "down restores the directory; extract is for states ARCHIVE." },
  },
  replace: {
    commands: ["copy"],
    help: "overwrite rows of the target that differ from those of the source",
  },
  schema: {
    value: "NAME",
    pattern: /^(?!pg_)[^\0]{1,63}$/i,
    expected: "a name of a schema, which does not begin with pg_",
    default: "perdura",
    commands: ["verify", "copy"],
    help: "use this schema in PostgreSQL",
  },
};

/** The whole command line interface of perdura-migrate. */
export const TABLE: ProgramTable<Command, OptionName> = {
  name: "perdura-migrate",
  summary: "Migrate agent persistence data from pre-16 to 16, without losing anything",
  details:
    "A target is a database file, a state directory, or a directory that holds them.\n\nData of a program before 15.0.0: migrate BEFORE any program of 15.0.0 or later opens it; those drop the levels as soon as they open such a file, even to read.",
  examples: ["perdura-migrate plan ./data", "perdura-migrate up ./data"],
  commands: {
    plan: {
      summary: "Show what up would do; cannot write",
      words: [TARGET],
      details:
        "Lists the files found, recognised layouts, rows, rows with odd values, steps, and the disk space that is needed.",
      examples: ["perdura-migrate plan ./data", "perdura-migrate plan --json metrics.db | jq .databases"],
    },
    up: {
      summary: "Migrate databases and archive collaboration states",
      words: [TARGET],
      details:
        "Each database is copied to NAME.v15.bak, changed in one transaction, and compared with the copy before the transaction is committed. Each state directory is archived in NAME.v15.sqlar and stays unchanged. If anything needs a decision, nothing at all is changed. Stop the programs that use the data first. On a terminal it shows the plan and asks, but not with --json or --quiet. It is safe to run it again at any time: it finishes what is left, or has nothing to do.",
      examples: [
        "perdura-migrate up ./data",
        "perdura-migrate up --rehearse ./data",
        "perdura-migrate up --invalid-rows quarantine metrics.db",
        "perdura-migrate up --missing-level from-state,3 --states ./users ./data",
        "perdura-migrate up --backup-dir /mnt/backups ./data",
      ],
    },
    verify: {
      summary: "Compare migrated data with its backups and archives, or check a server",
      words: [
        {
          ...TARGET,
          arguments: ["targets", "places", "place"],
          ...FROM_ENVIRONMENT,
          env: FROM_ENVIRONMENT.placeholder.env,
        },
      ],
      details:
        "Compares migrated databases with their backups, value by value, and archives with their state directories, byte by byte. Rows that were recorded since are counted, and are no difference. Also compares the sums that perdura keeps next to the interactions of a long database, for its statistics, with all rows; that needs neither migration nor backup. Cannot write.\n\nWith addresses that begin postgres:// it compares those sums with all rows in PostgreSQL, reads every pattern as version 16 does, and checks whether the counters of ids are behind their tables. Needs the packages @perdura/postgres and pg. Put an address with a password into PERDURA_POSTGRES_URL, and leave TARGET out.",
      examples: ["perdura-migrate verify ./data", "perdura-migrate verify postgres://localhost/agents"],
    },
    status: {
      summary: "Show what is here, what was done, and what is left to do",
      words: [TARGET],
      details:
        "Shows for each database which layout it has, how many rows, when and by what it was migrated, which backups exist, and what is left to do; for each state directory, whether its archive exists and is up to date by names, sizes and times. Quick, because no value is compared (verify does that). Cannot write.",
      examples: ["perdura-migrate status ./data", "perdura-migrate status --json ./data | jq .databases"],
    },
    down: {
      summary: "Go back to the pre-16 layout, with what was recorded since",
      words: [TARGET],
      details:
        "Each database goes back to the layout that it had before its first migration, with what was recorded since, after a copy to NAME.v16.bak; it needs no backup, because the database itself records what it was. State directories that are gone are restored from their archives: bytes, names, modes and times; one that exists stays, and gets back what it lacks. Of several archives the newest comes first, and the older ones give what it does not have. On a terminal it shows what it would do and asks, but not with --json or --quiet.",
      examples: ["perdura-migrate down --dry-run ./data", "perdura-migrate down ./data"],
    },
    prune: {
      summary: "Remove archived state directories that are not needed any more",
      words: [TARGET],
      details:
        "Each state directory is compared with its archive once more first; one that is not equal, or that you may not remove completely, stays. With --backups also removes the backups of databases, after comparing those once more. Asks first on a terminal; elsewhere, and with --json or --quiet, it needs --yes.",
      examples: ["perdura-migrate prune --dry-run ./data", "perdura-migrate prune --backups --yes ./data"],
    },
    states: {
      summary: "List or extract the collaboration states of an archive",
      words: [
        { name: "ARCHIVE", meaning: "an archive, for example data/empathy_state.v15.sqlar", arguments: ["archive"] },
      ],
      details:
        'Lists the users with the fields of their states; with --json each is a JSON object on a line of its own. --extract DIR writes every archived file there, unchanged. The archive stays unchanged; the stock "sqlite3 -A" lists and extracts it as well, except for names with ".." before a slash or backslash.',
      examples: [
        "perdura-migrate states data/empathy_state.v15.sqlar",
        "perdura-migrate states --json data/empathy_state.v15.sqlar",
        "perdura-migrate states --extract ./old_states data/empathy_state.v15.sqlar",
      ],
    },
    copy: {
      summary: "Copy patterns and metrics to PostgreSQL, or from there",
      words: [
        {
          name: "SOURCE",
          meaning: "a database, a directory with patterns.db and metrics.db, or an address",
          arguments: ["source"],
          ...FROM_ENVIRONMENT,
        },
        {
          name: "TARGET",
          meaning: "an address that begins postgres://, or a file or directory if SOURCE is one",
          arguments: ["target"],
          ...FROM_ENVIRONMENT,
          env: FROM_ENVIRONMENT.placeholder.env,
        },
      ],
      details:
        "Copies patterns, their usage, interactions and their metadata between SQLite and PostgreSQL, and compares both sides row by row at the end. The source stays unchanged. A pre-16 source is migrated on a private copy first. Rows that exist and are equal are not copied again, so that a run that was interrupted is finished by the next; rows that differ stop it before anything is changed. Needs the packages @perdura/postgres, pg and pg-copy-streams.\n\nPut an address with a password into PERDURA_POSTGRES_URL: leave TARGET out, or write postgres:// for SOURCE.",
      examples: [
        "perdura-migrate copy ./data postgres://localhost/agents",
        "perdura-migrate copy --dry-run ./data postgres://localhost/agents",
        "perdura-migrate copy postgres://localhost/agents ./data",
      ],
    },
  },
  options: OPTIONS,
  synonyms: {
    migrate: "up",
    upgrade: "up",
    run: "up",
    check: "verify",
    validate: "verify",
    compare: "verify",
    revert: "down",
    rollback: "down",
    undo: "down",
    downgrade: "down",
    clean: "prune",
    cleanup: "prune",
    preview: "plan",
    list: "states",
    info: "status",
    move: "copy",
    transfer: "copy",
  },
  insteadOfCommand: (word) =>
    existsSync(word)
      ? `A command comes first: perdura-migrate plan ${shellWord(word)} shows what would be done.`
      : undefined,
  environment: {
    PERDURA_POSTGRES_URL:
      "the address of a server, for copy and verify: where TARGET is left out, and where postgres:// stands alone; what it leaves out is in PGHOST, PGUSER, PGPASSWORD, … of libpq",
  },
  exits: {
    1: "failed, and no data was changed; or the output could not be written (stderr then says what was done)",
    2: "wrong usage",
    4: "verification found a difference",
    130: "interrupted; what was in progress was rolled back",
  },
  check,
  secrets: { mayHoldSecret, withoutSecrets },
};

/** @throws UsageError for words and options that contradict each other. */
function check({ command, words, given }: Arguments): void {
  const names = new Set(given.map(({ name }) => name));
  if (names.has("no-backup") && names.has("backup-dir") && !names.has("rehearse"))
    throw new UsageError("--no-backup and --backup-dir exclude each other.");
  if (command === "copy") return;
  if (command === "verify" && words.every(isPostgresAddress)) {
    const meaningless = (["states", "backup-dir"] as const).find((name) => names.has(name));
    if (meaningless !== undefined)
      throw new UsageError(`--${meaningless} means nothing to verify with the address of a server.`);
    return;
  }
  // The message contains no address: it may have a password.
  if (words.some((word) => isAddress(word) || isNearlyAddress(word)))
    throw new UsageError(
      command === "verify"
        ? "verify takes either files and directories or addresses that begin postgres://, not both at once."
        : `${command} takes files and directories; only copy and verify take the address of a server.`,
    );
  if (command === "verify" && names.has("schema"))
    throw new UsageError("--schema means nothing to verify with files; it is for addresses that begin postgres://.");
}
