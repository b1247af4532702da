/**
 * Runs next to a process that holds servers, which reports them through a pipe; started by `watchdog.ts`. When the pipe
 * breaks, that process has ended: the resources that it still held are ended and removed.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { signal, treeOf, untilGone } from "./process_tree.ts";
import type { Order } from "./watchdog.ts";

/** Seconds that a server has to shut down. */
const PATIENCE = 5;

const processes = new Set<number>();
const directories = new Set<string>();

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  const held = "hold" in order ? order.hold : order.release;
  if ("process" in held) keep(processes, held.process, "hold" in order);
  else keep(directories, held.directory, "hold" in order);
}
await Promise.all([...processes].map(endProcess));
for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 20 });

function keep<T>(all: Set<T>, one: T, held: boolean): void {
  if (held) all.add(one);
  else all.delete(one);
}

/** Asks it first, because a server that shuts down frees its shared memory. */
async function endProcess(root: number): Promise<void> {
  const tree = process.platform === "win32" ? [root] : treeOf(root);
  signal(root, "SIGQUIT");
  try {
    await untilGone(tree, PATIENCE);
  } catch {
    for (const pid of new Set([...tree, ...treeOf(root)])) signal(pid, "SIGKILL");
    await untilGone(tree);
  }
}
