import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Check } from "./check.ts";
import { problemOf, type Wine } from "./wine.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

const PROGRAMS = fileURLToPath(new URL("../programs/", import.meta.url));

/** The programs in `programs`, which throw if something does not hold. */
export function programChecks(wine: Wine): Check[] {
  return readdirSync(PROGRAMS).map((file) => ({
    name: `library: ${file.replace(/\.ts$/, "").replaceAll("_", " ")}`,
    run: () => {
      const folder = emptyFolder(wine, "program");
      cpSync(join(PROGRAMS, file), join(folder, file));
      return problemOf(wine, [file], folder);
    },
  }));
}

const MIGRATE = "@perdura/migrator/bin/perdura-migrate.js";
const INSPECT = "@perdura/inspect/bin/perdura-inspect.js";
const BACKUP = "@perdura/backup/bin/perdura-backup.js";

/** Commands in the order in which a person gives them, with exit codes other than 0. */
const COMMANDS: readonly (readonly [program: string, words: string, expected?: number])[] = [
  [MIGRATE, "plan ."],
  [MIGRATE, "up ."],
  [MIGRATE, "verify ."],
  [MIGRATE, "status ."],
  [MIGRATE, "states state.v15.sqlar"],
  [MIGRATE, "states state.v15.sqlar --extract new"],
  [MIGRATE, "states state.v15.sqlar --extract new", 2],
  [MIGRATE, "states ../archives/colon.v15.sqlar --extract other", 1],
  [MIGRATE, "states ../archives/noncharacter.v15.sqlar --extract other", 1],
  [MIGRATE, "down ../archives", 3],
  [MIGRATE, "prune --yes state"],
  [INSPECT, "."],
  [MIGRATE, "down ."],
  [MIGRATE, "up ."],
  [BACKUP, "push file:///C:/perdura16/commands/store patterns.json"],
  [BACKUP, "list file:///C:/perdura16/commands/store"],
  [BACKUP, "verify file:///C:/perdura16/commands/store"],
  [BACKUP, "pull file:///C:/perdura16/commands/store patterns --to restored.json"],
];

/** Archives that are made on Linux, with a file that Windows cannot have. */
const ARCHIVED = { colon: "a:b.json", noncharacter: "a\u{10ffff}.json" };

const MIGRATE_HERE = fileURLToPath(new URL("../../../packages/migrator/bin/perdura-migrate.js", import.meta.url));

function archiveHere(file: string, archive: string): void {
  const folder = temporaryFolder();
  try {
    mkdirSync(join(folder, "state"));
    writeFileSync(join(folder, "state", file), `{ "user_id": "a", "trust_level": 0.7 }`);
    execFileSync(process.execPath, [MIGRATE_HERE, "up", "--quiet", "state"], { cwd: folder });
    cpSync(join(folder, "state.v15.sqlar"), archive);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Data of both kinds, as pre-16 programs write them. */
const PREPARE = `import { MetricsCollector, PatternLibrary, PatternPersistence, StateManager } from "perdura-15/persistence";
const metrics = new MetricsCollector("metrics.db");
metrics.recordMetric("alice", 4, true, 120.5);
metrics.close();
const states = new StateManager("state");
for (const id of ["alice", "Alice", "CON", "a:b"]) states.saveState(id, { user_id: id, trust_level: 0.7 });
const library = new PatternLibrary();
library.contribute("agent-1", { id: "retry", pattern_type: "sequential", name: "Retry once", confidence: 0.8 });
PatternPersistence.saveToJson(library, "patterns.json");
`;

/** The programs, on data of the pre-16 line. */
export function commandChecks(wine: Wine): Check[] {
  let folder = "";
  const prepare: Check = {
    name: "programs: write pre-16 data",
    run: () => {
      folder = emptyFolder(wine, "commands");
      writeFileSync(join(folder, "..", "prepare.ts"), PREPARE);
      const archives = emptyFolder(wine, "archives");
      for (const [name, file] of Object.entries(ARCHIVED)) archiveHere(file, join(archives, `${name}.v15.sqlar`));
      return problemOf(wine, [join("..", "prepare.ts")], folder);
    },
  };
  const commands = COMMANDS.map(([program, words, expected = 0]) => ({
    name: `programs: ${program.slice(program.lastIndexOf("/") + 1, -".js".length)} ${words}${expected === 0 ? "" : ` (exit code ${expected})`}`,
    run: () => problemOf(wine, [`../node_modules/${program}`, ...words.split(" ")], folder, { expected }),
  }));
  return [prepare, ...commands];
}

/**
 * The suite, with the adapters of both lines. Answers may take longer than usual: in a directory with thousands of files,
 * wine compares a missing name with all of them.
 */
export function suiteChecks(wine: Wine): Check[] {
  const suite = "node_modules/@perdura/conformance/bin/perdura-conformance.js";
  const words = ["run", "--quiet", "--timeout", "600", "--implementation"];
  return ["perdura-15", "perdura-16"].map((name) => ({
    name: `suite: ${name} is conformant`,
    run: () =>
      problemOf(wine, [suite, ...words, name], wine.folder("perdura16"), {
        limitSeconds: 1800,
      }),
  }));
}

function emptyFolder(wine: Wine, name: string): string {
  const folder = join(wine.folder("perdura16"), name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}
