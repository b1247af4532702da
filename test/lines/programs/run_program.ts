import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { createInterface } from "node:readline";
import { programWords } from "../../programs.ts";

/** Starts one of the programs of this folder in a separate process, from the sources. */
export function start(program: string, ...words: string[]): ChildProcess {
  return spawn(process.execPath, [...programWords(new URL(program, import.meta.url)), ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a program to its end and returns its output. */
export async function output(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => said.push(chunk));
  await finished(child);
  return said.join("").trimEnd();
}

/** Waits for a program to end; throws its stderr if it failed. */
export async function finished(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => said.push(chunk));
  child.stdout?.resume();
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) throw new Error(`The program ended with ${code ?? signal}: ${said.join("")}`);
}

/** Kills a program with SIGKILL once it has printed `lines` lines, and returns the last complete line of its output. */
export async function killAfter(child: ChildProcess, lines: number): Promise<string> {
  const said: string[] = [];
  const closed = once(child, "close");
  const errors: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => errors.push(chunk));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    said.push(line);
    if (said.length === lines) child.kill("SIGKILL");
  }
  const [, signal] = (await closed) as [number | null, string | null];
  if (signal !== "SIGKILL") throw new Error(`The program ended before it was killed: ${errors.join("")}`);
  return said.at(-1) as string;
}

/** Kills a program with SIGKILL as soon as anything appears in a directory. */
export async function killAtFirstFile(child: ChildProcess, directory: string): Promise<void> {
  const closed = once(child, "close");
  const watcher = watch(directory, () => child.kill("SIGKILL"));
  child.stdout?.resume();
  await closed;
  watcher.close();
}
