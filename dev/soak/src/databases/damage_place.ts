import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Chance } from "../../../../test/hostile/chance.ts";
import { damageBytes } from "./damage_bytes.ts";

const pipe = (path: string): void => void spawnSync("mkfifo", [path]);
/** Outside of the directory that is searched. */
const realOf = (path: string): string => join(dirname(dirname(path)), "real.db");
const instead =
  (put: (path: string) => void) =>
  (path: string): void => {
    renameSync(path, realOf(path));
    put(path);
  };
const beside =
  (suffix: string, put: (path: string, chance: Chance) => void) =>
  (path: string, chance: Chance): void => {
    rmSync(path + suffix, { force: true });
    put(path + suffix, chance);
  };

/** Replacements for a database, its log or its journal, by description. */
const PLACES: Record<string, (path: string, chance: Chance) => void> = {
  "no bytes": (path) => truncateSync(path, 0),
  "a directory": instead((path) => mkdirSync(path)),
  "a pipe": instead(pipe),
  "a link to a database": instead((path) => symlinkSync(realOf(path), path)),
  "a link to nothing": instead((path) => symlinkSync("nowhere", path)),
  "a link to itself": instead((path) => symlinkSync(path, path)),
  "a link to a device": instead((path) => symlinkSync("/dev/zero", path)),
  "a file with three hard links": (path) => {
    linkSync(path, `${path}.second`);
    linkSync(path, `${path}.third`);
  },
  "a directory in place of the log": beside("-wal", (path) => mkdirSync(path)),
  "a directory in place of the journal": beside("-journal", (path) => mkdirSync(path)),
  "a pipe in place of the log": beside("-wal", pipe),
  "a pipe in place of the journal": beside("-journal", pipe),
  "a pipe in place of the shared memory": beside("-shm", pipe),
  "a random log": beside("-wal", (path, chance) => writeFileSync(path, chance.bytes(5000))),
  "a random journal": beside("-journal", (path, chance) => writeFileSync(path, chance.bytes(5000))),
  "a random journal with a valid header": beside("-journal", (path, chance) =>
    writeFileSync(path, Buffer.concat([Buffer.from("d9d505f920a163d7ffffffff", "hex"), chance.bytes(2000)])),
  ),
  "another database in place of the log": (path) => copyFileSync(path, `${path}-wal`),
  "a damaged log": (path, chance) => existsSync(`${path}-wal`) && damageBytes(`${path}-wal`, chance),
  "a log without its database": (path) => truncateSync(path, 0),
  "a log of an earlier database": (path, chance) => damageBytes(path, chance),
  "random shared memory": beside("-shm", (path, chance) => writeFileSync(path, chance.bytes(32_768))),
  "a missing file": (path) => rmSync(path),
};

/** Number of kinds of replacements. */
export const PLACE_COUNT: number = Object.keys(PLACES).length;

/** Replaces the database by something else, each kind in turn. Returns the kind. */
export function damagePlace(path: string, number: number, chance: Chance): string {
  const what = Object.keys(PLACES)[number % PLACE_COUNT] as string;
  (PLACES[what] as (typeof PLACES)[string])(path, chance);
  return what;
}
