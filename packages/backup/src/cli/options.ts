import type { OptionTable } from "@perdura/cli/option_table.js";

/** The commands of the program, in the order in which somebody meets them. */
export const COMMANDS = ["push", "list", "pull", "verify", "prune"] as const;
export type Command = (typeof COMMANDS)[number];

/** How many of each kind `prune` keeps. */
export const KEEP_OPTIONS = [
  "keep-last",
  "keep-hourly",
  "keep-daily",
  "keep-weekly",
  "keep-monthly",
  "keep-yearly",
] as const;
type KeepOption = (typeof KEEP_OPTIONS)[number];

/** The long names. */
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
  | "timeout"
  | "json"
  | "quiet"
  | "no-color"
  | "help";

const keep = (help: string): OptionTable<Command, KeepOption>[KeepOption] => ({
  value: "N",
  pattern: /^\d{1,9}$/,
  expected: "a whole number from 0 on",
  commands: ["prune"],
  help,
});

/** Every option, in the order of the help. */
export const OPTIONS: OptionTable<Command, OptionName> = {
  name: {
    value: "NAME",
    expected: "a name for the library",
    commands: ["push"],
    help: "what the library is called in the store; the name of the file without its ending by default",
  },
  "if-changed": { commands: ["push"], help: "store nothing where the newest version has the same content" },
  to: { value: "PATH", expected: "the path of a file", commands: ["pull"], help: "where the library goes" },
  version: {
    value: "V",
    expected: "the name of a version as list shows it",
    commands: ["pull"],
    help: "this version, as list shows it; the newest by default",
  },
  at: {
    value: "TIME",
    pattern: /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/,
    expected: "a time with its zone such as 2026-11-22T16:43:10Z, or a day such as 2026-11-22",
    commands: ["pull"],
    help: "the newest version that was there at this time (2026-11-22T16:43:10Z) or at the end of this day in UTC",
  },
  overwrite: { commands: ["pull"], help: "replace the file although it is newer or holds more than the version" },
  "keep-last": keep("keep the newest N versions of each library"),
  "keep-hourly": keep("keep the newest of each hour, for the last N hours that have one; and so on"),
  "keep-daily": keep("the same for days"),
  "keep-weekly": keep("the same for weeks, which begin on Monday"),
  "keep-monthly": keep("the same for months"),
  "keep-yearly": keep("the same for years"),
  "dry-run": { commands: ["prune"], help: "only say what would be removed" },
  yes: {
    short: "y",
    commands: ["prune"],
    help: "do not ask first; needed without a terminal, and with --json or --quiet, where nobody can be asked",
  },
  tries: {
    value: "N",
    pattern: /^(?:[1-9]|1\d|20)$/,
    expected: "a whole number from 1 to 20",
    commands: COMMANDS,
    help: "how often a request to the store is tried; 5 by default",
  },
  timeout: {
    value: "SECONDS",
    pattern: /^[1-9]\d{0,5}$/,
    expected: "a whole number of seconds from 1 to 999999",
    commands: COMMANDS,
    help: "longest time of one such try, 60 by default, and longest wait for a database that others hold, 30 by default",
  },
  json: { commands: COMMANDS, help: "the result as JSON on stdout, progress as a JSON object per line on stderr" },
  quiet: { short: "q", commands: COMMANDS, help: "no progress, and only the summary (with --json the whole result)" },
  "no-color": { commands: COMMANDS, help: "no colours (also with NO_COLOR)" },
  help: { short: "h", commands: COMMANDS, help: "print this text, or that of a command" },
};

/** True for the name of a command. */
export function isCommand(name: string | undefined): name is Command {
  return (COMMANDS as readonly (string | undefined)[]).includes(name);
}
