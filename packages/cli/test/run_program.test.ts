import { expect, test, vi, onTestFinished } from "vitest";
import { runMain } from "../../../test/run_main.ts";
import { runProgram } from "../src/run_program.ts";
import { SAMPLE } from "./sample_program.ts";

const run = (...words: string[]) => runMain((all) => runProgram(SAMPLE, all), words);

test("--version takes precedence over other words", async () => {
  for (const words of [["--version"], ["-V"], ["-V", "bogus"]])
    expect(await run(...words)).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" });
});

test("a result is printed as text, as its summary, or as JSON", async () => {
  const words = ["copy", "at:a", "--to", "x"];
  expect(await run(...words)).toMatchObject({ code: 0, stdout: `${"long ".repeat(30)}\nCopied.\n` });
  expect((await run(...words, "--quiet")).stdout).toBe("Copied.\n");
  expect(JSON.parse((await run(...words, "--json", "-q")).stdout)).toMatchObject({ words: ["at:a"] });
  expect(await run("show", "--json")).toEqual({ code: 4, stdout: '{"a":1}\n{"a":2}\n', stderr: "" });
  expect((await run("show")).stdout).toBe(`first\n${"long ".repeat(30)}plain\n`);
  expect((await run("show", "-q")).stdout).toBe("Shown.\n");
});

test("wraps text unless it is already laid out", async () => {
  const columns = Object.getOwnPropertyDescriptor(process.stdout, "columns");
  onTestFinished(() => {
    if (columns === undefined) Reflect.deleteProperty(process.stdout, "columns");
    else Object.defineProperty(process.stdout, "columns", columns);
  });
  Object.defineProperty(process.stdout, "columns", { value: 40, configurable: true });
  const onTerminal = (...words: string[]) =>
    runMain((all) => {
      process.stdout.isTTY = true;
      return runProgram(SAMPLE, all);
    }, words);
  expect((await onTerminal("show")).stdout.split("\n")).toHaveLength(3);
  expect((await onTerminal("copy", "at:a", "--to", "x")).stdout.split("\n")).toHaveLength(7);
});

test("FORCE_COLOR turns colours on without a terminal; NO_COLOR and --no-color turn them off", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const shown = async (env: Record<string, string | undefined>, ...words: string[]) =>
    (await runMain((all) => runProgram(SAMPLE, all), ["show", ...words], { env })).stdout.trimEnd().split(" ").at(-1);
  expect(await shown({ NO_COLOR: undefined, FORCE_COLOR: "1" })).toBe("colour");
  expect(await shown({ NO_COLOR: undefined, FORCE_COLOR: "0" })).toBe("plain");
  expect(await shown({ NO_COLOR: undefined, FORCE_COLOR: "1" }, "--no-color")).toBe("plain");
  expect(await shown({ NO_COLOR: "1", FORCE_COLOR: "1" })).toBe("plain");
  expect(await shown({ NO_COLOR: undefined, FORCE_COLOR: undefined })).toBe("plain");
});

test.each([
  [["copy", "--bogus"], 2, "perdura-sample: Unknown option --bogus. See perdura-sample copy --help.\n"],
  [["bogus"], 2, 'perdura-sample: Unknown command "bogus". See perdura-sample --help.\n'],
  [["fail", "usage"], 2, "perdura-sample: It is …. See perdura-sample fail --help.\n"],
  [["fail", "decision"], 3, "perdura-sample: Decide first.\n"],
])("%j ends with %i", async (words, code, stderr) => {
  expect(await run(...words)).toEqual({ code, stdout: "", stderr });
});

test("an unexpected error ends with 1 and a stack trace", async () => {
  expect(await run("fail", "otherwise")).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^perdura-sample: Failed: TypeError: a fault\n +at /) as string,
  });
});
