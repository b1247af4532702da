import { spawnSync } from "node:child_process";
import { allProcesses } from "./process_list.ts";
import { until } from "./until.ts";

/** A process and all that descend from it, as far as they still run; the process itself comes first. */
export function treeOf(root: number): number[] {
  const running = allProcesses().filter(({ zombie }) => !zombie);
  const tree = running.some(({ pid }) => pid === root) ? [root] : [];
  for (const ancestor of tree) tree.push(...running.filter(({ parent }) => parent === ancestor).map(({ pid }) => pid));
  return tree;
}

/**
 * Kills a process and all that descend from it without letting any of them do a thing, as when the power goes.
 *
 * @returns The processes that were killed; they are gone a moment later.
 */
export function killTree(root: number): number[] {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/F", "/T", "/PID", `${root}`], { stdio: "ignore" });
    return [root];
  }
  // Stopped first, so that it can neither start another child nor tell those that it has to end in an orderly way.
  signal(root, "SIGSTOP");
  const tree = treeOf(root);
  for (const pid of tree) signal(pid, "SIGKILL");
  return tree;
}

/** Sends a signal; to a process that is gone it does nothing. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Waits until none of the processes runs any more. */
export async function untilGone(pids: readonly number[], seconds?: number): Promise<void> {
  await until(`the end of the processes ${pids.join(", ")}`, () => !pids.some(runs), seconds);
}

/** Whether a process runs; one that ended and waits for its parent does not. */
export function runs(pid: number): boolean {
  if (process.platform !== "win32") return allProcesses().some((entry) => entry.pid === pid && !entry.zombie);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
