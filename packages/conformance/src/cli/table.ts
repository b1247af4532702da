import { type CommandOption, type Given, has, type OptionTable, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import type { CommonOption, Invocation, ProgramTable } from "@perdura/cli/program_table.js";
import { UsageError } from "@perdura/cli/usage_error.js";
// Types only: --version and --help load this table too, and must not load the modules behind it.
import type { ImplementationName } from "../implementations.ts";
import type { JudgedAs, Line } from "../judge_file/file_report.ts";
import type { Format } from "../report/formats.ts";

export type Command =
  | "run"
  | "smoke"
  | "check-file"
  | "matrix"
  | "explain"
  | "requirements"
  | "cases"
  | "report"
  | "export";

/** Options of `run` that name a file for a report. */
export const REPORT_FILE_OPTIONS = ["report", "html", "junit", "markdown", "badge"] as const;
export type ReportFileOption = (typeof REPORT_FILE_OPTIONS)[number];

export type OptionName =
  | "adapter"
  | "implementation"
  | "line"
  | "as"
  | "profile"
  | "case"
  | "skip"
  | "cases"
  | "failed-in"
  | "area"
  | "requirement"
  | "timeout"
  | "workers"
  | "seed"
  | "runs"
  | "expected-failures"
  | "write-expected-failures"
  | "keep"
  | ReportFileOption
  | "format"
  | "by"
  | "compare"
  | "output"
  | "uncovered";

/** A command of the program with its arguments and options. */
export type Arguments = Invocation<Command, OptionName>;
type Options = readonly Given<OptionName | CommonOption>[];

/** All names of a union type; the compiler checks that none is missing. */
const namesOf = <Name extends string>(all: Readonly<Record<Name, true>>): Name[] => Object.keys(all) as Name[];

const IMPLEMENTATIONS = namesOf<ImplementationName>({
  "perdura-15": true,
  "perdura-16": true,
  "perdura-16-postgres": true,
});
const LINES = namesOf<Line>({ "15": true, "16": true });
const JUDGED_AS = namesOf<JudgedAs>({
  library: true,
  state: true,
  "patterns-database": true,
  "metrics-database": true,
});
const FORMATS = namesOf<Format>({
  terminal: true,
  json: true,
  junit: true,
  markdown: true,
  badge: true,
  html: true,
});
/** The only report format with a choice of rows. */
const WITH_ROWS: Format = "markdown";
/** The report formats that show several runs side by side. */
const COMPARED: readonly Format[] = ["markdown", "html"];
const REPORT_FILE = "the name of a file";
const reportFile = (help: string): CommandOption<Command> => ({
  value: "FILE",
  expected: REPORT_FILE,
  commands: ["run"],
  help,
});

const OPTIONS: OptionTable<Command, OptionName> = {
  adapter: {
    value: "COMMAND",
    namesNoFile: true,
    expected: "a command that speaks the adapter protocol",
    repeatable: true,
    commands: ["run", "smoke", "matrix"],
    help: "judge a program that speaks the adapter protocol (docs/adapter.md)",
  },
  implementation: {
    value: "NAME",
    choices: IMPLEMENTATIONS,
    repeatable: true,
    commands: ["run", "smoke", "matrix"],
    help: `judge with a built-in adapter: ${IMPLEMENTATIONS.join(", ")}`,
  },
  line: {
    value: "LINE",
    namesNoFile: true,
    expected: "15, 16 or a full version",
    commands: ["run", "smoke", "check-file", "export"],
    help: "judge by this line, 15 or 16; run, smoke and export also accept a full version [run, smoke: that of the adapter; check-file: both]",
  },
  as: { value: "KIND", choices: JUDGED_AS, commands: ["check-file"], help: `judge as ${JUDGED_AS.join(", ")}` },
  profile: {
    value: "NAME",
    expected: "the name of a profile, or a file",
    commands: ["run"],
    help: "judge by a part of the specification: json, patterns, server, …, or the file of a profile",
  },
  case: {
    value: "ID",
    namesNoFile: true,
    expected: "the id of a case",
    repeatable: true,
    commands: ["run"],
    help: "run this case only, or those of a pattern such as state/* (may be repeated)",
  },
  skip: {
    value: "ID",
    namesNoFile: true,
    expected: "the id of a case",
    repeatable: true,
    commands: ["run"],
    help: "leave out this case, or those of a pattern (may be repeated)",
  },
  cases: {
    value: "DIRECTORY",
    expected: "a directory with cases",
    commands: ["run"],
    help: "run the cases of this directory instead, in the format of the suite",
  },
  "failed-in": {
    value: "REPORT",
    expected: "a report that run --report wrote",
    commands: ["run"],
    help: "run only the cases that failed in this report",
  },
  area: {
    value: "NAME",
    namesNoFile: true,
    expected: "the name of an area",
    repeatable: true,
    commands: ["run"],
    help: "run the cases of this area only (may be repeated)",
  },
  requirement: {
    value: "ID",
    namesNoFile: true,
    expected: "the id of a requirement",
    repeatable: true,
    commands: ["run"],
    help: "run the cases of this requirement or section only (may be repeated)",
  },
  timeout: {
    value: "SECONDS",
    expected: "a number of seconds greater than 0 and at most 3600",
    default: "10",
    commands: ["run", "smoke", "matrix"],
    help: "limit the wait for one answer",
  },
  workers: {
    value: "N",
    pattern: /^(?:[1-9]|[1-5]\d|6[0-4])$/,
    expected: "a whole number from 1 to 64",
    default: "1",
    commands: ["run"],
    help: "run N adapters in parallel; requires --adapter",
  },
  seed: {
    value: "N",
    pattern: /^\d{1,10}$/,
    expected: `a whole number from 0 to ${2 ** 32 - 1}`,
    commands: ["run"],
    help: "shuffle the cases, and generate sequences of calls, with this seed",
  },
  runs: {
    value: "N",
    pattern: /^[1-9]\d{0,5}$/,
    expected: "a whole number from 1 to 999999",
    default: "60",
    commands: ["run"],
    help: "run N sequences of calls for each generated case",
  },
  "expected-failures": {
    value: "FILE",
    expected: REPORT_FILE,
    commands: ["run"],
    help: "read the list of expected failures; docs/reports.md describes its format",
  },
  "write-expected-failures": {
    value: "FILE",
    expected: REPORT_FILE,
    commands: ["run"],
    help: "write the list with which this run is as expected",
  },
  keep: {
    value: "DIRECTORY",
    expected: "a new directory",
    commands: ["run"],
    help: "keep the files, the messages and the stderr of each failed case",
  },
  report: reportFile("write the complete report as JSON Lines, which the command report converts"),
  html: reportFile("write an HTML page"),
  junit: reportFile("write JUnit XML"),
  markdown: reportFile("write a table of the requirements in Markdown"),
  badge: reportFile("write a badge as an SVG image"),
  format: {
    value: "FORMAT",
    choices: FORMATS,
    default: "terminal",
    commands: ["report"],
    help: `write the report in this format: ${FORMATS.join(", ")}; ${COMPARED.join(" and ")} show several files side by side`,
  },
  by: {
    value: "ROWS",
    choices: ["requirement", "area"],
    commands: ["report"],
    help: `print a row for each requirement or area, with --format ${WITH_ROWS}`,
  },
  compare: {
    commands: ["report"],
    help: "print what changed from the first report to the second; exit code 4 if anything became worse",
  },
  output: {
    value: "FILE",
    expected: REPORT_FILE,
    default: "stdout",
    commands: ["report"],
    help: "write the report to this file",
  },
  uncovered: { commands: ["requirements"], help: "list only requirements that no case checks, with the reason" },
};

/** Commands, options and help texts of perdura-conformance. */
export const TABLE: ProgramTable<Command, OptionName> = {
  name: "perdura-conformance",
  summary: "Judge an implementation of the persistence layer for AI agents",
  examples: [
    'perdura-conformance run --adapter "python3 adapter.py" --line 16 --html report.html',
    "perdura-conformance run --implementation perdura-15 --case state/hostile-ids",
    "perdura-conformance check-file --line 16 patterns.json metrics.db",
    "perdura-conformance explain R-2.1/confidence.default",
  ],
  commands: {
    run: {
      summary: "Judge one implementation and print the report",
      words: [],
      details: "Name the implementation with either --adapter or --implementation.",
      examples: [
        'perdura-conformance run --adapter "python3 adapter.py" --line 16 --html report.html',
        "perdura-conformance run --implementation perdura-16 --profile patterns",
      ],
    },
    smoke: {
      summary: "Call each declared operation once, to try a new adapter",
      words: [],
      details:
        "Prints a line for each operation, and explains the first wrong answer. Exit code 0 means that every declared operation answered; its values are judged by run.",
      examples: ['perdura-conformance smoke --adapter "python3 adapter.py"'],
    },
    "check-file": {
      summary: "Judge files that an implementation wrote, without an adapter",
      words: [{ name: "FILE", meaning: "a file to judge, for example patterns.json", repeatable: true }],
      details: "--json prints a line of JSON for each file.",
      examples: ["perdura-conformance check-file --line 16 patterns.json metrics.db"],
    },
    matrix: {
      summary: "Check that every implementation reads the files of every other one",
      words: [],
      examples: ['perdura-conformance matrix --adapter "python3 adapter.py" --implementation perdura-16'],
    },
    explain: {
      summary: "Explain a requirement with its cases, or a case with its requirements",
      words: [
        { name: "ID", meaning: "the id of a requirement or a case, or a section such as 2.4", namesNoFile: true },
      ],
      examples: ["perdura-conformance explain R-2.1/confidence.default"],
    },
    requirements: {
      summary: "List the requirements of the specification and their cases",
      words: [],
      examples: ["perdura-conformance requirements --uncovered"],
    },
    cases: {
      summary: "List the ids of all cases",
      words: [],
      examples: ["perdura-conformance cases --json | jq '.[].id'"],
    },
    report: {
      summary: "Convert a report of run --report to another format, or compare two",
      words: [{ name: "FILE", meaning: "a report that run --report wrote", repeatable: true }],
      details: "--json is short for --format json.",
      examples: [
        "perdura-conformance report report.ndjson --format junit",
        "perdura-conformance report --compare last.ndjson report.ndjson",
      ],
    },
    export: {
      summary: "Write all cases with their files, for a custom runner",
      words: [{ name: "DIRECTORY", meaning: "a new directory" }],
      examples: ["perdura-conformance export --line 16 cases-16"],
    },
  },
  options: OPTIONS,
  synonyms: {
    try: "smoke",
    test: "run",
    judge: "run",
    check: "check-file",
    validate: "check-file",
    compare: "matrix",
    show: "explain",
    list: "cases",
    convert: "report",
  },
  environment: {
    TEST_PG_URL:
      "the database for --implementation perdura-16-postgres; without it, PGHOST, PGDATABASE and the other variables of libpq are used",
    TMPDIR:
      "the folder for the files of a run; without it, in memory (/dev/shm) on Linux with 1 GB of free space there, else the system's folder of temporary files",
  },
  exits: {
    0: "as expected",
    1: "failed: a fault of the suite, nothing was run, or the output could not be written",
    2: "wrong usage, or a file that does not exist or is not a regular file",
    3: null,
    4: "a case, a file, an operation or an exchange of the matrix was not as expected",
    5: null,
  },
  check,
  secrets: {
    mayHoldSecret: (word) => LOGIN.test(word) || KEY.test(word),
    redactSecrets: (text) => text.replace(LOGIN_IN_TEXT, "$1…@").replace(KEY_IN_TEXT, "$1…"),
  },
};

/** `name:password@` after the scheme of an address, and `password=…`. */
const LOGIN = /\w:\/\/[^\s/"']*:[^\s"']*@/;
const KEY = /(?:password|passwd|pwd|secret|token|key)\s*=/i;
const LOGIN_IN_TEXT = new RegExp(LOGIN.source.replace(String.raw`\w:\/\/`, String.raw`(\w:\/\/)`), "g");
const KEY_IN_TEXT = /((?:password|passwd|pwd|secret|token|key)\s*=\s*)[^\s&;"']+/gi;

/** @throws UsageError for options that exclude each other. */
function check({ command, words, given }: Arguments): void {
  const from = { given };
  const adapters = adapterCount(given);
  if ((command === "run" || command === "smoke") && adapters !== 1)
    throw new UsageError(`${command} needs exactly one --implementation or --adapter. Use matrix for several.`);
  if (command === "matrix" && adapters === 0)
    throw new UsageError("matrix needs at least one --implementation or --adapter.");
  if (command === "run" && has(from, "implementation") && (valueOf(from, "workers") ?? "1") !== "1")
    throw new UsageError("--workers: a built-in adapter runs one case at a time. Use --adapter to run several.");
  if (command === "export" && !has(from, "line"))
    throw new UsageError("export needs --line LINE: 15, 16 or a full version.");
  const line = valueOf(from, "line");
  if (command === "check-file" && line !== undefined && !(LINES as readonly string[]).includes(line))
    throw new UsageError(`--line: expected ${LINES.join(" or ")}, got ${JSON.stringify(line)}.`);
  const seconds = valueOf(from, "timeout");
  if (seconds !== undefined && !(Number(seconds) > 0 && Number(seconds) <= 3600))
    throw new UsageError(`--timeout: expected ${OPTIONS.timeout.expected}, got ${JSON.stringify(seconds)}.`);
  const seed = valueOf(from, "seed");
  if (seed !== undefined && Number(seed) >= 2 ** 32)
    throw new UsageError(`--seed: expected ${OPTIONS.seed.expected}, got ${JSON.stringify(seed)}.`);
  if (command === "report") checkReport(given, words.length);
}

function adapterCount(given: Options): number {
  return valuesOf({ given }, "adapter").length + valuesOf({ given }, "implementation").length;
}

function checkReport(given: Options, files: number): void {
  const from = { given };
  const asked = valueOf(from, "format");
  if (has(from, "compare")) {
    if (files !== 2) throw new UsageError(`--compare needs two reports, an earlier and a later one; got ${files}.`);
    if (asked !== undefined || has(from, "by"))
      throw new UsageError("--compare cannot be combined with --format or --by.");
    return;
  }
  if (has(from, "json") && asked !== undefined && asked !== "json")
    throw new UsageError(`--json and --format ${asked} cannot be combined.`);
  const format = has(from, "json") ? "json" : (asked ?? "terminal");
  if (has(from, "by") && format !== WITH_ROWS)
    throw new UsageError(`--by requires --format ${WITH_ROWS}, got ${format}.`);
  if (files > 1 && !(COMPARED as readonly string[]).includes(format))
    throw new UsageError(
      `--format ${format} accepts one report, got ${files}. Use --compare, or --format ${COMPARED.join(" or ")}.`,
    );
}
