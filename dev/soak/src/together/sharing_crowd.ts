import { setTimeout as pause } from "node:timers/promises";
import { Member } from "./member.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/** Saves and messages of a crowd. */
export interface SharingStory {
  /** Acknowledged versions: by program, the last version of each key. */
  saved: Map<string, Map<string, number>>;
  /** Number of saves, and of comparisons of loaded data. */
  saves: number;
  checked: number;
  wrong: string[];
}

/**
 * Lets programs save and load the same files for some time.
 *
 * @param members Programs of the folder `programs` with their words, by name.
 */
export async function shareFor(
  members: ReadonlyMap<string, readonly [program: string, ...words: string[]]>,
  seconds: number,
  isOver: () => boolean,
): Promise<SharingStory> {
  const story: SharingStory = { saved: new Map(), saves: 0, checked: 0, wrong: [] };
  const crowd = [...members].map(([name, [program, ...words]]) => {
    const own = new Map<string, number>();
    story.saved.set(name, own);
    const hear = (word: string, rest: string): void => {
      if (word === "checked") story.checked += Number(rest);
      else if (word === "saved") {
        const at = rest.lastIndexOf(" ");
        own.set(rest.slice(0, at), Number(rest.slice(at + 1)));
        story.saves += 1;
      } else story.wrong.push(`${name}: ${word} ${rest}`);
    };
    return new Member(program, words, hear, name);
  });
  // Counted from the moment when all have begun, so that a short time is enough for a slow machine.
  const began = performance.now();
  const allBegun = (): boolean => [...story.saved.values()].every(({ size }) => size > 0);
  while (!allBegun() && performance.now() - began < PATIENCE_MS && !isOver()) await pause(20);
  for (const end = performance.now() + seconds * 1000; performance.now() < end && !isOver();) await pause(50);
  story.wrong.push(...(await Promise.all(crowd.map((member) => member.end(PATIENCE_MS)))).flat());
  return story;
}
