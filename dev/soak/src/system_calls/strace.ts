import { spawnSync } from "node:child_process";

/** System calls that change the content of a file system. */
const CHANGING = new Set(
  [
    "write writev pwrite64 pwritev pwritev2 sendfile copy_file_range splice fallocate",
    "ftruncate truncate fsync fdatasync sync_file_range msync",
    "rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir mknod mknodat",
    "open openat openat2 creat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat",
    "utime utimes utimensat futimesat setxattr lsetxattr fsetxattr ioctl",
  ].flatMap((calls) => calls.split(" ")),
);

/** System calls that only read, and that an operating system may refuse as well. */
const LOOKING = [
  "read readv pread64 preadv preadv2 stat lstat fstat newfstatat fstatat64 statx statfs fstatfs access faccessat faccessat2",
  "readlink readlinkat getdents getdents64 lseek fcntl flock mmap",
].flatMap((calls) => calls.split(" "));

/** Arguments with which calls change a file system that mostly do not. */
const CHANGES_ONLY_WITH: Record<string, RegExp> = {
  open: /O_CREAT|O_TRUNC/,
  openat: /O_CREAT|O_TRUNC/,
  openat2: /O_CREAT|O_TRUNC/,
  ioctl: /FICLONE/,
};

/** True if strace is installed and allowed to trace. */
export function canTrace(): boolean {
  return process.platform === "linux" && spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
}

/** Missing requirement for tracing, in a sentence. */
export function missingTrace(): string | undefined {
  return canTrace()
    ? undefined
    : "It needs Linux, strace, and permission to trace (on Debian: apt-get install strace).";
}

/** One system call of one thread. */
export interface Call {
  thread: number;
  name: string;
  /** From 1, among the calls of that name of that thread, as strace counts them. */
  ordinal: number;
  /** Text by strace, with the paths of descriptors. */
  text: string;
}

/**
 * Words in front of a command that log its calls and those of its children.
 *
 * @param which Calls that change the disk, or also those that only read.
 */
export function listingCalls(log: string, which: "changing" | "all" = "changing"): string[] {
  // `?`: not every processor architecture has each of them.
  const calls = ["execve", ...CHANGING, ...(which === "all" ? LOOKING : [])].map((call) => `?${call}`).join(",");
  return ["strace", "-f", "--seccomp-bpf", "-y", "-s", "0", "-o", log, "-e", `trace=${calls}`];
}

/**
 * Words in front of a command that inject a fault into one call of its main thread. (Threads and children are not
 * traced: strace counts the calls of each separately.)
 *
 * @param fault In strace's notation, for example `signal=KILL` or `error=EIO`. The call is then not made.
 */
export function spoiling(log: string, { name, ordinal }: Pick<Call, "name" | "ordinal">, fault: string): string[] {
  const inject = `inject=${name}:${fault}:when=${ordinal}`;
  return ["strace", "-y", "-s", "0", "-o", log, "-e", `trace=${name}`, "-e", inject];
}

/** True if the call with the injected error does not concern a file below the directory. */
export function failedElsewhere(directory: string, log: string): boolean {
  const failed = readCalls(log).find(({ text }) => text.endsWith("(INJECTED)"));
  return failed !== undefined && !touchesBelow(directory, failed);
}

/** Reads a log: the calls in the order of their beginnings. */
export function readCalls(log: string): Call[] {
  const counts = new Map<string, number>();
  /** Calls, by thread, that were interrupted in the log by another thread. */
  const unfinished = new Map<number, Call>();
  return log.split("\n").flatMap((line) => {
    const [, of, rest] = /^(?:(\d+) +)?<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    if (rest !== undefined) {
      const began = unfinished.get(Number(of ?? 0));
      if (began !== undefined) began.text = began.text.replace(UNFINISHED, "") + rest;
      return [];
    }
    const match = /^(?:(\d+) +)?([a-z]\w*)\((.*)$/.exec(line);
    if (match === null) return [];
    const [thread, name, text] = [Number(match[1] ?? 0), match[2] as string, match[3] as string];
    // Calls of a child before its execve do not count for its program.
    if (name === "execve")
      for (const key of [...counts.keys()].filter((each) => each.startsWith(`${thread} `))) counts.delete(key);
    const ordinal = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, ordinal);
    const call = { thread, name, ordinal, text };
    if (UNFINISHED.test(text)) unfinished.set(thread, call);
    return [call];
  });
}

const UNFINISHED = / ?<unfinished \.\.\.>$/;

/** True for a call that concerns a file below a directory. */
export function touchesBelow(directory: string, { name, text }: Pick<Call, "name" | "text">): boolean {
  return name !== "execve" && text.includes(directory);
}

/** True for a call that changes something below a directory. */
export function changesBelow(directory: string, { name, text }: Pick<Call, "name" | "text">): boolean {
  return CHANGING.has(name) && text.includes(directory) && (CHANGES_ONLY_WITH[name]?.test(text) ?? true);
}
