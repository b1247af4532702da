import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { StateManager } from "perdura-15";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { changed } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { ANY_CHARACTER } from "../../../../../test/any_character.ts";

/** Ids of users, which become file names. */
export function asNames({ directory }: Bench): Try {
  const states = new StateManager(join(directory, "state"));
  return { document: (chance) => judgeUserId(states, userId(chance), join(directory, "state")) };
}

function userId(chance: Chance): string {
  switch (chance.below(4)) {
    case 0:
      return hostileText(chance);
    case 1:
      return chance.made(fc.string({ unit: ANY_CHARACTER, maxLength: 40 }));
    case 2:
      return `${hostileText(chance)}${chance.pick(["/", "\\", ".", "%", " ", ":"])}${hostileText(chance)}`;
    default:
      return changed(Buffer.from(hostileText(chance)), chance).toString(chance.percent(50) ? "utf8" : "latin1");
  }
}

/** Saves, finds and deletes the state of one user: nothing else may be touched, and no file may be left. */
export function judgeUserId(states: StateManager, user: string, directory: string): string[] {
  const shown = JSON.stringify(user).slice(0, 120);
  try {
    states.saveState(user, { user_id: user, trust_level: 0.5 });
  } catch (error) {
    const isMeant = user === "" || user.includes("\0") || !user.isWellFormed();
    return [...faultsOfError(error), ...(isMeant ? [] : [`${shown} was refused: ${String(error).slice(0, 200)}`])];
  }
  const faults: string[] = [];
  if (states.loadState(user)?.user_id !== user) faults.push(`${shown}: the saved state was not found`);
  const users = states.listUsers();
  if (users.length !== 1 || users[0] !== user)
    faults.push(`${shown}: listed as ${JSON.stringify(users).slice(0, 200)}`);
  const names = readdirSync(directory);
  if (names.some((name) => name.length > 255 || /[\u0000-\u001f\u007f/\\:*?"<>|]/.test(name)))
    faults.push(`${shown}: the name ${JSON.stringify(names)} is not portable`);
  if (
    !names.some((name) => name.endsWith(".json") && readFileSync(join(directory, name), "utf8").includes("trust_level"))
  )
    faults.push(`${shown}: the state is in no file of its directory`);
  if (!states.deleteState(user) || readdirSync(directory).length > 0)
    faults.push(`${shown}: left behind ${JSON.stringify(readdirSync(directory)).slice(0, 200)}`);
  return faults;
}
