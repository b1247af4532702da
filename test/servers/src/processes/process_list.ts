import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** One process of this machine. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Ended, and only kept until its parent asks how. */
  zombie: boolean;
}

/** All processes of this machine. On Windows nothing here needs them: `taskkill` knows the children by itself. */
export function allProcesses(): ProcessEntry[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** Not by `ps`, which a small container does not have. */
function fromProc(): ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = statOf(name);
    // The name of the program stands in parentheses and may itself hold some.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" ? [] : [{ pid: Number(name), parent: Number(parent), zombie: state === "Z" || state === "X" }];
  });
}

/** Empty for a process that ended meanwhile. */
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
