import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { implementationAdapter, loadAdapter } from "../src/implementations.ts";
import { runMatrix } from "../src/matrix/run_matrix.ts";
import { matrixText } from "../src/matrix/show_matrix.ts";
import { inProcessAdapter } from "../src/protocol/in_process.ts";
import type { AdapterSource } from "../src/protocol/channel.ts";
import { fakeAdapter } from "./fake_adapter.ts";

const [fifteen, sixteen] = [implementationAdapter("perdura-15"), implementationAdapter("perdura-16")];
const NAMES = ["v15", "v16"].map((folder) => {
  const manifest = readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), "utf8");
  return `perdura ${(JSON.parse(manifest) as { version: string }).version} (TypeScript)`;
});

/** perdura 16 with a changed answer to one operation. */
const spoilt = (op: string, spoil: (value: never) => unknown): AdapterSource =>
  inProcessAdapter("spoilt", async () => {
    const inner = await loadAdapter("perdura-16");
    return {
      async handle(request) {
        const answer = await inner.handle(request);
        if (request.type !== "call" || request.op !== op || !("value" in answer)) return answer;
        return { ...answer, value: spoil(answer.value as never) as never };
      },
    };
  });

describe("a matrix", () => {
  it("of both lines passes, the metrics of 15 through the migrator", async () => {
    const result = await runMatrix([fifteen, sixteen], PATIENCE_MS);
    expect(result.exit_code).toBe(0);
    expect(result.members.map(({ name }) => name)).toEqual(NAMES);
    expect(result.cells.filter(({ artifact }) => artifact === "metrics.db")).toEqual([
      { artifact: "metrics.db", producer: NAMES[0], migrator: null, consumer: NAMES[0], verdict: "pass", reason: "" },
      {
        artifact: "metrics.db",
        producer: NAMES[0],
        migrator: NAMES[1],
        consumer: NAMES[1],
        verdict: "pass",
        reason: "",
      },
      expect.objectContaining({ producer: NAMES[1], consumer: NAMES[0], verdict: "inapplicable" }),
      { artifact: "metrics.db", producer: NAMES[1], migrator: null, consumer: NAMES[1], verdict: "pass", reason: "" },
    ]);
    expect(matrixText(result)).toContain("12 of 12 exchanges passed; 4 not applicable");
  });

  it.each([
    [
      "load_from_json",
      (library: { patterns: object[] }) => ({ ...library, patterns: library.patterns.slice(1) }),
      "library.json",
    ],
    ["load_from_sqlite", (library: { patterns: object[] }) => ({ ...library, patterns: [] }), "library.db"],
    ["get_user_stats", (stats: object) => ({ ...stats, success_rate: 0.1 }), "metrics.db"],
    ["get_all_users", () => [], "metrics.db"],
  ])("finds what %s reads wrongly, and names both sides", async (op, spoil, artifact) => {
    const result = await runMatrix([sixteen, spoilt(op, spoil as never)], PATIENCE_MS);
    const bad = result.cells.filter(({ verdict }) => verdict === "fail");
    expect(result.exit_code).toBe(4);
    expect(new Set(bad.map((cell) => cell.artifact))).toEqual(new Set([artifact]));
    expect(bad.map((cell) => cell.producer)).toEqual([NAMES[1], `${NAMES[1]} #2`]);
    expect(bad.every((cell) => cell.consumer === `${NAMES[1]} #2` && cell.reason.includes(op))).toBe(true);
    expect(matrixText(result)).toContain(`- FAIL ${artifact}: ${NAMES[1]} -> ${NAMES[1]} #2: `);
  });

  it("continues after a crash, and skips undeclared capabilities", async () => {
    const result = await runMatrix([fakeAdapter("crash in a call"), sixteen], PATIENCE_MS);
    const cell = (artifact: string, producer: string, consumer: string) =>
      result.cells.find(
        (one) => one.artifact === artifact && one.producer.startsWith(producer) && one.consumer.startsWith(consumer),
      );
    expect(cell("library.json", "fake", "fake")?.verdict).toBe("crash");
    expect(cell("library.json", "perdura", "fake")?.verdict).toBe("crash");
    expect(cell("library.json", "fake", "perdura")?.verdict).toBe("pass");
    expect(cell("library.db", "fake", "perdura")).toMatchObject({ verdict: "unsupported" });
    expect(cell("library.db", "perdura", "perdura")?.verdict).toBe("pass");
  });

  it("of implementations without a common capability is not a success", async () => {
    const nothing = inProcessAdapter("nothing", async () => {
      const inner = await loadAdapter("perdura-16");
      return {
        async handle(request) {
          const answer = await inner.handle(request);
          return "capabilities" in answer ? { ...answer, capabilities: [] } : answer;
        },
      };
    });
    expect((await runMatrix([nothing], PATIENCE_MS)).exit_code).toBe(1);
  });
});
