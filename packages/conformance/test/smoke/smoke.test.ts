import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { runMain } from "../../../../test/run_main.ts";
import { main } from "../../src/cli/main.ts";
import { implementationAdapter } from "../../src/implementations.ts";
import { OPERATIONS } from "../../src/protocol/operations.ts";
import { runSmoke } from "../../src/smoke/run_smoke.ts";
import { SMOKE_CALLS } from "../../src/smoke/smoke_calls.ts";

const ADAPTER = fileURLToPath(new URL("../faulty_adapter.mjs", import.meta.url));

/** Tries the small adapter with one fault. */
function smoke(fault: string, ...words: string[]) {
  const command = [process.execPath, ADAPTER, fault].map((word) => JSON.stringify(word)).join(" ");
  const timeout = String(Math.min(PATIENCE_MS / 1000, 3600));
  return runMain(main, ["smoke", "--adapter", command, "--timeout", timeout, ...words]);
}

test("the list has each operation of the protocol once", () => {
  const all = ["PatternLibrary", ...Object.values(OPERATIONS).flat()];
  expect(SMOKE_CALLS.map(({ op }) => op).toSorted()).toEqual(all.toSorted());
});

test.each(["perdura-15", "perdura-16"] as const)("%s answers ok to each operation that it declares", async (name) => {
  const { lines, fault, passed } = await runSmoke(implementationAdapter(name));
  expect(lines.filter(({ result }) => result !== "ok" && result !== "not declared")).toEqual([]);
  expect(lines).toHaveLength(SMOKE_CALLS.length);
  expect({ fault, passed }).toEqual({ fault: "", passed: true });
});

test("prints a line for each operation; exit code 0", async () => {
  const { code, stdout } = await smoke("none");
  expect(code).toBe(0);
  expect(stdout).toContain(
    "fake 1.0.0, specification 16.0.0\n\nok            PatternLibrary\nnot declared  record_usage\n",
  );
  expect(stdout).toMatch(/\n3 of 3 declared operations answered ok\.\n$/);
});

test.each([
  ["unsupported", "save_to_json is declared, and answered unsupported", '"reason":"not today"'],
  ["tells its zone", "save_to_json answered an error", '"message":"America/New_York"'],
  ["not JSON", "load_from_json got no valid answer", "JSON has no such number"],
  ["crash in a call", "load_from_json got no valid answer", "stderr: "],
  ["keeps a lock", "load_from_sqlite answered an error", '"type":"error"'],
])("explains the first wrong answer: %s", async (fault, problem, received) => {
  const { code, stdout } = await smoke(fault);
  expect(code).toBe(4);
  expect(stdout).toContain(`First problem: ${problem}.\n  received  `);
  expect(stdout).toContain(received);
  expect(stdout).toContain('  expected  {"seq": (that of the request), "type": "ok", "value": …}\n  value     ');
});

test("an adapter that does not start, and one of the other line", async () => {
  expect(await smoke("exits at once")).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/^The adapter failed: crash: hello: .*exit code 3/) as unknown,
  });
  expect(await smoke("none", "--line", "15")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--line 15 was requested, but the adapter implements 16.0.0") as unknown,
  });
});
