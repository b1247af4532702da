import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PatternPersistence } from "perdura";
import { StateManager } from "perdura-15";
import { checkFile, readExpectedFailures, readReport } from "@perdura/conformance";
import { checkAnswer } from "../../../../../packages/conformance/src/protocol/check_answer.ts";
import { headOf, topLevelValues } from "../../../../../packages/migrator/src/io/json_head.ts";
import { readingOf } from "../../../../../packages/migrator/src/archive/states/count_states.ts";
import type { Bench, Try } from "../reader.ts";
import { SHAPES } from "../shapes.ts";

/** Bytes of the smaller document; the larger one is eight times as large. */
const SMALL = 1 << 16;
const TIMES = 8;
/** Maximum ratio of the two times. Quadratic time would be 64 times as long for the larger document. */
const MOST = 24;
/** Shorter measurements are too inaccurate. */
const LEAST_MS = 100;

const NAMES = Object.keys(SHAPES);

/** Gives every bad shape to every reader: time must grow about linearly with size. */
export function growing({ directory }: Bench): Try {
  const uses = Object.entries(usesIn(directory));
  return {
    document: (_, { index }) => {
      const name = NAMES[index % NAMES.length] as string;
      const judged = ([use, read]: (typeof uses)[0]): string[] =>
        judgeGrowth(SHAPES[name] as Shape, read).map((text) => `${name}, ${use}: ${text}`);
      return uses.flatMap(judged);
    },
  };
}

type Shape = (size: number) => string;

/** Readers, each with a document that contains the text; their errors are checked in the other rows. */
function usesIn(directory: string): Record<string, (text: string) => unknown> {
  const file = join(directory, "document.json");
  const state = join(directory, "state", "alice.json");
  mkdirSync(join(directory, "state"));
  const states = new StateManager(join(directory, "state"));
  const library = (text: string): string =>
    `{"patterns":[{"id":"a","agent_id":"a","pattern_type":"t","name":"n","context":{"v":${text}}}]}`;
  const from = (path: string, document: string, read: (path: string) => unknown): unknown => {
    writeFileSync(path, document);
    return read(path);
  };
  const stateOf = (text: string): string => `{"user_id":"alice","trust_level":0.5,"v":${text}}`;
  const archived = (text: string): unknown =>
    readingOf("/", { name: "alice.json" as never, kind: "file" }, Buffer.from(text), () => undefined);
  return {
    "a library": (text) => from(file, text, (path) => PatternPersistence.loadFromJson(path)),
    "context of a pattern": (text) => from(file, library(text), (path) => PatternPersistence.loadFromJson(path)),
    "next to the patterns": (text) =>
      from(file, `{"x":${text},"patterns":[]}`, (path) => PatternPersistence.loadFromJson(path)),
    "a state": (text) => from(state, stateOf(text), () => states.loadState("alice")),
    "a state for the archive": (text) => archived(stateOf(text)),
    "an invalid state for the archive": archived,
    "the beginning of a file": (text) => from(file, text, (path) => topLevelValues(headOf(path))),
    "a file to check": (text) => from(file, text, (path) => checkFile(path)),
    "a library to check": (text) => from(file, library(text), (path) => checkFile(path)),
    "a state to check": (text) => from(file, stateOf(text), (path) => checkFile(path)),
    "an expected-failure list": (text) => from(file, text, (path) => readExpectedFailures(path)),
    "a line of a report": (text) => from(file, `${text}\n`, (path) => readReport(path)),
    "an answer": (text) =>
      checkAnswer(`{"seq":1,"type":"ok","value":${text}}`, { seq: 1, type: "call", op: "a", args: {} }),
  };
}

/** Measures again before it reports a fault: the machine may be busy. */
export function judgeGrowth(shape: Shape, read: (text: string) => unknown): string[] {
  const [small, large] = [shape(SMALL), shape(SMALL * TIMES)];
  for (let tries = 0; ; tries += 1) {
    const [first, second] = [timeOf(read, small), timeOf(read, large)];
    if (second < LEAST_MS || second < first * MOST) return [];
    if (tries === 2)
      return [`${TIMES} times the size takes ${(second / first).toFixed(0)} times as long, ${second.toFixed(0)} ms`];
  }
}

/** Processor time in milliseconds. */
function timeOf(read: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch {
    // Only the time matters, not the outcome.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
