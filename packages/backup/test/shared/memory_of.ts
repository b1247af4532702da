import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { once } from "node:events";

const PROGRAM = fileURLToPath(new URL("../programs/there_and_back.ts", import.meta.url));

/** Backs a library of 200 MB up and restores it, in a process of its own. */
export async function memoryOf(address: string, folder: string): Promise<{ beside: number; equal: boolean }> {
  const path = join(folder, "large.json");
  if (!existsSync(path)) writeLarge(path);
  const words = ["--conditions=@perdura/source", "--disable-warning=ExperimentalWarning", PROGRAM, address, path];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the program ended with ${code}: ${said}`);
  if (process.env["PERDURA_TELL"] !== undefined) console.error(address, said);
  return JSON.parse(said) as { beside: number; equal: boolean };
}

/** 200 MB in 100,000 patterns. */
function writeLarge(path: string): void {
  const descriptor = openSync(path, "w");
  const code = "x".repeat(1800);
  writeSync(descriptor, '{"patterns": [');
  for (let first = 0; first < 100_000; first += 1000) {
    const some = Array.from({ length: 1000 }, (_, index) =>
      JSON.stringify({ id: `p${first + index}`, agent_id: "a", pattern_type: "t", name: "n", code, confidence: 0.5 }),
    );
    writeSync(descriptor, `${first === 0 ? "" : ","}${some.join(",")}`);
  }
  writeSync(descriptor, '], "metadata": {"version": "1.0"}}');
  closeSync(descriptor);
}
