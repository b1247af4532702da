import type { CommandOption, OptionTable } from "@perdura/cli/option_table.js";
import type { ArgumentRow, Invocation, ProgramTable } from "@perdura/cli/program_table.js";
import { POSTGRES_ADDRESS, POSTGRES_SCHEMA } from "@perdura/cli/postgres_words.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { isAddress, isMistypedAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { mayHoldSecret, redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";

export type Command =
  | "overview"
  | "patterns list"
  | "patterns show"
  | "patterns export"
  | "patterns import"
  | "metrics show"
  | "metrics users"
  | "metrics user"
  | "metrics trend"
  | "metrics breakdown"
  | "metrics export"
  | "state list"
  | "state show"
  | "serve"
  | "watch"
  | "compare";

export type OptionName =
  | "html"
  | "limit"
  | "agent"
  | "type"
  | "tag"
  | "min-confidence"
  | "on-conflict"
  | "user"
  | "bucket"
  | "since"
  | "until"
  | "sum"
  | "schema"
  | "port"
  | "interval";

/** A command of the program with its arguments and options. */
export type Arguments = Invocation<Command, OptionName>;

const PATH: ArgumentRow = {
  name: "PATH",
  meaning: "a database, a library, a directory that contains them, or an address that begins postgres://",
  ...POSTGRES_ADDRESS,
};
const STATES: ArgumentRow = { name: "PATH", meaning: "a state directory, an archive of one, or their directory" };

/** Commands that accept the address of a server. */
const ON_SERVERS: readonly Command[] = [
  "overview",
  "patterns list",
  "patterns show",
  "patterns export",
  "patterns import",
  "metrics show",
  "metrics users",
  "metrics user",
  "metrics trend",
  "metrics breakdown",
  "metrics export",
  "serve",
  "watch",
  "compare",
];

const FILTERED: readonly Command[] = ["patterns list", "patterns export", "patterns import"];

const filter = (value: string, help: string): CommandOption<Command> => ({
  value,
  repeatable: true,
  namesNoFile: true,
  commands: FILTERED,
  help,
});

const moment = (help: string): CommandOption<Command> => ({
  value: "TIME",
  pattern: /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?Z?)?$/,
  expected: "a day such as 2026-11-22, or a time in UTC such as 2026-11-22T16:43:10",
  commands: ["overview", "metrics show", "metrics users", "metrics user", "metrics trend", "metrics breakdown"],
  help,
});

const OPTIONS: OptionTable<Command, OptionName> = {
  html: {
    value: "FILE",
    expected: "the path of a file",
    commands: ["overview", "metrics user", "compare"],
    help: "write one page with charts and tables to FILE; it needs no network",
  },
  limit: {
    value: "N",
    pattern: /^[1-9]\d{0,8}$/,
    expected: "a whole number of at least 1",
    default: "10; 1000 with --html or --json",
    commands: [
      "overview",
      "patterns list",
      "metrics users",
      "metrics user",
      "metrics breakdown",
      "state list",
      "serve",
    ],
    help: "list at most N users, patterns, values, states and operations",
  },
  agent: filter("AGENT", "only patterns of this agent; repeat it for several"),
  type: filter("TYPE", "only patterns of this type; repeat it for several"),
  tag: filter("TAG", "only patterns with this tag; repeat it for patterns with all of several"),
  "min-confidence": {
    value: "N",
    pattern: /^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/,
    expected: "a number from 0 to 1",
    commands: FILTERED,
    help: "only patterns with at least this confidence",
  },
  "on-conflict": {
    value: "WAY",
    choices: ["abort", "keep", "replace"],
    default: "abort",
    commands: ["patterns export", "patterns import"],
    help: "for an id that has another content in the target: abort, keep that pattern, or replace it",
  },
  user: {
    value: "USER",
    namesNoFile: true,
    commands: ["metrics trend", "metrics breakdown"],
    help: "only operations of this user; a trend then has the trust",
  },
  sum: {
    value: "KEY",
    namesNoFile: true,
    repeatable: true,
    commands: ["metrics breakdown"],
    help: "add the sum of the numbers under this key of the metadata; repeat it for several",
  },
  bucket: {
    value: "PERIOD",
    choices: ["hour", "day", "week", "month"],
    default: "day",
    commands: ["metrics trend"],
    help: "length of the periods",
  },
  since: moment("only operations at or after TIME"),
  until: moment("only operations before TIME"),
  schema: {
    ...POSTGRES_SCHEMA,
    default: "all; perdura for a target",
    commands: ON_SERVERS,
  },
  interval: {
    value: "SECONDS",
    pattern: /^[1-9]\d{0,4}$/,
    expected: "a whole number of seconds from 1 to 99999",
    default: "2",
    commands: ["watch", "serve"],
    help: "look for changes every SECONDS",
  },
  port: {
    value: "N",
    pattern: /^(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/,
    expected: "a port from 1 to 65535",
    default: "a free one",
    commands: ["serve"],
    help: "serve at this port of 127.0.0.1",
  },
};

/** Commands, options and help texts of perdura-inspect. */
export const TABLE: ProgramTable<Command, OptionName> = {
  name: "perdura-inspect",
  summary: "Show what agents stored",
  details:
    "Reads databases of both lines and of pre-16 programs, pattern libraries in JSON, state directories and their archives, and the tables in PostgreSQL. Nothing that is read is changed, and no file is created next to it.\n\nPostgreSQL requires the packages @perdura/postgres and pg. Put an address with a password into PERDURA_POSTGRES_URL, and write postgres:// for PATH.",
  examples: [
    "perdura-inspect data",
    "perdura-inspect data --html data.html",
    "perdura-inspect data --since 2026-11-01 --until 2026-12-01",
    "perdura-inspect metrics trend data/metrics.db --user alice --bucket week",
    "perdura-inspect metrics breakdown data/metrics.db tool",
    "perdura-inspect postgres://localhost/agents",
  ],
  commands: {
    overview: {
      summary: "Show databases, libraries, states, archives and backups",
      words: [{ ...PATH, repeatable: true }],
      examples: ["perdura-inspect data"],
    },
    "patterns list": {
      summary: "List patterns, those with the highest usage first",
      words: [PATH],
      examples: [
        "perdura-inspect patterns list patterns.db --agent reviewer --min-confidence 0.8",
        "perdura-inspect patterns list --json patterns.json | jq .patterns[].id",
      ],
    },
    "patterns show": {
      summary: "Show one pattern with all fields",
      words: [PATH, { name: "ID", meaning: "the id of a pattern", namesNoFile: true }],
      examples: ["perdura-inspect patterns show patterns.db retry-once"],
    },
    "patterns export": {
      summary: "Write patterns to a JSON document or a database",
      words: [
        PATH,
        {
          name: "FILE",
          meaning: "a file (.json for a document, otherwise an SQLite database), or an address that begins postgres://",
          ...POSTGRES_ADDRESS,
        },
      ],
      details:
        "Patterns of FILE that are not exported stay. An id that has the same content in both is a duplicate and is left unchanged; one with another content is a conflict, which --on-conflict decides.",
      examples: ["perdura-inspect patterns export patterns.db patterns.json --type retry"],
    },
    "patterns import": {
      summary: "Read patterns from FILE into PATH",
      words: [
        { ...PATH, name: "FILE" },
        { ...PATH, meaning: "the library, database or server that receives the patterns" },
      ],
      details: "The same as patterns export with the arguments the other way round.",
      examples: ["perdura-inspect patterns import patterns.json patterns.db"],
    },
    "metrics show": {
      summary: "Show the statistics of all users together",
      words: [PATH],
      examples: ["perdura-inspect metrics show metrics.db"],
    },
    "metrics users": {
      summary: "List users with their statistics, the most active first",
      words: [PATH],
      examples: ["perdura-inspect metrics users metrics.db --limit 50"],
    },
    "metrics user": {
      summary: "Show one user: statistics, the last days, breakdowns and the newest operations",
      words: [PATH, { name: "USER", meaning: "the id of a user", namesNoFile: true }],
      examples: [
        "perdura-inspect metrics user metrics.db alice",
        "perdura-inspect metrics user metrics.db alice --html alice.html",
      ],
    },
    "metrics trend": {
      summary: "Show operations, success rate and response time over time",
      words: [PATH],
      examples: [
        "perdura-inspect metrics trend metrics.db",
        "perdura-inspect metrics trend metrics.db --user alice --bucket month --since 2026-01-01",
      ],
    },
    "metrics breakdown": {
      summary: "Show which tool fails, is slow or costs much: figures by a value of the metadata",
      words: [PATH, { name: "KEY", meaning: "a key of the metadata, such as tool or model", namesNoFile: true }],
      details:
        "All operations of the range are read. The columns p50, p95 and p99 are percentiles of the response time, which may be estimated, with an error of 1 %, for more than 100,000 operations.",
      examples: [
        "perdura-inspect metrics breakdown metrics.db tool",
        "perdura-inspect metrics breakdown metrics.db model --since 2026-11-01 --sum input_tokens --sum output_tokens",
      ],
    },
    "metrics export": {
      summary: "Write all operations to a .json, .jsonl or .csv file",
      words: [PATH, { name: "FILE", meaning: "a file with one of these extensions" }],
      examples: ["perdura-inspect metrics export metrics.db metrics.csv"],
    },
    "state list": {
      summary: "List collaboration states of the pre-16 line",
      words: [STATES],
      examples: ["perdura-inspect state list data/state", "perdura-inspect state list data/state.v15.sqlar"],
    },
    "state show": {
      summary: "Show the state of one user",
      words: [STATES, { name: "USER", meaning: "the id of a user", namesNoFile: true }],
      examples: ["perdura-inspect state show data/state alice"],
    },
    serve: {
      summary: "Serve the page to a browser of this computer, and keep it up to date",
      words: [{ ...PATH, repeatable: true }],
      details:
        "Prints an address with a token, which answers on 127.0.0.1 only. All programs and users of the computer that know the address can read the data; it changes nothing. The page has a page for each user, and summary.json below the same address is the result of --json. Ctrl-C ends it.",
      examples: ["perdura-inspect serve data"],
    },
    watch: {
      summary: "Show a database again whenever it changes",
      words: [PATH],
      details: "Ctrl-C ends it. Without a terminal, or with --json, each change is one line.",
      examples: ["perdura-inspect watch metrics.db"],
    },
    compare: {
      summary: "Compare two targets, and show what differs",
      words: [
        { ...PATH, name: "BEFORE" },
        { ...POSTGRES_ADDRESS, name: "AFTER", meaning: "another one" },
      ],
      details:
        "Compares every row of metrics with its metadata, every pattern with its usage rows, and every state, each under its id. What AFTER has in addition is not a difference. The exit code is 4 if something of BEFORE is missing in AFTER or differs there, and 1 if BEFORE contains nothing to compare, such as a database without rows. The backup of a migration can be given as BEFORE or AFTER.",
      examples: ["perdura-inspect compare before after --html comparison.html"],
    },
  },
  defaultCommand: "overview",
  options: OPTIONS,
  synonyms: {
    ls: "overview",
    show: "overview",
    diff: "compare",
    follow: "watch",
    tail: "watch",
  } as Record<string, Command>,
  exits: {
    2: "wrong usage, or no such file, pattern or user",
    3: "a decision is needed, and nothing was changed: several databases match, or ids conflict",
    4: "compare found a difference",
  },
  check,
  secrets: { mayHoldSecret, redactSecrets },
};

/**
 * @throws UsageError for an address of another kind, or for any address where only paths are accepted. It may contain a
 *   password, and is not shown.
 */
function check({ command, words, given }: Arguments): void {
  const accepted = (word: string, index: number): boolean =>
    isPostgresAddress(word) && ON_SERVERS.includes(command) && !(command === "metrics export" && index === 1);
  if (words.some((word, index) => !accepted(word, index) && (isAddress(word) || isMistypedAddress(word))))
    throw new UsageError(
      "got an address that is not accepted here; it is not shown, because it may contain a password. Addresses of servers begin postgres://. If it is a path, write ./ before it.",
    );
  if (given.some(({ name }) => name === "schema") && !words.some(isPostgresAddress))
    throw new UsageError("--schema requires an address that begins postgres://.");
}
