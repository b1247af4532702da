import { describe, expect, test } from "vitest";
import { assertApplicable, assertGivenOnce } from "../src/check_options.ts";
import { type Given, has, type OptionTable, optionText, valueOf, valuesOf } from "../src/option_table.ts";
import { UsageError } from "../src/usage_error.ts";

type Command = "up" | "down" | "list";
type Name = "fence" | "states" | "quiet" | "to";

const TABLE: OptionTable<Command, Name> = {
  fence: {
    value: "WAY",
    pattern: /^(?:tombstone|none|no)$/,
    expected: "tombstone, none or no",
    commands: ["up"],
    help: "what is left",
  },
  states: { value: "DIR", repeatable: true, commands: ["up", "down"], help: "where states are" },
  quiet: { short: "q", commands: ["up", "down", "list"], help: "says nothing" },
  to: { short: "t", value: "FILE", expected: "a file", commands: ["list"], help: "where it goes" },
};

const given = (...all: [name: Name, value?: string][]): Given<Name>[] => all.map(([name, value]) => ({ name, value }));

test("has, valueOf and valuesOf find options by their names", () => {
  const from = { given: given(["states", "a"], ["states", "b"], ["quiet"], ["to", "x"]) };
  expect([has(from, "quiet"), has(from, "fence")]).toEqual([true, false]);
  expect([valueOf(from, "states"), valueOf(from, "to"), valueOf(from, "quiet"), valueOf(from, "fence")]).toEqual([
    "b",
    "x",
    undefined,
    undefined,
  ]);
  expect([valuesOf(from, "states"), valuesOf(from, "quiet"), valuesOf(from, "fence")]).toEqual([["a", "b"], [], []]);
  expect([optionText("quiet", TABLE.quiet), optionText("to", TABLE.to)]).toEqual(["--quiet", "--to FILE"]);
});

describe("refuses options", () => {
  test("that the command does not have", () => {
    assertApplicable("fence", "up", TABLE);
    assertApplicable("states", "down", TABLE);
    expect(() => assertApplicable("fence", "down", TABLE)).toThrow(
      new UsageError("--fence does not apply to down. It applies to up."),
    );
    expect(() => assertApplicable("states", "list", TABLE)).toThrow(
      new UsageError("--states does not apply to list. It applies to up and down."),
    );
    const three: OptionTable<Command | "x", "all"> = { all: { commands: ["up", "down", "list"], help: "" } };
    expect(() => assertApplicable("all", "x", three)).toThrow("It applies to up, down and list.");
  });

  test("with the alternative if there is one", () => {
    const instead: Partial<Record<Name, Partial<Record<Command, string>>>> = { fence: { down: "Use up." } };
    expect(() => assertApplicable("fence", "down", TABLE, instead)).toThrow(
      new UsageError("--fence does not apply to down. Use up."),
    );
    expect(() => assertApplicable("fence", "list", TABLE, instead)).toThrow("It applies to up.");
    expect(() => assertApplicable("to", "up", TABLE, instead)).toThrow("It applies to list.");
  });

  test("given twice with different values, unless they are repeatable", () => {
    assertGivenOnce(
      given(["states", "a"], ["states", "b"], ["fence", "none"], ["fence", "none"], ["quiet"], ["quiet"]),
      TABLE,
    );
    expect(() => assertGivenOnce(given(["to", "x"], ["fence", "none"], ["fence", "no"]), TABLE)).toThrow(
      new UsageError("--fence was given twice with different values."),
    );
  });
});
