import { createHash } from "node:crypto";
import { globSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openBackupStore } from "@perdura/backup";
import { checkFile } from "@perdura/conformance";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { main as inspect } from "../../packages/inspect/src/cli/main.ts";
import { main as migrate } from "../../packages/migrator/src/cli/main.ts";
import { runMain } from "../run_main.ts";

type Main = (words: string[]) => Promise<number>;

/** Result of an operation on a file: undefined, or the text of the error or report that refused it. */
type Refusal = string | undefined;

/** A way in which a user opens or reads a file. */
export interface Door {
  name: string;
  /** `other` for a function that expects another kind of file than a database. */
  intent: "read" | "write" | "other";
  /** @param folder An empty folder for what the operation needs. */
  enter: (path: string, folder: string) => Promise<Refusal>;
}

async function refusalOf(task: () => unknown): Promise<Refusal> {
  try {
    await task();
    return undefined;
  } catch (error) {
    return String((error as Error).message);
  }
}

const call = (name: string, intent: Door["intent"], task: (path: string, folder: string) => unknown): Door => ({
  name,
  intent,
  enter: (path, folder) => refusalOf(() => task(path, folder)),
});

function library<Line extends typeof v15 | typeof v16>(line: Line): InstanceType<Line["PatternLibrary"]> {
  const made = new line.PatternLibrary();
  made.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  return made as InstanceType<Line["PatternLibrary"]>;
}

const doorsOf = (name: string, line: typeof v15 | typeof v16): Door[] => [
  call(`a collector of ${name}`, "write", (path) => new line.MetricsCollector(path).close()),
  call(`saveToSqlite of ${name}`, "write", (path) =>
    (line as typeof v16).PatternPersistence.saveToSqlite(library(line as typeof v16), path),
  ),
  call(`loadFromSqlite of ${name}`, "read", (path) => line.PatternPersistence.loadFromSqlite(path)),
  call(`loadFromJson of ${name}`, "other", (path) => line.PatternPersistence.loadFromJson(path)),
  call(`saveToJson of ${name}`, "other", (path) =>
    (line as typeof v16).PatternPersistence.saveToJson(library(line as typeof v16), path),
  ),
];

/** An id that is too long for a file name: the file has a digest as its name, and the id is in a file next to it. */
const LONG_ID = "u".repeat(300);

/** Names of a state directory whose files are read: of states, of an id, and of what may belong to macOS. */
const STATE_NAMES = (() => {
  const digest = `%~${createHash("sha256").update(LONG_ID).digest("hex")}`;
  return ["u.json", "._u.json", "%41.json", `${digest}.json`, `${digest}.id`];
})();

/** A state directory in which every file is a second name of another file. */
function statesWith(path: string, folder: string): v15.StateManager {
  for (const name of STATE_NAMES) linkSync(path, join(folder, name));
  return new v15.StateManager(folder);
}

/** Users whose files are {@link STATE_NAMES}. */
const USERS = ["u", "%41", LONG_ID];

const ofStates = (name: string, task: (states: v15.StateManager, user: string) => unknown): Door[] =>
  USERS.map((user) =>
    call(`${name} of ${user.slice(0, 4)}`, "other", (path, folder) => task(statesWith(path, folder), user)),
  );

/** A store of backups with one backup `x` of a pattern library. */
async function storeIn(folder: string): Promise<Awaited<ReturnType<typeof openBackupStore>>> {
  const store = await openBackupStore(`file://${join(folder, "backups")}`);
  const path = join(folder, "x.db");
  v16.PatternPersistence.saveToSqlite(library(v16), path);
  await store.backup(path, { name: "x" });
  return store;
}

/** That store; its backup is a second name of another file. */
async function storeOf(path: string, folder: string): Promise<Awaited<ReturnType<typeof openBackupStore>>> {
  const store = await storeIn(folder);
  const [version] = globSync(join(folder, "backups/x/*.db")) as [string];
  rmSync(version);
  linkSync(path, version);
  return store;
}

const program = (name: string, intent: Door["intent"], main: Main, words: (path: string) => string[]): Door => ({
  name,
  intent,
  enter: (path, folder) => runIn(folder, main, words(path)),
});

async function runIn(folder: string, main: Main, words: string[]): Promise<Refusal> {
  const { code, stdout, stderr } = await runMain(main, words, { cwd: folder });
  return code === 0 ? undefined : `${stdout}${stderr}`;
}

/** `perdura-migrate` with commands one after the other, on a state directory whose files are second names of another file. */
const archiving = (...commands: string[][]): Door => ({
  name: `perdura-migrate ${(commands.at(-1) as string[]).join(" ")} of states`,
  intent: "other",
  enter: async (path, folder) => {
    mkdirSync(join(folder, "empathy_state"));
    statesWith(path, join(folder, "empathy_state"));
    for (const words of commands) {
      const refusal = await runIn(folder, migrate, words);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  },
});

const UP = ["up", "--yes", "."];

/** Every door to a file. */
export const DOORS: readonly Door[] = [
  ...doorsOf("pre-16", v15),
  ...doorsOf("16", v16),
  call("perdura-backup push", "read", async (path, folder) => (await storeIn(folder)).backup(path, { name: "y" })),
  call("perdura-backup pull", "write", async (path, folder) => (await storeIn(folder)).restore("x", { to: path })),
  call("perdura-backup pull --overwrite", "write", async (path, folder) =>
    (await storeIn(folder)).restore("x", { to: path, overwrite: true }),
  ),
  call("perdura-backup verify of a backup", "other", async (path, folder) => (await storeOf(path, folder)).verify()),
  call("perdura-backup pull of a backup", "other", async (path, folder) =>
    (await storeOf(path, folder)).restore("x", { to: join(folder, "restored.db") }),
  ),
  ...["plan", "verify", "status"].map((command) =>
    program(`perdura-migrate ${command}`, "read", migrate, (path) => [command, path]),
  ),
  ...["up", "down"].map((command) =>
    program(`perdura-migrate ${command}`, "write", migrate, (path) => [command, "--yes", path]),
  ),
  ...[["sums"], ["compact"], ["forget", "--yes", "--user", "alice"]].map((words) =>
    program(`perdura-migrate ${words[0]}`, "write", migrate, (path) => [...words, path]),
  ),
  program("perdura-migrate prune --backups", "read", migrate, (path) => ["prune", "--backups", "--yes", path]),
  ...ofStates("saveState", (states, user) => states.saveState(user, { user_id: user, trust_level: 0.5 })),
  ...ofStates("loadState", (states, user) => states.loadState(user)),
  ...ofStates("deleteState", (states, user) => states.deleteState(user)),
  call("listUsers", "other", (path, folder) => statesWith(path, folder).listUsers()),
  archiving(["plan", "."]),
  archiving(UP),
  archiving(UP, ["verify", "."]),
  archiving(UP, ["prune", "--yes", "."]),
  archiving(UP, ["prune", "--yes", "."], ["down", "--yes", "."]),
  program("perdura-migrate states", "read", migrate, (path) => ["states", path]),
  program("perdura-migrate states --extract", "read", migrate, (path) => ["states", "--extract", "extracted", path]),
  program("perdura-inspect", "read", inspect, (path) => [path]),
  program("perdura-inspect compare", "read", inspect, (path) => ["compare", path, path]),
  program("perdura-inspect patterns export", "read", inspect, (path) => ["patterns", "export", path, "exported.json"]),
  program("perdura-inspect metrics export", "read", inspect, (path) => ["metrics", "export", path, "exported.csv"]),
  {
    name: "perdura-inspect patterns import",
    intent: "write",
    enter: (path, folder) => {
      const imported = library(v16);
      imported.contribute("agent", { id: "q", pattern_type: "t", name: "n" });
      v16.PatternPersistence.saveToJson(imported, join(folder, "imported.json"));
      return runIn(folder, inspect, ["patterns", "import", "imported.json", path]);
    },
  },
  call("check-file", "read", (path) => checkFile(path)),
];
