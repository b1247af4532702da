import { spawnSync } from "node:child_process";

/** System calls that change what a file system holds. */
const CHANGING = new Set(
  [
    "write writev pwrite64 pwritev pwritev2 sendfile copy_file_range splice fallocate",
    "ftruncate truncate fsync fdatasync sync_file_range msync",
    "rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir mknod mknodat",
    "open openat openat2 creat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat",
    "utime utimes utimensat futimesat setxattr lsetxattr fsetxattr ioctl",
  ].flatMap((calls) => calls.split(" ")),
);

/** System calls that only look, and that an operating system may refuse as well. */
const LOOKING = [
  "read readv pread64 preadv preadv2 stat lstat fstat newfstatat fstatat64 statx statfs fstatfs access faccessat faccessat2",
  "readlink readlinkat getdents getdents64 lseek fcntl flock mmap",
].flatMap((calls) => calls.split(" "));

/** Of calls that can change a file system and mostly do not: what their text shows when they do. */
const CHANGES_ONLY_WITH: Record<string, RegExp> = {
  open: /O_CREAT|O_TRUNC/,
  openat: /O_CREAT|O_TRUNC/,
  openat2: /O_CREAT|O_TRUNC/,
  ioctl: /FICLONE/,
};

/** True where strace is installed and allowed to trace. */
export function canTrace(): boolean {
  return process.platform === "linux" && spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
}

/** What is missing here for tracing, in a sentence. */
export function missingTrace(): string | undefined {
  return canTrace() ? undefined : "It needs Linux, strace, and the right to trace (on Debian: apt-get install strace).";
}

/** One system call of one thread. */
export interface Call {
  thread: number;
  name: string;
  /** From 1, among the calls of that name of that thread: as strace counts. */
  ordinal: number;
  /** As strace shows it, with the paths of descriptors. */
  text: string;
}

/**
 * The words before a command whose calls, and those of its children, are to be written into a log.
 *
 * @param which Those that change the disk, or those that only look as well.
 */
export function listingCalls(log: string, which: "changing" | "all" = "changing"): string[] {
  // `?`: not every kind of processor has each of them.
  const calls = ["execve", ...CHANGING, ...(which === "all" ? LOOKING : [])].map((call) => `?${call}`).join(",");
  return ["strace", "-f", "--seccomp-bpf", "-y", "-s", "0", "-o", log, "-e", `trace=${calls}`];
}

/**
 * The words before a command in which one call of its main thread is not to go as usual. (Neither threads nor children
 * are looked at: strace counts the calls of each by itself.)
 *
 * @param fault As strace names it, for example `signal=KILL` or `error=EIO`. The call is not made then.
 */
export function spoiling(log: string, { name, ordinal }: Pick<Call, "name" | "ordinal">, fault: string): string[] {
  const inject = `inject=${name}:${fault}:when=${ordinal}`;
  return ["strace", "-y", "-s", "0", "-o", log, "-e", `trace=${name}`, "-e", inject];
}

/** True where the call that failed, as it was told to, has nothing to do with something below a directory. */
export function missedBelow(directory: string, log: string): boolean {
  const failed = readCalls(log).find(({ text }) => text.endsWith("(INJECTED)"));
  return failed !== undefined && !touchesBelow(directory, failed);
}

/** Reads a log: the calls in the order in which they began. */
export function readCalls(log: string): Call[] {
  const counts = new Map<string, number>();
  /** By thread, a call that was not over when that of another thread was written. */
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
    // What a child does before it becomes a program belongs to its parent.
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

/** True for a call that has to do with something below a directory. */
export function touchesBelow(directory: string, { name, text }: Pick<Call, "name" | "text">): boolean {
  return name !== "execve" && text.includes(directory);
}

/** True for a call that changes something below a directory. */
export function changesBelow(directory: string, { name, text }: Pick<Call, "name" | "text">): boolean {
  return CHANGING.has(name) && text.includes(directory) && (CHANGES_ONLY_WITH[name]?.test(text) ?? true);
}
