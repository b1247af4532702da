import { spawn } from "node:child_process";
import { ADAPTER_TIME_ZONE } from "../matching/timestamp.ts";
import type { AdapterSource } from "./channel.ts";
import { splitCommand } from "./command_line.ts";
import { StdioChannel } from "./stdio_channel.ts";

/**
 * An adapter that is a program: JSON Lines on its standard input and output.
 * @param command program and arguments, quoted as in a shell; no shell is involved.
 * @throws {Error} when the command is empty or a quote is left open.
 * @example
 * ```ts
 * import { commandAdapter } from "@perdura/conformance";
 *
 * const adapter = commandAdapter('python3 "my adapter.py" 16');
 * console.log(adapter.transport); // stdio
 * ```
 */
export function commandAdapter(command: string): AdapterSource {
  const [program, ...args] = splitCommand(command);
  if (program === undefined) throw new Error("the adapter command is empty");
  const env = { ...process.env, TZ: ADAPTER_TIME_ZONE };
  return {
    name: command,
    transport: "stdio",
    option: `--adapter ${JSON.stringify(command)}`,
    connect: () =>
      Promise.resolve(new StdioChannel(spawn(program, args, { stdio: "pipe", windowsHide: true, env }), program)),
  };
}
