import { rmSync } from "node:fs";
import { missingFor } from "./disks/disk.ts";
import { hasProgram } from "./disks/commands.ts";
import { removeDeadDisks } from "./disks/dead_disks.ts";
import { tryLevels } from "./full_disk/levels.ts";
import { attemptMigration, type Moment } from "./full_disk/migrations.ts";
import { type Attempted, attemptOperation, rehearseWithRoom } from "./full_disk/operations.ts";
import { type Level, nameOf } from "./full_disk/shortage.ts";
import { rehearseWithoutCalls } from "./migrations/rehearsal.ts";
import { scenarioNamed } from "./migrations/scenarios.ts";
import { OPERATIONS } from "./operations/operations.ts";
import type { Round, Soak } from "./soak.ts";
import { sideBySide } from "./system_calls/side_by_side.ts";
import { bundledOrBuilt } from "./together/built_programs.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** Migrations that need space, and the moments at which the disk becomes full. */
const MIGRATIONS: readonly [scenario: string, ...moments: Moment[]][] = [
  ["up documented-15-user-objects", "start", "lock", "commit"],
  ["up documented-15-wal", "start"],
  ["up field-a-user-objects", "start", "lock", "backup"],
  ["up field-b --missing-level 3", "start"],
  ["up combined-a --non-finite text", "start", "lock"],
  ["down after up documented-15-user-objects", "start", "lock"],
  ["down after up field-a-user-objects", "start", "lock", "downgrade"],
  ["up states", "start", "archive", "place"],
  ["prune --yes after up states", "start", "prune"],
  ["down prune --yes after up states", "start", "restore"],
];

/** Number of levels between nothing and enough that are tried in a full round, for each shortage. */
const LEVELS = 3;

/** Leaves little or no space on the disk. */
export const fullDisk: Soak = {
  name: "full_disk",
  about: "leave little space or few inodes on the disk",
  missing: () => {
    const missing = missingFor("tmpfs") ?? missingFor("ext4");
    return missing ?? (hasProgram("prlimit") ? undefined : "It needs prlimit (Debian's util-linux).");
  },
  run: async (round) => {
    removeDeadDisks();
    const tasks = [...OPERATIONS.map(operationTask), ...MIGRATIONS.flatMap(migrationTasks)];
    const wanted = tasks.filter(({ row }) => round.wants(row));
    const built = wanted.some(({ migrates }) => migrates) ? bundledOrBuilt("migrator", "perdura-migrate") : undefined;
    if (built !== undefined) process.env["PERDURA_MIGRATE"] = built.program;
    try {
      await sideBySide(wanted, (task) => perform(task, round));
    } finally {
      built?.remove();
    }
  },
};

/** A row: an operation that is tried with increasing space. */
interface Task {
  row: string;
  migrates: boolean;
  /** Prepares the input of the operation, in an empty directory with enough space. */
  prepare(place: string): Promise<(level: Level) => Promise<Attempted>>;
}

function operationTask(operation: (typeof OPERATIONS)[number]): Task {
  return {
    row: operation.name,
    migrates: false,
    prepare: async (place) => {
      const rehearsed = await rehearseWithRoom(operation, place);
      return (level) => attemptOperation(rehearsed, level, place);
    },
  };
}

function migrationTasks([name, ...moments]: (typeof MIGRATIONS)[number]): Task[] {
  const scenario = scenarioNamed(name);
  return moments.map((moment) => ({
    row: moment === "start" ? name : `${name}, full at ${moment}`,
    migrates: true,
    prepare: async (place) => {
      const rehearsed = await rehearseWithoutCalls(scenario, place);
      return (level) => attemptMigration(rehearsed, moment, level, place);
    },
  }));
}

async function perform({ row, prepare }: Task, round: Round): Promise<void> {
  if (round.isOver()) return;
  const place = temporaryFolder(round.place);
  const attempt = await prepare(place);
  await tryLevels(round, LEVELS, async (level) => {
    const { enough, wrong } = await attempt(level);
    round.count({ row, wrong, repeat: `pnpm soak full_disk --only "${row}" --point ${nameOf(level)}` });
    return enough;
  });
  rmSync(place, { recursive: true, force: true });
}
