import type { OptionTable } from "@perdura/cli/option_table.js";

/** The commands of the program, in the order in which an operator meets them. */
export const COMMANDS = ["plan", "up", "verify", "status", "down", "prune", "states", "copy"] as const;
export type Command = (typeof COMMANDS)[number];

/** The long names. */
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
  | "schema"
  | "json"
  | "quiet"
  | "no-color"
  | "help"
  | "version";

const CHANGING: readonly Command[] = ["plan", "up"];
const MIGRATING: readonly Command[] = [...CHANGING, "copy"];
const ON_DATA: readonly Command[] = ["plan", "up", "verify", "status", "down", "prune"];

/** Every option, in the order of the help. */
export const OPTIONS: OptionTable<Command, OptionName> = {
  states: {
    value: "DIR",
    repeatable: true,
    commands: [...ON_DATA, "copy"],
    help: "a directory of collaboration states that is not found by itself (may be repeated)",
  },
  "line-from": {
    value: "LINE",
    pattern: /^(?:auto|15)$/,
    expected: "auto or 15",
    commands: CHANGING,
    help: "auto (default) recognises each database by itself; 15 says that all of them are of before 16, so that one which is in the layout of 16 already stops the run",
  },
  "invalid-rows": {
    value: "WAY",
    pattern: /^(?:abort|quarantine)$/,
    expected: "abort or quarantine",
    commands: MIGRATING,
    help: "rows that version 16 cannot hold, and patterns that it cannot read: abort (default) lists them and changes nothing; quarantine sets them aside, as they are, in the table perdura_quarantine of the same database",
  },
  "non-finite": {
    value: "WAY",
    pattern: /^(?:null|text)$/,
    expected: "null or text",
    commands: MIGRATING,
    help: 'NaN, Infinity and -Infinity in patterns, which are not JSON: null puts null there, text the strings "NaN", "Infinity" and "-Infinity"',
  },
  timestamps: {
    value: "WAY",
    pattern: /^(?:drop-zone|utc)$/,
    expected: "drop-zone or utc",
    commands: MIGRATING,
    help: "timestamps of patterns with a time zone: drop-zone leaves it out, utc makes it the time in UTC; with either, numbers of seconds since 1970, dates alone and times without seconds are brought into form",
  },
  "missing-level": {
    value: "WAY",
    pattern: /^(?:abort|from-state(?:,[1-5])?|from-table,.+|[1-5])$/s,
    expected: "abort, from-state, from-state,N, from-table,NAME, from-table,NAME,N or a level N from 1 to 5",
    commands: MIGRATING,
    help: "rows whose level is gone: abort (default) explains and changes nothing; from-state takes the current level of the user's collaboration state; N takes that level from 1 to 5; from-state,N takes N for users without a state; from-table,NAME takes the level of the same row in another table of the database, which was renamed or is left of an upgrade that was cut off, and adds the rows that only that table has; from-table,NAME,N takes N for the others",
  },
  fence: {
    value: "WAY",
    pattern: /^(?:tombstone|compat|none)$/,
    expected: "tombstone, compat or none",
    commands: CHANGING,
    help: "what stays under the old name metrics: tombstone (default) makes programs before 16 fail with a clear message; compat is a view through which one that is running goes on; or none",
  },
  "defer-indexes": {
    commands: CHANGING,
    help: "leave the building of new indexes to a later run; the old ones stay until then",
  },
  "backup-dir": {
    value: "DIR",
    commands: ON_DATA,
    help: "where the backups go, or are; by default each lies beside its database",
  },
  "no-backup": { commands: ["up"], help: "keep no copy of the databases as they were" },
  verify: {
    value: "WAY",
    pattern: /^(?:full|quick)$/,
    expected: "full or quick",
    commands: ["up"],
    help: "how the result is compared with the copy: full (default) compares every value; quick compares counts, ids and the schema",
  },
  rehearse: {
    commands: ["up"],
    help: "do everything, the proof included, on private copies, and leave the data untouched",
  },
  "dry-run": { commands: ["down", "prune", "copy"], help: "only say what would be done" },
  backups: {
    commands: ["prune"],
    help: "remove the backups of databases too, once each was compared with its database once more",
  },
  yes: {
    short: "y",
    commands: ["up", "down", "prune"],
    help: "do not ask first; without a terminal, and with --json or --quiet, nobody is asked anyway, and prune needs this",
  },
  extract: {
    value: "DIR",
    commands: ["states"],
    help: "put the archived files into this directory, which must not be there yet or be empty",
  },
  replace: { commands: ["copy"], help: "where rows of the target differ from those of the source, the source wins" },
  schema: {
    value: "NAME",
    pattern: /^(?!pg_)[^\0]{1,63}$/i,
    expected: "a name of a schema, which does not begin with pg_",
    commands: ["verify", "copy"],
    help: "the schema in PostgreSQL; perdura by default",
  },
  json: { commands: COMMANDS, help: "the result as JSON on stdout, progress as a JSON object per line on stderr" },
  quiet: { short: "q", commands: COMMANDS, help: "no progress, and only the summary (with --json the whole result)" },
  "no-color": { commands: COMMANDS, help: "no colours (also with NO_COLOR)" },
  help: { short: "h", commands: COMMANDS, help: "print this text, or that of a command" },
  version: { commands: COMMANDS, help: "print the version" },
};

/** True for the name of a command. */
export function isCommand(name: string | undefined): name is Command {
  return (COMMANDS as readonly (string | undefined)[]).includes(name);
}
