import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeLegacyDatabase } from "../migration/legacy_data.ts";
import type { Place, Row } from "../row.ts";
import { type BuiltProgram, builtLibrary, builtProgram } from "../measure/published_programs.ts";
import type { Side } from "../measure/measure.ts";

/** Starts in a round: one is too short to compare. */
const STARTS = 5;

/** Rows of the small database that is planned and migrated. */
const SMALL_COUNT = 200;

/** Starts Node.js several times, one after the other. @param words Words after `node`, for each start. */
function starting(name: string, words: (index: number) => string[], prepare?: () => void): Side {
  return {
    name,
    ...(prepare !== undefined && { prepare }),
    round: () => {
      for (let index = 0; index < STARTS; index += 1) {
        const { status, stderr } = spawnSync(process.execPath, words(index), { stdio: ["ignore", "ignore", "pipe"] });
        if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr.toString()}`);
      }
      return STARTS;
    },
    memory: () => null,
  };
}

/** A program in one text, whose imports are found from this package. */
const program = (code: string): string[] => ["--input-type=module", "--eval", code];

const driver = (): Side =>
  starting("better-sqlite3", () =>
    program(`import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))}; new Database(":memory:");`),
  );

function library(): Side {
  const code = `import { MetricsCollector } from ${JSON.stringify(pathToFileURL(builtLibrary("v16")).href)};
    new MetricsCollector(":memory:");`;
  return starting("perdura", () => program(code));
}

const help = (name: BuiltProgram): Row => ({
  name: `start-help-${name}`,
  what: `${name} --help`,
  peer: "node -e 0",
  rounds: 15,
  atMost: 1.2,
  sides: {
    ours: () => {
      const path = builtProgram(name);
      return starting(name, () => [path, "--help"]);
    },
    peer: () => starting("node -e 0", () => ["-e", "0"]),
  },
});

const original = ({ directory }: Place): string => join(directory, "original.db");

/** `perdura-migrate` with a command, on a copy of the small database for each start. */
function migrating(place: Place, command: string): Side {
  const path = builtProgram("perdura-migrate");
  const copies = Array.from({ length: STARTS }, (_, index) => join(place.directory, `copy-${index}.db`));
  return starting(
    `perdura-migrate ${command}`,
    (index) => [path, command, copies[index] as string],
    () => {
      for (const copy of copies) {
        for (const ending of ["", ".v15.bak"]) rmSync(`${copy}${ending}`, { force: true });
        copyFileSync(original(place), copy);
      }
    },
  );
}

const small = (command: string, atMost: number): Row => ({
  name: `start-${command}`,
  what: `perdura-migrate ${command} of a database of ${SMALL_COUNT} rows`,
  peer: "node with better-sqlite3, which opens a database in memory",
  rounds: 15,
  atMost,
  data: (place) => makeLegacyDatabase(original(place), "field-a", SMALL_COUNT),
  sides: { ours: (place) => migrating(place, command), peer: driver },
});

/** Whole processes, from their start to their end, which do little. */
export const STARTING: Row[] = [
  {
    name: "start-library",
    what: "a program that imports perdura and opens a collector in memory",
    peer: "node with better-sqlite3, which opens a database in memory",
    rounds: 15,
    atMost: 1.15,
    sides: { ours: library, peer: driver },
  },
  help("perdura-migrate"),
  help("perdura-inspect"),
  help("perdura-backup"),
  help("perdura-conformance"),
  small("plan", 2),
  small("up", 2.5),
];
