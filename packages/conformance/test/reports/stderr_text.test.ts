import { expect, it } from "vitest";
import { KeptOutput } from "../../src/protocol/kept_output.ts";
import { errorLine, stderrLines } from "../../src/results/stderr_text.ts";

const noise = Array.from({ length: 30 }, (_, index) => `debug ${index}`);
const text = (...lines: string[]): string => `${lines.join("\n")}\n`;

it("a long stderr is shown from the first line that names an error, or else its end", () => {
  const shown = stderrLines(text(...noise, "Error: no such file", "    at main", ...noise));
  expect(shown).toHaveLength(8);
  expect(shown.slice(0, 3)).toEqual(["Error: no such file", "    at main", "debug 0"]);
  expect(stderrLines(text(...noise))).toEqual(noise.slice(-8));
  expect(stderrLines(text("one", "two"))).toEqual(["one", "two"]);
  expect([stderrLines(undefined), stderrLines("\n")]).toEqual([[], []]);
});

it("quoted source above an error is not mistaken for it", () => {
  const node = [
    "file:///adapter.mjs:3",
    "  throw new Error(name);",
    "        ^",
    "",
    "Error: lost",
    "    at adapter.mjs:3",
  ];
  expect(errorLine(text(...node))).toBe("Error: lost");
  expect(stderrLines(text(...noise, ...node))[0]).toBe("Error: lost");
});

it("a long traceback is shortened to its end", () => {
  const frames = Array.from({ length: 20 }, (_, index) => `  File "adapter.py", line ${index}`);
  const python = text(...noise, "Traceback (most recent call last):", ...frames, "ValueError: lost", ...noise);
  expect(errorLine(python)).toBe("ValueError: lost");
  const shown = stderrLines(python);
  expect(shown.slice(0, 2)).toEqual(["Traceback (most recent call last):", "  …"]);
  expect([shown.length, shown.at(-1)]).toEqual([8, "ValueError: lost"]);
});

it("summarises stderr in one line: an announcement with its error, or else the last line", () => {
  expect(errorLine(text("thread 'main' panicked at main.rs:2:5:", "lost"))).toBe(
    "thread 'main' panicked at main.rs:2:5: lost",
  );
  expect(errorLine(text("one", "unknown user"))).toBe("unknown user");
  expect(errorLine(`error ${"x".repeat(500)}`)).toHaveLength(401);
  expect(errorLine("")).toBeUndefined();
});

it("keeps the first and the last 4 KiB of stderr", () => {
  const whole = `first: ${"é".repeat(6000)} last`;
  for (const size of [1, 7, 5000, 20_000]) {
    const kept = new KeptOutput();
    const bytes = Buffer.from(whole);
    for (let at = 0; at < bytes.length; at += size) kept.add(bytes.subarray(at, at + size));
    const [head, tail] = kept.text().split("\n…\n") as [string, string];
    // One byte less: both cuts are inside a character.
    expect(Buffer.byteLength(head)).toBe(4095);
    expect(whole.startsWith(head)).toBe(true);
    expect(Buffer.byteLength(tail)).toBe(4095);
    expect(whole.endsWith(tail)).toBe(true);
  }
});

it("keeps 8 KiB unshortened, and prefers output of the last request", () => {
  const kept = new KeptOutput();
  const full = "é".repeat(4096);
  kept.add(Buffer.from(full));
  expect(kept.text()).toBe(full);
  kept.begin();
  expect(kept.text()).toBe(full);
  kept.add(Buffer.from("new"));
  expect(kept.text()).toBe("new");
});
