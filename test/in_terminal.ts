import { spawn, spawnSync } from "node:child_process";
import { PATIENCE_MS } from "./patience.ts";

/** Outcome of a program in a terminal. */
export interface Seen {
  code: number | null;
  /** All bytes of the output. */
  bytes: string;
  /** The lines that remain at the end, without colours and without overwritten or erased text. */
  lines: string[];
}

/** Keys that are pressed once a text appears. */
export interface Keys {
  /** Matches the output since the previous keys, without escape sequences. */
  after: RegExp;
  keys: string;
}

/** True if `script`, which runs a program in a pseudo terminal, has the options that are used here. */
export const hasTerminals: boolean =
  process.platform === "linux" && spawnSync("script", ["-qec", "true", "/dev/null"], { input: "" }).status === 0;

/** Runs a command in a pseudo terminal of this width; `typed` is the user's input, as a text at [y/N]. */
export async function seenInTerminal(
  command: readonly string[],
  {
    columns,
    typed = "",
    environment = {},
  }: { columns: number; typed?: string | readonly Keys[]; environment?: Record<string, string> },
): Promise<Seen> {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  // Without `exec`, a shell such as dash stays in the foreground, and Ctrl-C ends it, too. `script` uses the shell of
  // SHELL: the same one everywhere.
  const child = spawn("script", ["-qec", `stty cols ${columns} rows 40; exec ${quoted}`, "/dev/null"], {
    env: { ...withoutColours(), SHELL: "/bin/sh", TERM: "xterm-256color", ...environment },
    timeout: PATIENCE_MS,
  });
  const left = typeof typed === "string" ? [{ after: /\[y\/N\]/, keys: typed }] : [...typed];
  let bytes = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    bytes += text;
    if (left[0]?.after.test(bytes.slice(seen).replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, "")) !== true) return;
    seen = bytes.length;
    child.stdin.write((left.shift() as Keys).keys);
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, bytes, lines: lastDrawn(bytes) };
}

/** The tests themselves may run with colours disabled. */
function withoutColours(): NodeJS.ProcessEnv {
  const { NO_COLOR: _one, FORCE_COLOR: _other, ...rest } = process.env;
  return rest;
}

/** Lines end in `\r\n`; a line that was started again after `\r` and cleared counts as it was drawn last. */
function lastDrawn(bytes: string): string[] {
  return bytes
    .replaceAll("\r\n", "\n")
    .replaceAll(/\u001b\[\d*m/g, "")
    .split("\n")
    .map((line) => line.split("\r\u001b[2K").at(-1) as string);
}
