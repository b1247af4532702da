import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { copyData, migrate } from "@perdura/migrator";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { canTrace } from "../../dev/soak/src/system_calls/strace.ts";
import { freshFolder } from "../fresh_folder.ts";
import { canMount, mount } from "../mounts.ts";
import { needs, ON_POSIX } from "../needs.ts";
import { programWords } from "../programs.ts";
import { describeWithPostgres } from "../servers/src/postgres/for_tests.ts";
import { contentOf } from "./folder_content.ts";

test("too many open files are the reason of an error, not that a database cannot be opened", ON_POSIX, () => {
  const words = programWords(new URL("programs/open_many.ts", import.meta.url));
  const path = join(freshFolder(), "metrics.db");
  const limited = ["-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, ...words, path];
  expect(execFileSync("sh", limited, { encoding: "utf8" })).toMatch(
    new RegExp(
      `^PERDURA_STORAGE ${path}: opening failed: EMFILE: too many open files, (?:${path}|open '${path}-wal')\\. `,
    ),
  );
});

test(
  "a new database is refused while files cannot be opened, however few are missing, and gets a log later",
  ON_POSIX,
  () => {
    const words = programWords(new URL("programs/open_without_descriptors.ts", import.meta.url));
    const folder = freshFolder();
    const limited = ["-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, ...words, folder];
    const answers = execFileSync("sh", limited, { encoding: "utf8" }).trim().split("\n");
    const refused = answers.findLastIndex((answer) => answer.startsWith("PERDURA_STORAGE"));
    expect(refused).toBeGreaterThan(0);
    for (const answer of answers.slice(0, refused + 1)) expect(answer).toMatch(/EMFILE: too many open files/);
    expect(answers.slice(refused + 1)).toEqual(answers.slice(refused + 1).map(() => "wal"));
  },
);

/** A database in the 16 layout with one interaction. */
function recorded(folder: string, name = "recorded.db"): string {
  const path = join(folder, name);
  using collector = new v16.MetricsCollector(path);
  collector.recordInteraction("ann", 4, true, 1);
  return path;
}

describe.each(["pre-16", "16"])("in %s", (line) => {
  test.each([
    ["EDQUOT", "disk quota exceeded"],
    ["ENOSPC", "no space left on device"],
    ["EIO", "i/o error"],
  ])("a write that SQLite fails to make with %s is reported with it", needs("strace", !canTrace()), (code, words) => {
    const folder = freshFolder();
    const program = programWords(new URL("programs/record_until_failure.ts", import.meta.url));
    const failing = ["-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", `inject=pwrite64:error=${code}:when=200+`];
    const { stdout } = spawnSync(
      "strace",
      [...failing, process.execPath, ...program, join(folder, "metrics.db"), line],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(
      new RegExp(
        `^PERDURA_STORAGE .*metrics\\.db: recording failed: ${code}: ${words}, ${folder}\\. (?:No stored data|The commit may)`,
      ),
    );
    expect(readdirSync(folder).filter((name) => !name.startsWith("metrics.db"))).toEqual([]);
  });
});

test(
  "a new library is saved into the file that another process creates meanwhile, where no hard links exist",
  needs("strace", !canTrace()),
  () => {
    const folder = freshFolder();
    v16.PatternPersistence.saveToJson(new v16.PatternLibrary(), join(folder, "library.json"));
    const path = join(folder, "library.db");
    const words = ["patterns", "export", join(folder, "library.json"), path];
    const run = [process.execPath, ...programWords(new URL("../../packages/inspect/src/cli.ts", import.meta.url))];
    // The name of the new file cannot be given by a link, and is taken when it is created.
    const failing = ["inject=link,linkat:error=EPERM", "inject=openat:error=EEXIST:when=1"].flatMap((each) => [
      "-e",
      each,
    ]);
    const traced = ["-f", "-o", join(folder, "calls"), "-P", path, "-e", "trace=link,linkat,openat", ...failing];
    const { status, stderr } = spawnSync("strace", [...traced, ...run, ...words], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "calls"), "utf8")).toMatch(/EEXIST .*\(INJECTED\)/);
    expect(v16.PatternPersistence.loadFromSqlite(path).size).toBe(0);
  },
);

describe.each([
  ["EDQUOT", "disk quota exceeded"],
  ["ENOSPC", "no space left on device"],
  ["EIO", "i/o error"],
])("a sync that fails with %s", (code, words) => {
  test.each(["saveState", "saveToJson"])(
    "is reported by %s with it, and the file stays",
    needs("strace", !canTrace()),
    (door) => {
      const folder = freshFolder();
      const program = programWords(new URL("programs/replace_file.ts", import.meta.url));
      const name = door === "saveState" ? "ann.json" : "library.json";
      const run = (failing: string[]): string =>
        spawnSync(
          "strace",
          ["-f", "-o", "/dev/null", "-e", "trace=fsync", ...failing, process.execPath, ...program, folder, door],
          {
            encoding: "utf8",
          },
        ).stdout;
      expect(run([])).toBe("saved\n");
      const before = contentOf(folder);
      expect(run(["-e", `inject=fsync:error=${code}`])).toMatch(
        new RegExp(`^PERDURA_STORAGE .*${name}: saving failed: ${code}: ${words}.*No stored data was changed`),
      );
      expect(contentOf(folder)).toEqual(before);
    },
  );
});

/** Programs that make files of a folder's data, with words that follow. */
const MAKERS: [name: string, program: string, words: (folder: string) => string[]][] = [
  [
    "perdura-migrate up of states",
    "../../packages/migrator/src/cli.ts",
    (folder) => ["up", "--yes", join(folder, "states")],
  ],
  [
    "perdura-backup push",
    "../../packages/backup/src/cli.ts",
    (folder) => ["push", `file://${join(folder, "store")}`, join(folder, "library.json"), "--name", "x"],
  ],
];

test.each(MAKERS)(
  "a sync that fails ends %s with its reason, and no file is left half made",
  needs("strace", !canTrace()),
  (_name, program, words) => {
    for (const [code, text] of [
      ["EDQUOT", "disk quota exceeded"],
      ["EIO", "i/o error"],
    ] as const) {
      const folder = freshFolder();
      new v15.StateManager(join(folder, "states")).saveState("ann", { user_id: "ann", trust_level: 0.5 });
      v16.PatternPersistence.saveToJson(new v16.PatternLibrary(), join(folder, "library.json"));
      const before = filesIn(folder);
      const failing = ["-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", `inject=fsync:error=${code}`];
      const run = [process.execPath, ...programWords(new URL(program, import.meta.url)), ...words(folder)];
      const { status, stdout, stderr } = spawnSync("strace", [...failing, ...run], { encoding: "utf8" });
      expect(status).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain(`${code}: ${text}`);
      expect(filesIn(folder)).toEqual(before);
    }
  },
);

/** The contents of all files of a folder. */
const filesIn = (folder: string): [string, string][] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [path, readFileSync(path, "latin1")]);

/** Programs that change what a folder has, with words that follow; `url` is that of an empty database of a server. */
const CHANGING: [
  name: string,
  before: (folder: string, url: string) => unknown,
  words: (...at: [string, string]) => string[],
][] = [
  [
    "prune of states",
    (folder) => migrate(join(folder, "states")),
    (folder) => ["prune", "--yes", join(folder, "states")],
  ],
  [
    "prune of backups",
    (folder) => {
      new v15.MetricsCollector(join(folder, "metrics.db")).close();
      return migrate(join(folder, "metrics.db"));
    },
    (folder) => ["prune", "--backups", "--yes", join(folder, "metrics.db")],
  ],
  ["copy", (folder, url) => copyData(recorded(folder), url), (folder, url) => ["copy", url, join(folder, "copied.db")]],
];

describeWithPostgres("a sync that fails", (postgres) => {
  test.each(CHANGING)(
    "ends perdura-migrate %s with its reason, and the next run completes it",
    needs("strace", !canTrace()),
    async (_name, before, words) => {
      for (const [code, text] of [
        ["EDQUOT", "disk quota exceeded"],
        ["EIO", "i/o error"],
      ] as const) {
        const folder = freshFolder();
        new v15.StateManager(join(folder, "states")).saveState("ann", { user_id: "ann", trust_level: 0.5 });
        await before(folder, postgres.url);
        const program = programWords(new URL("../../packages/migrator/src/cli.ts", import.meta.url));
        const run = [process.execPath, ...program, ...words(folder, postgres.url)] as const;
        const failing = ["-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", `inject=fsync:error=${code}`];
        const files = filesIn(folder);
        const failed = spawnSync("strace", [...failing, ...run], { encoding: "utf8" });
        expect(failed.status).not.toBe(0);
        expect(`${failed.stdout}${failed.stderr}`).toContain(`${code}: ${text}`);
        if (failed.stdout.includes("Nothing was removed")) expect(filesIn(folder)).toEqual(files);
        const [node, ...rest] = run;
        const { status, stdout } = spawnSync(node, rest, { encoding: "utf8" });
        expect(status, stdout).toBe(0);
      }
    },
  );
});

/** Programs that make private copies, with words that follow. */
const COPYING: [name: string, program: string, words: string[]][] = [
  ["perdura-migrate plan", "../../packages/migrator/src/cli.ts", ["plan", "metrics.db"]],
  ["perdura-migrate up --rehearse", "../../packages/migrator/src/cli.ts", ["up", "--rehearse", "metrics.db"]],
  ["perdura-inspect", "../../packages/inspect/src/cli.ts", ["metrics.db"]],
  [
    "perdura-backup push of a document",
    "../../packages/backup/src/cli.ts",
    ["push", "file:///missing", "library.json"],
  ],
  ["perdura-backup push of a database", "../../packages/backup/src/cli.ts", ["push", "file:///missing", "library.db"]],
  ["check-file", "../../packages/conformance/src/cli.ts", ["check-file", "library.db"]],
];

/** Directories in which no temporary file can be made. */
const UNUSABLE: [what: string, make: (path: string) => void][] = [
  ["missing", () => undefined],
  ["a file", (path) => writeFileSync(path, "")],
  [
    "full",
    (path) => {
      mkdirSync(path);
      mount("-t", "tmpfs", "-o", "size=4k", "perdura", path);
      writeFileSync(join(path, "x"), Buffer.alloc(4096));
    },
  ],
];

describe.each(UNUSABLE)("a directory for temporary files that is %s", needs("mount", !canMount()), (_what, make) => {
  test.each(COPYING)("is named by %s, with the variable", (_name, program, words) => {
    const [folder, place] = [freshFolder(), freshFolder()];
    recorded(folder, "metrics.db");
    const library = new v16.PatternLibrary();
    library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
    v16.PatternPersistence.saveToSqlite(library, join(folder, "library.db"));
    v16.PatternPersistence.saveToJson(library, join(folder, "library.json"));
    mount("--bind", "-o", "ro", folder, place);
    const TMPDIR = join(freshFolder(), "temporary");
    make(TMPDIR);
    const run = [...programWords(new URL(program, import.meta.url)), ...words];
    const { status, stdout, stderr } = spawnSync(process.execPath, run, {
      cwd: place,
      encoding: "utf8",
      env: { ...process.env, TMPDIR },
    });
    expect(status).not.toBe(0);
    const text = `${stdout}${stderr}`.replaceAll(/\s+/g, " ");
    expect(text).toContain("the directory for temporary files");
    expect(text).toContain(`${basename(dirname(TMPDIR))}/temporary`);
    expect(text).toMatch(/[Ss]et (?:the environment variable )?TMPDIR to/);
  });
});

test("a program whose working directory was removed does its work", ON_POSIX, () => {
  const folder = freshFolder();
  new v16.MetricsCollector(join(folder, "metrics.db")).close();
  const program = programWords(new URL("../../packages/migrator/src/cli.ts", import.meta.url));
  for (const words of [["plan"], ["up", "--yes"], ["status"]]) {
    const gone = join(freshFolder(), "gone");
    mkdirSync(gone);
    const started = ["-c", 'cd "$0"; rmdir "$0"; exec "$@"', gone, process.execPath, ...program, ...words, folder];
    const { status, stdout, stderr } = spawnSync("sh", started, { encoding: "utf8" });
    expect([status, stdout, stderr], words.join(" ")).toEqual([
      0,
      expect.stringContaining(join(folder, "metrics.db")),
      expect.not.stringContaining("ENOENT"),
    ]);
  }
});
