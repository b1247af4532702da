import { existsSync } from "node:fs";
import type { OptionTable } from "@perdura/cli/option_table.js";
import type { Invocation, ProgramTable, ArgumentRow } from "@perdura/cli/program_table.js";
import { POSTGRES_ADDRESS, POSTGRES_SCHEMA } from "@perdura/cli/postgres_words.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { mayHoldSecret, redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import { isAddress, isMistypedAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { CHOICES } from "../core/options.ts";
import { shellWord } from "../core/shell_words.ts";

/** In the order in which an operator uses them. */
export type Command =
  | "plan"
  | "up"
  | "verify"
  | "status"
  | "down"
  | "prune"
  | "states"
  | "copy"
  | "sums"
  | "forget"
  | "compact";

export type OptionName =
  | "states"
  | "invalid-rows"
  | "non-finite"
  | "timestamps"
  | "pattern-ids"
  | "missing-level"
  | "broken-references"
  | "fence"
  | "backup-dir"
  | "no-backup"
  | "html"
  | "rehearse"
  | "dry-run"
  | "backups"
  | "yes"
  | "user"
  | "older-than"
  | "agent"
  | "orphans"
  | "erase"
  | "extract"
  | "replace"
  | "schema"
  | "distributed";

/** A command of the program with its words and options. */
export type Arguments = Invocation<Command, OptionName>;

const CHANGING: readonly Command[] = ["plan", "up"];
const MIGRATING: readonly Command[] = [...CHANGING, "copy"];
const ON_DATA: readonly Command[] = ["plan", "up", "verify", "status", "down", "prune"];

const TARGET: ArgumentRow = {
  name: "TARGET",
  meaning: "a database, a state directory, or a directory that contains them",
  arguments: ["targets"],
  repeatable: true,
};

/** For commands that work on databases of both lines. */
const DATABASES: ArgumentRow = {
  name: "PATH",
  meaning: "a database, or a directory that contains databases",
  arguments: ["targets"],
  repeatable: true,
};

/** The program's own options, in the order of the help. */
export const OPTIONS: OptionTable<Command, OptionName> = {
  states: {
    value: "DIR",
    arguments: ["stateDirectories"],
    repeatable: true,
    commands: [...ON_DATA, "copy", "forget"],
    help: "include a state directory that the search does not find (may be repeated)",
  },
  "invalid-rows": {
    value: "WAY",
    choices: CHOICES.invalidRows,
    default: CHOICES.invalidRows[0],
    commands: MIGRATING,
    help: "handle rows and patterns that are invalid in version 16: abort lists them and changes nothing; quarantine moves these rows and patterns, unchanged, to the table perdura_quarantine of the same database",
  },
  "non-finite": {
    value: "WAY",
    choices: CHOICES.nonFinite,
    commands: MIGRATING,
    help: 'replace NaN, Infinity and -Infinity in patterns and JSON libraries, which are not JSON: null uses null, which version 16 reads as the default of the field; text uses the strings "NaN", "Infinity" and "-Infinity", and null where a field cannot hold text',
  },
  timestamps: {
    value: "WAY",
    choices: CHOICES.timestamps,
    commands: MIGRATING,
    help: "convert pattern timestamps that have a time zone: drop-zone removes the zone; utc converts to UTC; both also convert seconds since 1970 and other forms of ISO 8601, complete dates without a time and times without seconds, and replace empty text with null",
  },
  "pattern-ids": {
    value: "WAY",
    choices: CHOICES.patternIds,
    commands: MIGRATING,
    help: "replace ids that version 16 refuses: assign turns a number into its text, a blob into its UTF-8 text or its bytes in hexadecimal, and gives a new id for an empty, missing or duplicate one; contributions and usage follow",
  },
  "missing-level": {
    value: "WAY",
    pattern: /^(?:abort|from-state(?:,[1-5])?|from-table,.+|from-file,.+|[1-5])$/s,
    expected:
      "abort, from-state, from-state,N, from-table,NAME, from-table,NAME,N, from-file,PATH, from-file,PATH,N or a level N from 1 to 5",
    default: "abort",
    commands: MIGRATING,
    help: "fill in missing levels: abort lists the choices and changes nothing; N uses this level, from 1 to 5; from-state uses the current level in the user's collaboration state; from-state,N uses N for users without a state; from-table,NAME uses the level of the same row in another table of the database, which was renamed or left by an interrupted upgrade; from-file,PATH uses the level of the same row in a copy of the database; with ,N appended, all other rows get the level N",
  },
  "broken-references": {
    value: "WAY",
    choices: CHOICES.brokenReferences,
    default: CHOICES.brokenReferences[0],
    commands: MIGRATING,
    help: "handle references to a table that does not exist, which prevent version 16 from saving: abort names them and changes nothing; repair replaces the name in the definition by that of the specification, for pattern_usage and interaction_metadata",
  },
  fence: {
    value: "WAY",
    choices: CHOICES.fence,
    default: CHOICES.fence[0],
    commands: CHANGING,
    help: "fence the old table name metrics with a view: tombstone makes pre-16 programs fail with a clear message; none creates no view",
  },
  "backup-dir": {
    value: "DIR",
    default: "next to each database",
    commands: [...ON_DATA, "forget"],
    help: "store backups in this directory, and look for them there",
  },
  "no-backup": { commands: ["up"], help: "do not keep backups of the databases" },
  rehearse: {
    commands: ["up"],
    help: "migrate and prove private copies, and change no data",
    instead: {
      plan: "plan changes nothing; --rehearse is an option of up.",
      down: "Use --dry-run.",
      prune: "Use --dry-run.",
    },
  },
  "dry-run": {
    commands: ["down", "prune", "copy", "forget"],
    help: "show what would be done, and change nothing",
    instead: { up: "Use plan to see what up would do, or up --rehearse to do it on private copies." },
  },
  backups: {
    commands: ["prune"],
    help: "also remove the backups of databases, after comparing each with its database again",
    instead: { down: "down keeps all backups." },
  },
  yes: {
    short: "y",
    commands: ["up", "down", "prune", "forget"],
    help: "do not ask for confirmation; prune and forget require this without a terminal, and with --json or --quiet",
  },
  user: {
    value: "ID",
    namesNoFile: true,
    arguments: ["userId"],
    commands: ["forget"],
    help: "delete the interactions of this user; without --older-than, also the collaboration state of the user",
  },
  "older-than": {
    value: "AGE",
    arguments: ["before"],
    pattern: /^(?:\d{1,6}[hdw]|\d{4}-\d\d-\d\d)$/,
    expected: "90d, 12h or 8w (days, hours, weeks), or a date such as 2026-01-31",
    commands: ["forget"],
    help: "delete interactions that are older: an age such as 12h, 90d or 8w, or a date in UTC",
  },
  agent: {
    value: "ID",
    namesNoFile: true,
    arguments: ["agentId", "agent_id"],
    commands: ["forget"],
    help: "delete the uses of patterns by this agent; the counts of the patterns are lowered by them",
  },
  orphans: {
    commands: ["forget"],
    help: "delete metadata without an interaction, which other programs left; status and verify report their number",
  },
  erase: {
    commands: ["forget"],
    help: "also overwrite the bytes in the databases, including those of rows that were deleted before, and empty the logs",
  },
  extract: {
    value: "DIR",
    arguments: ["directory"],
    commands: ["states"],
    help: "write the archived files into this directory, which must be new or empty",
    instead: { down: "Use down to restore the directory; --extract is an option of states." },
  },
  html: {
    value: "FILE",
    expected: "the path of a file",
    commands: ["verify"],
    help: "also write one page to FILE that compares the backups with the migrated data, to be read by others",
  },
  replace: {
    commands: ["copy"],
    help: "overwrite rows of the target that differ from those of the source",
  },
  schema: {
    ...POSTGRES_SCHEMA,
    default: "perdura",
    commands: ["verify", "copy", "forget"],
  },
  distributed: {
    value: "ENGINE",
    choices: ["citus"],
    commands: ["copy"],
    help: "create missing tables distributed over the workers of a cluster: citus, at the address of its coordinator",
  },
};

/** The whole command line interface of perdura-migrate. */
export const TABLE: ProgramTable<Command, OptionName> = {
  name: "perdura-migrate",
  summary: "Migrate agent persistence data from pre-16 to 16, without data loss",
  details:
    "A target is a database file, a state directory, or a directory that contains them.\n\nIMPORTANT: Migrate the data of a program before 15.0.0 before any program of 15.0.0 or later opens it. Such a program deletes the levels as soon as it opens the file, even to read.",
  examples: ["perdura-migrate plan ./data", "perdura-migrate up ./data"],
  commands: {
    plan: {
      summary: "Show what up would do; never writes",
      words: [TARGET],
      details:
        "Lists the files found, their layouts, row counts, unusual values, the steps, and the disk space needed.",
      examples: ["perdura-migrate plan ./data", "perdura-migrate plan --json metrics.db | jq .databases"],
    },
    up: {
      summary: "Migrate databases and archive collaboration states",
      words: [TARGET],
      details:
        "Copies each database to NAME.v15.bak, changes it in one transaction, and compares it with the copy before the transaction commits. Then computes the sums for statistics, as sums does. Archives each state directory in NAME.v15.sqlar and does not change the directory. If anything needs a decision, nothing is changed.\n\nStop the programs that use the data first. On a terminal, up shows the plan and asks for confirmation, except with --json or --quiet. It is safe to run up again at any time: it completes unfinished work.",
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
          ...POSTGRES_ADDRESS,
          env: POSTGRES_ADDRESS.placeholder.env,
        },
      ],
      details:
        "Compares migrated databases with their backups, value by value, and archives with their state directories, byte by byte. Rows recorded since the migration are counted and are not differences. Also compares the rollup of a long database, from which statistics are read, with all rows; this requires neither a migration nor a backup. If TARGET is a backup or an archive, compares the file or directory next to it with exactly this one. Exit code 1 if nothing could be compared. Never writes.\n\nWith addresses that begin postgres://, compares the rollup with all rows in PostgreSQL, reads every pattern as version 16 does, and checks that no sequence of ids is behind its table. Requires the packages @perdura/postgres and pg. Put an address with a password into PERDURA_POSTGRES_URL, and omit TARGET.",
      examples: [
        "perdura-migrate verify ./data",
        "perdura-migrate verify ./data --html verification.html",
        "perdura-migrate verify postgres://localhost/agents",
      ],
    },
    status: {
      summary: "Show databases, state directories, past migrations and pending work",
      words: [TARGET],
      details:
        "Shows for each database its layout, row counts, past migrations, backups and pending work; for each state directory, whether its archive exists and matches its names, sizes and times. Fast, because no values are compared (verify does that). Never writes.",
      examples: ["perdura-migrate status ./data", "perdura-migrate status --json ./data | jq .databases"],
    },
    down: {
      summary: "Downgrade to the pre-16 layout, and keep rows recorded since the migration",
      words: [TARGET],
      details:
        "Copies each database to NAME.v16.bak and downgrades it to the layout before its first migration. Rows recorded since are kept. No backup is required, because the database records its former layout.\n\nRestores missing state directories from their archives with content, names, modes and times; in a directory that exists, restores only the missing entries. If a directory has several archives, uses the newest; states --extract writes the files of any archive.\n\nOn a terminal, shows what would be done and asks for confirmation, except with --json or --quiet.",
      examples: ["perdura-migrate down --dry-run ./data", "perdura-migrate down ./data"],
    },
    prune: {
      summary: "Remove archived state directories that are no longer needed",
      words: [TARGET],
      details:
        "First compares each state directory with its archive again. Keeps a directory that differs, or that you are not permitted to remove completely. Records the removal in the header of the archive, so that verify and status expect it. With --backups, also removes the backups of databases, after comparing them again. Asks for confirmation on a terminal; without one, and with --json or --quiet, requires --yes.",
      examples: ["perdura-migrate prune --dry-run ./data", "perdura-migrate prune --backups --yes ./data"],
    },
    states: {
      summary: "List or extract the collaboration states of an archive",
      words: [
        { name: "ARCHIVE", meaning: "an archive, for example data/empathy_state.v15.sqlar", arguments: ["archive"] },
      ],
      details:
        'Lists the users with the fields of their states; with --json, prints one JSON object per line. --extract DIR writes all archived files to DIR. Does not change the archive. The stock "sqlite3 -A" can also list and extract it, except for names with ".." before a slash or backslash.',
      examples: [
        "perdura-migrate states data/empathy_state.v15.sqlar",
        "perdura-migrate states --json data/empathy_state.v15.sqlar",
        "perdura-migrate states --extract ./old_states data/empathy_state.v15.sqlar",
      ],
    },
    copy: {
      summary: "Copy patterns and metrics to or from PostgreSQL",
      words: [
        {
          name: "SOURCE",
          meaning: "a database, a directory with patterns.db or metrics.db, or an address that begins postgres://",
          arguments: ["source"],
          ...POSTGRES_ADDRESS,
        },
        {
          name: "TARGET",
          meaning: "an address that begins postgres://; a file or directory if SOURCE is an address",
          arguments: ["target"],
          ...POSTGRES_ADDRESS,
          env: POSTGRES_ADDRESS.placeholder.env,
        },
      ],
      details:
        "Copies patterns, their usage, interactions and their metadata between SQLite and PostgreSQL, then compares both sides row by row. Does not change the source; a pre-16 source is first migrated on a private copy. Rows that are equal on both sides are not copied again, so the next run completes an interrupted one. If rows differ, stops before anything is changed, unless --replace is given. Requires the packages @perdura/postgres, pg and pg-copy-streams.\n\nPut an address with a password into PERDURA_POSTGRES_URL, and omit TARGET or write postgres:// for SOURCE.",
      examples: [
        "perdura-migrate copy ./data postgres://localhost/agents",
        "perdura-migrate copy --dry-run ./data postgres://localhost/agents",
        "perdura-migrate copy postgres://localhost/agents ./data",
      ],
    },
    sums: {
      summary: "Compute the sums from which statistics are read",
      words: [DATABASES],
      details:
        "Statistics of long databases are read from sums. up computes them, and programs keep them up to date. After another program wrote many interactions, this command adds them at once, so that no question has to. Works in steps, between which other programs can write. After Ctrl-C, the next run continues.",
      examples: ["perdura-migrate sums ./data", "perdura-migrate sums --quiet metrics.db"],
    },
    forget: {
      summary: "Delete interactions of a user, or old ones, for good",
      words: [{ ...TARGET, ...POSTGRES_ADDRESS, env: POSTGRES_ADDRESS.placeholder.env }],
      details:
        "Counts first what would be deleted in each database of either line, with its metadata, and the state files of the user; nothing is changed if anything needs a decision. Asks for confirmation on a terminal; without one, and with --json or --quiet, requires --yes. Deletes in steps, between which other programs can write. After Ctrl-C, the next run continues.\n\nBackups, archives and reports of perdura-migrate and its tables of past migrations may contain the same data. They are listed, and not changed.\n\nWith addresses that begin postgres://, deletes from a schema in PostgreSQL; its backups, replicas and write-ahead log are not reached. Requires the packages @perdura/postgres and pg. Put an address with a password into PERDURA_POSTGRES_URL, and omit TARGET.",
      examples: [
        "perdura-migrate forget --user alice --dry-run ./data",
        "perdura-migrate forget --user alice --erase ./data",
        "perdura-migrate forget --older-than 90d --yes metrics.db",
        "perdura-migrate forget --agent agent-7 --erase ./data",
        "perdura-migrate forget --user alice --dry-run postgres://localhost/agents",
      ],
    },
    compact: {
      summary: "Give the space of deleted rows back to the disk",
      words: [DATABASES],
      details:
        "Rewrites each database without its unused pages. Other programs cannot write to a database meanwhile, and the disk needs room for up to two more copies of it. Without this, SQLite uses the space for new rows.",
      examples: ["perdura-migrate compact ./data", "perdura-migrate compact --json metrics.db"],
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
    rollup: "sums",
    analyze: "sums",
    delete: "forget",
    erase: "forget",
    vacuum: "compact",
    shrink: "compact",
  },
  insteadOfCommand: (word) =>
    existsSync(word)
      ? `Expected a command first. perdura-migrate plan ${shellWord(word)} shows what would be done.`
      : undefined,
  environment: {
    PERDURA_POSTGRES_URL:
      "address of the server for copy, verify and forget, used if TARGET is omitted or an address is only postgres://; missing parts are read from PGHOST, PGUSER, PGPASSWORD, … as by libpq",
  },
  exits: {
    1: "failed, and no data was changed; or verify found nothing to compare; or the output could not be written (stderr then reports what was done)",
    2: "wrong usage",
    4: "verification found a difference",
    130: "interrupted; the work in progress was rolled back; forget and sums keep what they have done",
  },
  check,
  secrets: { mayHoldSecret, redactSecrets },
};

/** Commands that accept addresses instead of paths. */
const ON_SERVERS: ReadonlySet<Command> = new Set(["verify", "forget"]);

/** @throws UsageError for words and options that contradict each other. */
function check({ command, words, given }: Arguments): void {
  const names = new Set(given.map(({ name }) => name));
  if (names.has("no-backup") && names.has("backup-dir") && !names.has("rehearse"))
    throw new UsageError("--no-backup and --backup-dir cannot be used together.");
  if (command === "copy") return;
  const asked = [names.has("user") || names.has("older-than"), names.has("agent"), names.has("orphans")];
  if (command === "forget" && asked.filter(Boolean).length !== 1)
    throw new UsageError(
      "forget requires --user ID, --older-than AGE, or both; or --agent ID alone; or --orphans alone.",
    );
  if (ON_SERVERS.has(command) && words.every(isPostgresAddress)) {
    const meaningless = (["states", "backup-dir", "html"] as const).find((name) => names.has(name));
    if (meaningless !== undefined)
      throw new UsageError(`--${meaningless} cannot be used with the address of a server.`);
    return;
  }
  // The message contains no address: it may have a password.
  if (words.some((word) => isAddress(word) || isMistypedAddress(word)))
    throw new UsageError(
      ON_SERVERS.has(command)
        ? `${command} accepts either files and directories or addresses that begin postgres://, not both.`
        : `${command} accepts files and directories; only copy, verify and forget accept the address of a server.`,
    );
  if (ON_SERVERS.has(command) && names.has("schema"))
    throw new UsageError(
      "--schema cannot be used with files and directories; it requires addresses that begin postgres://.",
    );
}
