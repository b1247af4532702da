import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustBe } from "../operations/operation.ts";
import type { Writer } from "./writer.ts";

const fileIn = (directory: string): string => join(directory, "file");
const textOf = (version: number): string => `${version}\n`.repeat(5000);

function layOut(directory: string): void {
  writeFileSync(fileIn(directory), textOf(0));
}

function writesIn(directory: string): number {
  const text = existsSync(fileIn(directory)) ? readFileSync(fileIn(directory), "utf8") : "";
  const version = Number.parseInt(text, 10);
  mustBe(text, textOf(version), "the file");
  return version;
}

/** Writers without syncs: these must lose data. */
export const CONTROL_WRITERS: readonly Writer[] = [
  {
    row: "control: a file written in place, unsynced",
    process: "15",
    layOut,
    open: (directory) => (turn) => writeFileSync(fileIn(directory), textOf(turn)),
    writesIn,
    control: true,
  },
  {
    row: "control: a file renamed into place, unsynced",
    process: "15",
    layOut,
    open: (directory) => (turn) => {
      writeFileSync(`${fileIn(directory)}.new`, textOf(turn));
      renameSync(`${fileIn(directory)}.new`, fileIn(directory));
    },
    writesIn,
    control: true,
  },
];
