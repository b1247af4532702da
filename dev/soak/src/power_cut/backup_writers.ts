import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BackupStore, openBackupStore } from "@perdura/backup";
import * as v16 from "@perdura/v16";
import { libraryOf, versionOf } from "../operations/library_operations.ts";
import { mustBe } from "../operations/operation.ts";
import { countOf, type Writer } from "./writer.ts";

const { PatternPersistence } = v16;

/** Maximum number of versions that are pushed, since all of them are checked. */
const MOST = 30;

async function withStore<Result>(directory: string, task: (store: BackupStore) => Promise<Result>): Promise<Result> {
  const store = await openBackupStore(pathToFileURL(join(directory, "store")).href);
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}

function layOut(directory: string): void {
  PatternPersistence.saveToJson(libraryOf(v16, 3), join(directory, "library.json"));
}

const push = (directory: string): Promise<unknown> =>
  withStore(directory, (store) => store.backup(join(directory, "library.json"), { name: "agents" }));

/** Backups that are pulled in turn; enough of them to distinguish a lost one from the one in progress. */
const VERSIONS = [1, 2, 3, 4, 5];
const versionAfter = (turn: number): number => 1 + (((turn % VERSIONS.length) + VERSIONS.length) % VERSIONS.length);

function loaded(path: string): number {
  return versionOf(
    path.endsWith(".db") ? PatternPersistence.loadFromSqlite(path) : PatternPersistence.loadFromJson(path),
  );
}

/** Pushing and pulling backups in a directory. */
export const BACKUP_WRITERS: readonly Writer[] = [
  {
    row: "push backups",
    process: "backup",
    layOut,
    open: (directory) => async (turn) => {
      if (turn > MOST) return false;
      await push(directory);
      return true;
    },
    writesIn: async (directory) => {
      if (!existsSync(join(directory, "store"))) return 0;
      const verified = await withStore(directory, (store) => store.verify());
      mustBe(
        verified.filter(({ ok }) => !ok),
        [],
        "versions that are not whole",
      );
      return verified.length;
    },
  },
  {
    row: "pull backups",
    process: "backup",
    layOut: async (directory) => {
      layOut(directory);
      await push(directory);
    },
    open: (directory) => async (turn) => {
      await withStore(directory, (store) => store.restore("agents", { to: join(directory, `pulled-${turn}.json`) }));
    },
    writesIn: (directory) =>
      countOf((turn) => {
        const path = join(directory, `pulled-${turn}.json`);
        if (existsSync(path)) mustBe(loaded(path), 3, `the version in pulled-${turn}.json`);
        return existsSync(path);
      }),
  },
  {
    row: "pull a backup over a library",
    process: "backup",
    layOut: async (directory) => {
      for (const version of [...VERSIONS.slice(1), 1]) {
        PatternPersistence.saveToSqlite(libraryOf(v16, version), join(directory, "library.db"), { mode: "replace" });
        await withStore(directory, (store) => store.backup(join(directory, "library.db"), { name: `of-${version}` }));
      }
    },
    open: (directory) => async (turn) => {
      await withStore(directory, (store) =>
        store.restore(`of-${versionAfter(turn)}`, { to: join(directory, "library.db"), overwrite: true }),
      );
    },
    // The last turn that pulled this version, at most the one in progress.
    writesIn: (directory, acknowledged) => {
      const version = loaded(join(directory, "library.db"));
      const turn = VERSIONS.map((back) => acknowledged + 2 - back).find((each) => versionAfter(each) === version);
      if (turn === undefined) throw new Error(`library.db has version ${version}, which no backup has`);
      return turn;
    },
  },
];
