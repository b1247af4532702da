import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { extractArchivedStates, listArchivedStates } from "@perdura/migrator";
import type { Judgement } from "./judge_patterns.ts";
import { faultsOfError } from "./own_error.ts";
import { changesBetween, isWithoutContent, stampsOf } from "./stamp.ts";

/** Lists an archive of states and extracts it into a directory next to files that must not change. */
export async function judgeArchive(path: string, scratch: string): Promise<Judgement> {
  const folder = dirname(path);
  const before = stampsOf(folder);
  const wrong: string[] = [];
  try {
    for (const { file } of listArchivedStates(path))
      if (typeof file !== "string") wrong.push("list: a state has no name");
  } catch (error) {
    wrong.push(...faultsOfError("list", error, path));
  }
  const outer = join(scratch, "outer");
  rmSync(outer, { recursive: true, force: true });
  mkdirSync(join(outer, "beside"), { recursive: true });
  const around = stampsOf(outer);
  const target = join(outer, "target");
  const extracted = await extractArchivedStates(path, target).catch((error: unknown) => {
    // The error must name the archive, or the directory that cannot be created.
    const named = isPerduraError(error) && error.path?.startsWith(outer) === true ? target : path;
    wrong.push(...faultsOfError("extract", error, named));
    return undefined;
  });
  const isExtracted = (name: string): boolean => extracted !== undefined && /^target(?:\/|$)/.test(name);
  wrong.push(...changesBetween(around, stampsOf(outer), isExtracted).map((change) => `extract: ${change}`));
  if (extracted !== undefined) wrong.push(...wrongModes(target));
  wrong.push(
    ...changesBetween(before, stampsOf(folder), isWithoutContent(before)).map((change) => `reading: ${change}`),
  );
  return { answered: extracted !== undefined, wrong };
}

/** Extracted files that would run as another user (setuid, setgid). */
function wrongModes(target: string): string[] {
  return [...stampsOf(target)].flatMap(([name, stamp]) => {
    const mode = Number.parseInt(stamp, 8);
    const isFile = mode >> 12 === 8;
    return isFile && (mode & 0o6000) !== 0 ? [`extract: ${name} has the mode ${mode.toString(8)}`] : [];
  });
}
