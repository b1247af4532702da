import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { programWords } from "../../../../test/programs.ts";

/** Documents for one worker: those with the numbers `from` to `to`, without the last. */
export interface Job {
  row: string;
  seed: number;
  from: number;
  to: number;
  /** A directory for this job only. */
  place: string;
}

/** Message of a worker: a fault of a document, or at the end its peak memory. */
export type Found = { index: number; text: string } | { rss: number };

/** Outcome of a job. */
export interface Outcome {
  wrong: { index: number; text: string }[];
  /** Number of documents that were tried. */
  tried: number;
  /** Bytes. */
  rss: number;
}

/** Heap of a worker, in MiB. */
const HEAP = 512;

/**
 * Runs a job in its own process. If the process hangs or ends, the current document is blamed and another process
 * continues after it.
 */
export async function contained(job: Job, program: URL = WORKER, longestMs: number = PATIENCE_MS): Promise<Outcome> {
  const outcome: Outcome = { wrong: [], tried: 0, rss: 0 };
  let { from } = job;
  while (from < job.to) {
    const { end, at, complaint } = await runOnce({ ...job, from }, program, longestMs);
    const lines = existsSync(join(job.place, "found"))
      ? readFileSync(join(job.place, "found"), "utf8").split("\n")
      : [];
    for (const line of lines.filter((text) => text !== "")) {
      const found = JSON.parse(line) as Found;
      if ("rss" in found) outcome.rss = Math.max(outcome.rss, found.rss);
      else outcome.wrong.push(found);
    }
    if (end === "done") break;
    outcome.wrong.push({ index: at, text: complaint });
    from = at + 1;
  }
  outcome.tried = job.to - job.from;
  rmSync(job.place, { recursive: true, force: true });
  return outcome;
}

const WORKER = new URL("worker.ts", import.meta.url);

/** Compile cache of the sources, which hundreds of processes share. */
const COMPILED = fileURLToPath(new URL("../../../../node_modules/.cache/compiled", import.meta.url));

async function runOnce(
  job: Job,
  program: URL,
  longestMs: number,
): Promise<{ end: "done" | "broken"; at: number; complaint: string }> {
  rmSync(job.place, { recursive: true, force: true });
  mkdirSync(job.place, { recursive: true });
  const words = [`--max-old-space-size=${HEAP}`, ...programWords(program), JSON.stringify(job)];
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-3000)));
  const progress = join(job.place, "progress");
  let hung = false;
  const watch = setInterval(() => {
    const changed = existsSync(progress) ? statSync(progress).mtimeMs : Number.POSITIVE_INFINITY;
    if (Date.now() - changed > longestMs) hung = child.kill("SIGKILL");
  }, 500);
  const code = await new Promise<string>((resolve) => {
    child.on("close", (status, signal) => resolve(signal ?? String(status)));
  });
  clearInterval(watch);
  const reached = existsSync(progress) ? readFileSync(progress, "utf8").trim() : "";
  if (reached === "done" && code === "0") return { end: "done", at: job.to, complaint: "" };
  const at = /^\d+$/.test(reached) ? Number(reached) : job.from;
  const what = hung
    ? `a hang: no end within ${longestMs / 1000} s`
    : `the process ended (${code}): ${said.slice(0, 900)}`;
  return { end: "broken", at: reached === "done" ? job.to : at, complaint: what };
}
