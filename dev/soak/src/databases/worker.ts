import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chance } from "../../../../test/hostile/chance.ts";
import { damageBytes } from "./damage_bytes.ts";
import { damagePlace } from "./damage_place.ts";
import { damageSchema } from "./damage_schema.ts";
import { judgeArchive } from "./judge_archives.ts";
import { judgeCheckFile } from "./judge_check_file.ts";
import { judgeLegacy } from "./judge_legacy.ts";
import { judgeMetrics } from "./judge_metrics.ts";
import { type Judgement, judgePatterns } from "./judge_patterns.ts";
import { hostileFiles } from "./hostile_files.ts";
import { copyModel, type Family } from "./models.ts";

/** One damaged file. */
export interface Task {
  family: Family;
  damage: "bytes" | "schema" | "places" | "hostile";
  number: number;
  seed: number;
  models: readonly string[];
  /** A directory for this task only. */
  place: string;
}

/** A worker's answer to a task. */
export interface Answer extends Judgement {
  /** Peak memory of the process so far, in bytes. */
  peak: number;
}

process.on("message", (task: Task) => void work(task).then((answer) => process.send?.(answer)));

async function work(task: Task): Promise<Answer> {
  const { family, damage, number, seed } = task;
  let answered = false;
  const wrong = await Chance.try([seed, family, damage, number], async (chance) => {
    const judged = await tryFile(task, chance);
    answered = judged.answered;
    return judged.wrong;
  });
  return { answered, wrong, peak: process.resourceUsage().maxRSS * 1024 };
}

async function tryFile({ family, damage, number, models, place }: Task, chance: Chance): Promise<Judgement> {
  const [folder, scratch] = [join(place, "data"), join(place, "scratch")];
  for (const directory of [folder, scratch]) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }
  const path = join(folder, family === "archives" ? "empathy_state.v15.sqlar" : "m.db");
  copyModel(chance.pick(models), path);
  if (damage === "bytes") damageBytes(path, chance);
  if (damage === "schema") damageSchema(path, chance);
  const what =
    damage === "places"
      ? `${damagePlace(path, number, chance)}: `
      : damage === "hostile"
        ? `${makeHostile(family, path, number)}: `
        : "";
  const judged = await judge(family, path, scratch, number);
  // Private copies of databases are in the temporary directory while they are read. Nothing, including a file of a
  // hostile function, may be left there.
  const left = readdirSync(tmpdir()).map((name) => `${name} was left behind in the temporary directory`);
  const wrong = [...judged.wrong, ...left].map((fault) => what + fault);
  for (const name of readdirSync(tmpdir())) rmSync(join(tmpdir(), name), { recursive: true });
  return { answered: judged.answered, wrong };
}

/** Puts a hostile schema or hostile content into a file; returns its description. */
function makeHostile(family: Family, path: string, number: number): string {
  const all = Object.entries(hostileFiles(family));
  const [what, make] = all[number % all.length] as (typeof all)[number];
  make(path);
  return what;
}

async function judge(family: Family, path: string, scratch: string, number: number): Promise<Judgement> {
  const faults = judgeCheckFile(path);
  const judged = await judgeFamily(family, path, scratch, number);
  return { ...judged, wrong: [...faults, ...judged.wrong] };
}

function judgeFamily(family: Family, path: string, scratch: string, number: number): Judgement | Promise<Judgement> {
  if (family === "patterns") return judgePatterns(path, number % 2 === 0 ? "15" : "16");
  if (family === "legacy") return judgeLegacy(path, scratch);
  if (family === "archives") return judgeArchive(path, scratch);
  return judgeMetrics(path, family === "metrics of 15" ? "15" : "16", join(scratch, "exports"));
}
