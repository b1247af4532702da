import { spawnSync } from "node:child_process";

/** Runs a program to its end and gives its output; what it complains about is in the error. */
export function program(name: string, words: readonly string[], { cwd }: { cwd: string }): string {
  const done = spawnSync(name, words, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    shell: process.platform === "win32",
  });
  if (done.status === 0) return done.stdout;
  const said = done.error?.message ?? `${done.stdout}${done.stderr}`.trim();
  throw new Error(
    `${[name, ...words].join(" ")} failed in ${cwd} (${done.signal ?? `exit code ${done.status}`}): ${said}`,
  );
}
