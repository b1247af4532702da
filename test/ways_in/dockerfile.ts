import { readFileSync } from "node:fs";

/** One instruction, with its continuation lines. */
export interface Instruction {
  name: string;
  /** Text after the name, without options such as `--mount`. */
  text: string;
}

/** The instructions of a Dockerfile, for the part of the language that ours use. */
export function readDockerfile(path: string): Instruction[] {
  return parseDockerfile(readFileSync(path, "utf8"));
}

export function parseDockerfile(content: string): Instruction[] {
  const lines = content
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name, text] = /^([A-Z]+) +((?:.|\n)+)$/.exec(line) ?? [];
    if (name === undefined || text === undefined) throw new Error(`expected an instruction, got ${line}`);
    return { name, text: name === "RUN" ? text.replaceAll(/^(?:--\S+ +)+/g, "") : text };
  });
}

/** The values of `ARG NAME=value`. */
export function defaults(instructions: readonly Instruction[]): Record<string, string> {
  const args = instructions.filter(({ name }) => name === "ARG").map(({ text }) => text.split(/=(.*)/s, 2));
  return Object.fromEntries(args) as Record<string, string>;
}
