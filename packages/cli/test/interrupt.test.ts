import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hasTerminals, seenInTerminal } from "../../../test/in_terminal.ts";
import { needs } from "../../../test/needs.ts";

const PROGRAM = fileURLToPath(new URL("./programs/interrupted.ts", import.meta.url));
const WORDS = ["--conditions=@perdura/source", "--no-warnings", PROGRAM];

/** Starts the program; calls back with all its output so far whenever there is more. */
async function started(words: string[], heard: (said: string, child: ChildProcess) => void) {
  const child = spawn(process.execPath, [...WORDS, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let [said, complained] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (complained += String(chunk)));
  child.stdout.on("data", (chunk: Buffer) => {
    said += String(chunk);
    heard(said, child);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...how) => resolve(how)),
  );
  return { code, signal, said, complained };
}

test.each(["SIGINT", "SIGTERM"] as const)("%s aborts the work, and removes the handlers", async (name) => {
  const ended = await started([], (said, child) => void (said.endsWith("ready [y/N]\n") && child.kill(name)));
  expect(ended).toEqual({
    code: 0,
    signal: null,
    said: "ready [y/N]\nbefore, asked to stop\nlisteners: 0\n",
    // No terminal is connected.
    complained: "",
  });
});

test("a second signal kills the process at once, even if it is a different one", async () => {
  const { signal, said } = await started(["twice"], (all, child) => {
    if (all.endsWith("ready [y/N]\n")) child.kill("SIGINT");
    if (all.includes("listeners")) child.kill("SIGTERM");
  });
  expect({ signal, said }).toEqual({ signal: "SIGTERM", said: "ready [y/N]\nbefore, asked to stop\nlisteners: 0\n" });
});

test("a signal kills the process after end() was called", async () => {
  const { signal, said } = await started(
    ["ended"],
    (all, child) => void (all.includes("ready") && child.kill("SIGINT")),
  );
  expect({ signal, said }).toEqual({ signal: "SIGINT", said: "listeners: 0\nready [y/N]\n" });
});

test("a terminal shows that the program is stopping", needs("terminal", !hasTerminals), async () => {
  const { code, lines } = await seenInTerminal([process.execPath, ...WORDS], { columns: 80, typed: "\u0003" });
  expect({ code, lines }).toEqual({
    code: 0,
    lines: ["ready [y/N]", "^Cbefore, asked to stop", "Stopping.", "listeners: 0", ""],
  });
});
