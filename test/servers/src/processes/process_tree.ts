import { spawnSync } from "node:child_process";
import { allProcesses } from "./process_list.ts";
import { until } from "./until.ts";

/** A process and all its descendants that still run; the process itself is first. */
export function treeOf(root: number): number[] {
  const running = allProcesses().filter(({ zombie }) => !zombie);
  const tree = running.some(({ pid }) => pid === root) ? [root] : [];
  for (const ancestor of tree) tree.push(...running.filter(({ parent }) => parent === ancestor).map(({ pid }) => pid));
  return tree;
}

/**
 * Kills a process and all its descendants without letting any of them react, as in a power cut.
 *
 * @returns The killed processes; they end a moment later.
 */
export function killTree(root: number): number[] {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/F", "/T", "/PID", `${root}`], { stdio: "ignore" });
    return [root];
  }
  // Stopped first, so that it can neither start another child nor ask its children to end.
  signal(root, "SIGSTOP");
  const tree = treeOf(root);
  for (const pid of tree) signal(pid, "SIGKILL");
  return tree;
}

/** Sends a signal; ignores processes that have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Waits until all processes have ended. */
export async function untilGone(pids: readonly number[], seconds?: number): Promise<void> {
  await until(`the end of the processes ${pids.join(", ")}`, () => !pids.some(runs), seconds);
}

/** True if a process runs; a zombie does not. */
export function runs(pid: number): boolean {
  if (process.platform !== "win32") return allProcesses().some((entry) => entry.pid === pid && !entry.zombie);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
