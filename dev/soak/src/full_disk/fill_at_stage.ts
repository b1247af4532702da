import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import {
  migrate,
  type ProgressEvent,
  pruneMigration,
  downgradeMigration,
} from "../../../../packages/migrator/src/index.ts";
import { fillInodesUntil, fillUntil } from "../disks/fill.ts";
import { STAGE_NOT_REACHED } from "./stage_not_reached.ts";

/**
 * `fill_at_stage.ts "up --json" STAGE LEVEL DATA`: runs the migration like the program, on a disk that becomes full at
 * a stage, or with a limit for the size of files from then on.
 */
const [words = "", stage, level = "", data = ""] = process.argv.slice(2);
const [shortage = "", left] = level.split(":");
const disk = dirname(dirname(data));
let filled = false;

const onProgress = (event: ProgressEvent): void => {
  if (filled || event.stage !== stage) return;
  filled = true;
  if (shortage === "file-size") execFileSync("prlimit", [`--fsize=${Number(left) * 1024}`, `--pid=${process.pid}`]);
  else if (shortage.endsWith("inodes")) fillInodesUntil(disk, Number(left));
  else fillUntil(disk, Number(left));
};

const COMMANDS = { up: migrate, down: downgradeMigration, prune: pruneMigration };
const command = COMMANDS[words.split(" ")[0] as keyof typeof COMMANDS];
const report = await command(data, {
  onProgress,
  ...(words.includes("--backups") ? { pruneBackups: true } : {}),
  ...(words.includes("--non-finite text") ? { nonFinite: "text" as const } : {}),
});
console.log(JSON.stringify(report));
process.exitCode = filled ? report.exit_code : STAGE_NOT_REACHED;
