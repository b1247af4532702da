import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "@perdura/conformance";

/** A replacement of one text in one file of an implementation. */
interface Edit {
  /** Path below the folder of the implementation. */
  file: string;
  from: string;
  to: string;
}

/** A mistake that a person could make in an implementation. */
export interface SeededFault {
  name: string;
  /** The mistake, in one sentence. */
  text: string;
  effect: "loses data" | "wrong answer" | "untidy";
  /** The lines that are judged, in this order; the second only if no `must` case of the first finds the fault. */
  lines: readonly Line[];
  edits: readonly Edit[];
  /** The kind of the mistake and the requirement that it breaks, if no case found mistakes of this kind once. */
  breaks?: { kind: string; requirement: string };
  /** Reason that no case can see the fault. */
  unseen?: string;
}

/** An implementation, written without looking at the cases, whose source is changed. */
export interface FaultyImplementation {
  /** Name of the file of its faults, without the extension. */
  name: "go" | "python";
  language: string;
  /** Its folder, relative to the root of the repository. */
  folder: string;
}

export const IMPLEMENTATIONS: readonly FaultyImplementation[] = [
  { name: "go", language: "Go", folder: "examples/go" },
  { name: "python", language: "Python", folder: "packages/conformance/python" },
];

export function readFaults(root: string, { name }: FaultyImplementation): SeededFault[] {
  return JSON.parse(readFileSync(join(root, "dev", "faults", `${name}.json`), "utf8")) as SeededFault[];
}

/**
 * The files that mistakes change, with their new text, by their paths below the folder of the implementation.
 * @throws {Error} if the source does not have a text of a fault any more.
 */
export function changedFiles(source: string, faults: readonly SeededFault[]): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { name, edits } of faults)
    for (const { file, from, to } of edits) {
      const text = changed.get(file) ?? readFileSync(join(source, file), "utf8");
      if (!text.includes(from)) throw new Error(`${name}: ${file} does not contain ${JSON.stringify(from)}`);
      changed.set(
        file,
        text.replace(from, () => to),
      );
    }
  return changed;
}

/** Copies an implementation and makes the mistakes in the copy. */
export function copyWithFaults(source: string, faults: readonly SeededFault[], copy: string): void {
  const changed = changedFiles(source, faults);
  cpSync(source, copy, { recursive: true });
  for (const [file, text] of changed) writeFileSync(join(copy, file), text);
}
