import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { violations } from "../src/values/schemas.ts";
import { packageRoot } from "../src/package_root.ts";
import { CAPABILITIES, OPERATIONS } from "../src/protocol/operations.ts";

const page = readFileSync(join(packageRoot(), "docs", "adapter.md"), "utf8");

it("shows a valid conversation", () => {
  const messages = page.split("\n").filter((line) => /^[<>] \{/.test(line));
  expect(messages.length).toBeGreaterThan(10);
  let asked = { seq: -1, type: "" };
  for (const line of messages) {
    const message = JSON.parse(line.slice(2)) as { seq: number; type: string };
    if (line.startsWith(">")) {
      expect(violations("protocol", message, "request"), line).toEqual([]);
      expect(message.seq).toBe(asked.seq + 1);
      asked = message;
    } else {
      const definition = { hello: "answer_to_hello", call: "answer_to_call" }[asked.type] ?? "answer_plain";
      expect(violations("protocol", message, definition), line).toEqual([]);
      expect(message.seq).toBe(asked.seq);
    }
  }
});

it("lists every operation and every capability", () => {
  for (const name of [...Object.values(OPERATIONS).flat(), ...CAPABILITIES]) expect(page).toContain(`\`${name}\``);
});

it.each([
  ["request", { seq: 1, type: "end", more: 1 }],
  ["request", { seq: 1, type: "call", op: "" }],
  ["request", { seq: -1, type: "end" }],
  ["request", { seq: 0, type: "hello", protocol: 2, line: "", sandbox: "/x" }],
  ["answer_to_call", { seq: 1, type: "ok" }],
  ["answer_to_call", { seq: 1, type: "error", kind: "sad", native: "x", message: "" }],
  ["answer_to_call", { seq: 1, type: "ok", value: { $int: "1.5" } }],
  ["answer_to_hello", { seq: 0, type: "ok" }],
  ["answer_plain", { seq: 1, type: "ok", value: null }],
])("%s %j is a breach", (definition, message) => {
  expect(violations("protocol", message, definition)).not.toEqual([]);
});

it("names only requirements and open questions that exist", () => {
  const known = readdirSync(join(packageRoot(), "requirements")).map((name) =>
    readFileSync(join(packageRoot(), "requirements", name), "utf8"),
  );
  const named = [...page.matchAll(/`([RUX]-[\w./-]+)`/g)].map(([, id]) => id);
  expect(named.filter((id) => !known.some((text) => text.includes(`"id": "${id}"`)))).toEqual([]);
});
