import { afterEach, expect, test, vi } from "vitest";
import { complain, endInterrupted, print } from "../src/program_end.ts";

afterEach(() => void vi.restoreAllMocks());

/** Output to one of the two streams during an action. */
function written(where: "stdout" | "stderr", action: () => void): string {
  const write = vi.spyOn(process[where], "write").mockReturnValue(true);
  action();
  return write.mock.calls.map(([text]) => String(text)).join("");
}

test("complain prints a message with the name of the program, and escapes control characters", () => {
  const said = written("stderr", () =>
    expect(complain("perdura-x", "one\ntwo\u001b[2J", 2)).toEqual({ code: 2, done: "" }),
  );
  expect(said).toBe("perdura-x: one\ntwo\\u001b[2J\n");
});

test("an interruption after the work was done ends with 130 and the result; other ends are unchanged", () => {
  const said = written("stderr", () => {
    expect(endInterrupted("perdura-x", { code: 0, done: "Done." })).toEqual({ code: 130, done: "" });
    for (const end of [
      { code: 130, done: "Interrupted." },
      { code: 2, done: "" },
    ])
      expect(endInterrupted("perdura-x", end)).toBe(end);
  });
  expect(said).toBe("perdura-x: Interrupted after all work was done. Done.\n");
});

test("print ends its line", () => {
  expect(written("stdout", () => expect(print("words")).toEqual({ code: 0, done: "" }))).toBe("words\n");
});
