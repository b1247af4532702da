import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** One process of this machine. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Ended, but not yet reaped by its parent. */
  zombie: boolean;
}

/** All processes of this machine. Windows does not need it: `taskkill` finds child processes itself. */
export function allProcesses(): ProcessEntry[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** Without `ps`, which a small container does not have. */
function fromProc(): ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = statOf(name);
    // The name of the program is in parentheses and may itself contain some.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" ? [] : [{ pid: Number(name), parent: Number(parent), zombie: state === "Z" || state === "X" }];
  });
}

/** Empty for a process that has ended since. */
function statOf(name: string): string {
  try {
    return readFileSync(`/proc/${name}/stat`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

function fromPs(): ProcessEntry[] {
  const { stdout, error } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  if (error !== undefined) throw error;
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, state = ""] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), zombie: state.startsWith("Z") };
    });
}
