import { describe, expect, it } from "vitest";
import { stateManifest } from "../../../../fixtures/lay_out.ts";
import type { StateEntry, StateSet } from "../../../../fixtures/lay_out.ts";
import { brief, checkText } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const filesOf = (set: StateSet): [string, StateEntry][] =>
  stateManifest(set)
    .entries.filter(({ kind, expected }) => kind === "file" && expected.status !== "no_state_file")
    .map((entry) => [entry.name, entry]);
const bytesOf = ({ text, base64 }: StateEntry): Buffer =>
  base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64");

describe("a collaboration state", () => {
  it.each(filesOf("documented"))("documented/%s conforms before 16, and only there", (_name, entry) => {
    expect(checkText(folder, bytesOf(entry))).toMatchObject({
      kind: "state",
      lines: [
        { line: "15", conforms: true },
        { line: "16", conforms: false },
      ],
      findings: [{ concerns: ["16"], requirement: "R-9/state-manager.removed" }],
    });
  });

  it.each(filesOf("field"))("field/%s is recognised as a state of an older program", (_name, entry) => {
    const { kind, findings, conforms } = checkText(folder, bytesOf(entry), { line: "15" });
    expect([kind, conforms]).toEqual(["state", false]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        at: "/total_interactions",
        got: expect.stringContaining("total_interactions instead of interaction_count, ") as string,
        line: 4,
        column: 25,
      }),
    );
  });

  it.each(filesOf("broken").filter(([name]) => name !== "good.json" && name !== "bom.json"))(
    "broken/%s is refused at its place",
    (_name, entry) => {
      const { findings, conforms } = checkText(folder, bytesOf(entry), { line: "15", as: "state" });
      const { pointer = "", line, column } = entry.expected;
      expect(conforms).toBe(false);
      expect(findings).toContainEqual(
        expect.objectContaining({ level: "error", at: pointer, ...(line === undefined ? {} : { line, column }) }),
      );
    },
  );

  const state = {
    user_id: "u",
    trust_level: 0.5,
    current_level: 3,
    interaction_count: 2,
    created_at: "2025-01-01T00:00:00",
  };
  it.each([
    [{ user_id: 5 }, "error R-2.8/user-id /user_id"],
    [{ user_id: "" }, "remark U-text /user_id"],
    [{ trust_level: 1.01 }, "error R-2.8/trust-level /trust_level"],
    [{ trust_level: -0.1 }, "error R-2.8/trust-level /trust_level"],
    [{ current_level: "3" }, "error R-2.8/levels /current_level"],
    [{ target_level: 1.5 }, "error R-2.8/levels /target_level"],
    [{ target_level: 9 }, "remark U-range /target_level"],
    [{ interaction_count: null }, "error R-2.8/counts /interaction_count"],
    [{ success_count: 1e300 }, "remark U-state-corrupt /success_count"],
    [{ created_at: "yesterday" }, "error R-2.8/timestamps /created_at"],
    [{ created_at: "2025-13-01T00:00:00" }, "error R-2.8/timestamps /created_at"],
    [{ last_interaction: "2025-01-01T00:00:00Z" }, "remark U-timestamps /last_interaction"],
    [{ last_interaction: 5 }, "error R-2.8/timestamps /last_interaction"],
    [{ last_interaction: null, more: { kept: true } }, undefined],
  ])("with %j", (change, finding) => {
    expect(brief(checkText(folder, JSON.stringify({ ...state, ...change }), { line: "15" }))).toEqual(
      finding === undefined ? [] : [finding],
    );
  });

  it("must not have a byte order mark or repeated keys", () => {
    const text = JSON.stringify(state).replace("}", ', "current_level": 4}');
    expect(checkText(folder, `\uFEFF${text}`, { line: "15" }).findings).toMatchObject([
      { requirement: "R-2.8/json", at: "", line: 1, column: 1, got: "the file begins with a byte order mark" },
      { requirement: "R-2.8/json", at: "/current_level", line: 1, column: text.indexOf(', "current_level": 4') + 3 },
    ]);
  });
});
