import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "../../../../test/patience.ts";

const PROGRAM = fileURLToPath(new URL("write.ts", import.meta.url));
const FROM_SOURCE = ["--conditions=@perdura/source", "--disable-warning=ExperimentalWarning"];

/** A message of a process, with its time. */
interface Word {
  row: string;
  at: bigint;
  text: string;
}

/** Processes that write until the power is cut. */
export class Crew {
  readonly #children: ChildProcess[] = [];
  readonly #done: Word[] = [];
  readonly #failed: Word[] = [];

  /** Starts a process, which prepares its writers and waits. */
  call(seed: number, rows: readonly string[], place: string): void {
    const child = spawn(process.execPath, [...FROM_SOURCE, PROGRAM, String(seed), ...rows], {
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, NODE_COMPILE_CACHE: join(place, "compiled") },
    });
    this.#children.push(child);
    // A process that has ended reads nothing.
    child.stdin.on("error", () => undefined);
  }

  /** Lets all of them write, and waits until each has begun. */
  async begin(directory: string): Promise<void> {
    await Promise.all(this.#children.map((child) => this.#begin(child, directory)));
  }

  #begin(child: ChildProcess, directory: string): Promise<void> {
    let [text, errors] = ["", ""];
    child.stderr?.on("data", (data: Buffer) => (errors += data.toString()));
    child.stdin?.write(`${directory}\n`);
    return new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`nothing was written: ${text}${errors}`)), PATIENCE_MS);
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`ended before the power cut: ${text}${errors}`)));
      child.stdout?.on("data", (data: Buffer) => {
        const lines = (text + data.toString()).split("\n");
        text = lines.pop() as string;
        for (const line of lines) this.#hear(line);
        if (!lines.includes("ready")) return;
        clearTimeout(late);
        resolve();
      });
    });
  }

  /** `done NANOSECONDS ROW`, or `failed NANOSECONDS {"row": …, "text": …}` */
  #hear(line: string): void {
    const [what, at = "", ...rest] = line.split(" ");
    if (what === "done") this.#done.push({ row: rest.join(" "), at: BigInt(at), text: "" });
    if (what === "failed") this.#failed.push({ ...JSON.parse(rest.join(" ")), at: BigInt(at) });
  }

  /** Kills them as if the power had failed for them as well; earlier messages are still read. */
  async die(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
        const closed = once(child, "close");
        child.stdout?.resume();
        process.kill(-child.pid, "SIGKILL");
        await closed;
      }),
    );
  }

  /** Number of a row's writes that were acknowledged before a moment; without one, in total. */
  acknowledged(row: string, before?: bigint): number {
    return this.#done.filter((word) => word.row === row && (before === undefined || word.at < before)).length;
  }

  /** Failures of a row before a moment; there should be none. */
  failures(row: string, before: bigint): string[] {
    return this.#failed.filter((word) => word.row === row && word.at < before).map(({ text }) => text);
  }
}
