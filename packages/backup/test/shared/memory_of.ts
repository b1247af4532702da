import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { builtProgram } from "../cli/program.ts";

const PROGRAM = fileURLToPath(new URL("../programs/there_and_back.ts", import.meta.url));

/**
 * Backs up and restores a library of each size, in one process.
 *
 * @param megabytes Sizes.
 * @returns The peak of memory after each, in MB; not on systems without /proc.
 */
export async function memoryOf(
  address: string,
  folder: string,
  megabytes: readonly number[],
): Promise<{ peaks: number[]; equal: boolean }> {
  const paths = megabytes.map((size) => writeLibrary(join(folder, `large-${size}.json`), size));
  const built = pathToFileURL(join(dirname(builtProgram()), "index.js")).href;
  const child = spawn(process.execPath, [PROGRAM, built, address, ...paths], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close") as Promise<[number | null]>;
  const [said, [code]] = await Promise.all([text(child.stdout), closed]);
  if (code !== 0) throw new Error(`the program ended with ${code}: ${said}`);
  if (process.env["PERDURA_TELL"] !== undefined) console.error(address, said);
  return JSON.parse(said) as { peaks: number[]; equal: boolean };
}

/** A megabyte is 512 patterns. */
function writeLibrary(path: string, megabytes: number): string {
  const pattern = `{"id":"p0000000","agent_id":"a","pattern_type":"t","name":"n","code":"${"x".repeat(1960)}","confidence":0.5}`;
  const megabyte = Buffer.from(`${pattern},`.repeat(512));
  const descriptor = openSync(path, "w");
  writeSync(descriptor, '{"patterns": [');
  for (let first = 0; first < megabytes * 512; first += 512) {
    for (let index = 0; index < 512; index += 1)
      megabyte.write(`${first + index}`.padStart(7, "0"), index * (pattern.length + 1) + '{"id":"p'.length);
    writeSync(descriptor, megabyte);
  }
  // The last comma precedes this pattern.
  writeSync(descriptor, `${pattern.replace("p0000000", "last")}], "metadata": {"version": "1.0"}}`);
  closeSync(descriptor);
  return path;
}
