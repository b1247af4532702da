import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BackupStore, openBackupStore } from "@perdura/backup";
import * as v16 from "@perdura/v16";
import { libraryOf, versionOf } from "./library_operations.ts";
import { mustBe, type Operation } from "./operation.ts";

type Format = "json" | "db";
const fileIn = (directory: string, format: Format): string => join(directory, `library.${format}`);

function save(directory: string, format: Format, version: number): void {
  const library = libraryOf(v16, version);
  if (format === "json") v16.PatternPersistence.saveToJson(library, fileIn(directory, format));
  else v16.PatternPersistence.saveToSqlite(library, fileIn(directory, format), { mode: "replace" });
}

function versionIn(directory: string, format: Format): number {
  const { PatternPersistence } = v16;
  const load = format === "json" ? PatternPersistence.loadFromJson : PatternPersistence.loadFromSqlite;
  return versionOf(load(fileIn(directory, format)));
}

async function withStore<Result>(directory: string, task: (store: BackupStore) => Promise<Result>): Promise<Result> {
  const temporaryDirectory = join(directory, "tmp");
  const store = await openBackupStore(pathToFileURL(join(directory, "store")).href, { temporaryDirectory });
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}

const push = (directory: string, format: Format): Promise<unknown> =>
  withStore(directory, (store) => store.backup(fileIn(directory, format), { name: "agents" }));

/** Temporary files are inspected, too. */
const begin = (directory: string): void => mkdirSync(join(directory, "tmp"));

/** Number of versions in the store, each of which must be intact. */
async function versionsIn(directory: string): Promise<number> {
  const verified = await withStore(directory, (store) => store.verify());
  mustBe(
    verified.filter(({ ok }) => !ok),
    [],
    "versions that are not whole",
  );
  return verified.length;
}

const pushing = (format: Format): Operation => ({
  name: `push a backup (${format})`,
  steps: 1,
  adds: true,
  threads: true,
  layOut: async (directory) => {
    begin(directory);
    save(directory, format, 0);
    await push(directory, format);
    save(directory, format, 1);
  },
  perform: async (directory, acknowledge) => {
    await push(directory, format);
    acknowledge();
  },
  stepsIn: async (directory) => {
    mustBe(versionIn(directory, format), 1, "the version of the library");
    return (await versionsIn(directory)) - 1;
  },
});

/** The version in the store is 1; the target file is missing, or has version 0. */
const pulling = (format: Format, fresh: boolean): Operation => ({
  name: `pull a backup${fresh ? "" : " over a library"} (${format})`,
  steps: 1,
  threads: true,
  layOut: async (directory) => {
    begin(directory);
    save(directory, format, 1);
    await push(directory, format);
    save(directory, format, 0);
    if (fresh) rmSync(fileIn(directory, format));
  },
  perform: async (directory, acknowledge) => {
    await withStore(directory, (store) => store.restore("agents", { to: fileIn(directory, format), overwrite: true }));
    acknowledge();
  },
  stepsIn: async (directory) => {
    mustBe(await versionsIn(directory), 1, "versions in the store");
    return fresh && !existsSync(fileIn(directory, format)) ? 0 : versionIn(directory, format);
  },
});

const pruning: Operation = {
  name: "prune backups",
  steps: 1,
  threads: true,
  layOut: async (directory) => {
    begin(directory);
    for (const version of [0, 1, 2]) {
      save(directory, "json", version);
      await push(directory, "json");
    }
  },
  perform: async (directory, acknowledge) => {
    await withStore(directory, (store) => store.prune({ keepLast: 1 }));
    acknowledge();
  },
  stepsIn: async (directory) => {
    mustBe(versionIn(directory, "json"), 2, "the version of the library");
    const { PatternPersistence } = v16;
    const copy = join(directory, "tmp", "newest.json");
    await withStore(directory, (store) => store.restore("agents", { to: copy, overwrite: true }));
    mustBe(versionOf(PatternPersistence.loadFromJson(copy)), 2, "the version in the newest backup");
    rmSync(copy);
    return (await versionsIn(directory)) === 1 ? 1 : 0;
  },
};

/** Pushing, pulling and pruning backups in a directory. */
export const BACKUP_OPERATIONS: readonly Operation[] = [
  ...(["json", "db"] as const).flatMap((format) => [pushing(format), pulling(format, true), pulling(format, false)]),
  pruning,
];
