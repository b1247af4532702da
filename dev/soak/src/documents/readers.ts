import type { Reader } from "./reader.ts";

/** Every reader of text, in the order of the table. Each is loaded only in the process that needs it. */
export const READERS: readonly Reader[] = [
  {
    row: "library JSON, line 16",
    whole: 21_000,
    open: async () => (await import("./readers/library_json.ts")).ofLine16(),
  },
  {
    row: "library JSON, line 15",
    whole: 12_000,
    open: async () => (await import("./readers/library_json.ts")).ofLine15(),
  },
  {
    row: "state JSON, line 15",
    whole: 13_000,
    open: async (bench) => (await import("./readers/states.ts")).ofAlice(bench),
  },
  {
    row: "user ids as names of files",
    whole: 8000,
    open: async (bench) => (await import("./readers/user_ids.ts")).asNames(bench),
  },
  {
    row: "metadata, line 16",
    whole: 6000,
    open: async (bench) => (await import("./readers/metadata.ts")).ofLine16(bench),
  },
  {
    row: "metadata, line 15",
    whole: 4000,
    open: async (bench) => (await import("./readers/metadata.ts")).ofLine15(bench),
  },
  {
    row: "contextual data in SQLite",
    whole: 6000,
    open: async () => (await import("./readers/contexts.ts")).inSqlite(),
  },
  {
    row: "configurations",
    whole: 6000,
    open: async () => (await import("./readers/configurations.ts")).configurations(),
  },
  {
    row: "addresses with secrets",
    whole: 9000,
    open: async () => (await import("./readers/configurations.ts")).addresses(),
  },
  {
    row: "answers of adapters",
    whole: 12_000,
    open: async () => (await import("./readers/suite_answers.ts")).answers(),
  },
  {
    row: "output of adapters",
    whole: 500,
    open: async (bench) => (await import("./readers/suite_streams.ts")).streams(bench),
  },
  { row: "profiles", whole: 3000, open: async (bench) => (await import("./readers/suite_files.ts")).profiles(bench) },
  {
    row: "expected-failure lists",
    whole: 5000,
    open: async (bench) => (await import("./readers/suite_files.ts")).lists(bench),
  },
  { row: "case files", whole: 6000, open: async (bench) => (await import("./readers/suite_files.ts")).cases(bench) },
  {
    row: "reports of the suite",
    whole: 4000,
    open: async (bench) => (await import("./readers/suite_reports.ts")).reports(bench),
  },
  {
    row: "files for check-file",
    whole: 8000,
    open: async (bench) => (await import("./readers/checked_files.ts")).handedOver(bench),
  },
  {
    row: "reports of earlier migrations",
    whole: 5000,
    open: async (bench) => (await import("./readers/migrator_files.ts")).earlierReports(bench),
  },
  {
    row: "states for the archive",
    whole: 8000,
    open: async () => (await import("./readers/migrator_files.ts")).statesToArchive(),
  },
  {
    row: "heads of files in a tree",
    whole: 4000,
    open: async (bench) => (await import("./readers/migrator_files.ts")).headsOfFiles(bench),
  },
  {
    row: "objects in a store of backups",
    whole: 3000,
    open: async () => (await import("./readers/backup_files.ts")).objects(),
  },
  ...["perdura-conformance", "perdura-migrate", "perdura-backup"].map((name) => ({
    row: `words for ${name}`,
    whole: 3000,
    open: async (bench: Parameters<Reader["open"]>[0]) => (await import("./readers/words.ts")).wordsOf(name, bench),
  })),
  {
    row: "time by size",
    whole: 34,
    piece: 6,
    open: async (bench) => (await import("./readers/growth.ts")).growing(bench),
  },
];
