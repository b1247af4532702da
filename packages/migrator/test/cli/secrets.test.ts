import { expect, test, vi } from "vitest";
import { main } from "../../src/cli/main.ts";

const ADDRESS = "postgres://alice:hunter2@127.0.0.1:1/agents";

test.each([
  [["plan", "postgres:/alice:hunter2@db/agents"]],
  [["plan", "AccountName=a;AccountKey=hunter2==;EndpointSuffix=x"]],
  [[ADDRESS, "x"]],
  [["plan", ADDRESS]],
  [["verify", ADDRESS, ".", "--json"]],
  [["copy", ADDRESS, ADDRESS]],
])("the password of an address is not repeated, wherever it stands: %j", async (words) => {
  const said: string[] = [];
  // The program waits until its last output is written.
  const listen = (text: unknown, ...more: unknown[]): boolean => {
    const done = more.at(-1);
    if (typeof done === "function") process.nextTick(done as () => void);
    return said.push(String(text)) > 0;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockImplementation(listen));
  try {
    expect(await main(words)).toBe(2);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  expect(said.join("")).toMatch(/^perdura-migrate: /);
  expect(said.join("")).not.toContain("hunter2");
});
