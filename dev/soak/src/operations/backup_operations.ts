import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BackupStore, openBackupStore } from "@perdura/backup";
import * as v16 from "@perdura/v16";
import { libraryOf, versionOf } from "./library_operations.ts";
import { mustBe, type Operation } from "./operation.ts";

type Form = "json" | "db";
const fileIn = (directory: string, form: Form): string => join(directory, `library.${form}`);

function save(directory: string, form: Form, version: number): void {
  const library = libraryOf(v16, version);
  if (form === "json") v16.PatternPersistence.saveToJson(library, fileIn(directory, form));
  else v16.PatternPersistence.saveToSqlite(library, fileIn(directory, form), { mode: "replace" });
}

function versionIn(directory: string, form: Form): number {
  const { PatternPersistence } = v16;
  const load = form === "json" ? PatternPersistence.loadFromJson : PatternPersistence.loadFromSqlite;
  return versionOf(load(fileIn(directory, form)));
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

const push = (directory: string, form: Form): Promise<unknown> =>
  withStore(directory, (store) => store.backup(fileIn(directory, form), { name: "agents" }));

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

const pushing = (form: Form): Operation => ({
  name: `push a backup (${form})`,
  steps: 1,
  adds: true,
  threads: true,
  layOut: async (directory) => {
    begin(directory);
    save(directory, form, 0);
    await push(directory, form);
    save(directory, form, 1);
  },
  perform: async (directory, acknowledge) => {
    await push(directory, form);
    acknowledge();
  },
  stepsIn: async (directory) => {
    mustBe(versionIn(directory, form), 1, "the version of the library");
    return (await versionsIn(directory)) - 1;
  },
});

/** The version in the store is 1; the target file is missing, or has version 0. */
const pulling = (form: Form, fresh: boolean): Operation => ({
  name: `pull a backup${fresh ? "" : " over a library"} (${form})`,
  steps: 1,
  threads: true,
  layOut: async (directory) => {
    begin(directory);
    save(directory, form, 1);
    await push(directory, form);
    save(directory, form, 0);
    if (fresh) rmSync(fileIn(directory, form));
  },
  perform: async (directory, acknowledge) => {
    await withStore(directory, (store) => store.restore("agents", { to: fileIn(directory, form), overwrite: true }));
    acknowledge();
  },
  stepsIn: async (directory) => {
    mustBe(await versionsIn(directory), 1, "versions in the store");
    return fresh && !existsSync(fileIn(directory, form)) ? 0 : versionIn(directory, form);
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
  ...(["json", "db"] as const).flatMap((form) => [pushing(form), pulling(form, true), pulling(form, false)]),
  pruning,
];
