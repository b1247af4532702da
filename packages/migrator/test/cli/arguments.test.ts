import { describe, expect, test } from "vitest";
import { has, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import { parseArguments } from "@perdura/cli/parse_arguments.js";
import { commandsOf } from "@perdura/cli/program_table.js";
import { type OptionName, OPTIONS, TABLE } from "../../src/cli/table.ts";

const faultOf = (...words: string[]): string => {
  try {
    parseArguments(TABLE, words);
    return "no fault";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("reports wrong usage in one sentence", () => {
  test.each([
    [["plann", "x"], 'Unknown command "plann". Did you mean plan?'],
    [["rollback", "x"], 'Unknown command "rollback". Did you mean down?'],
    [["sideways", "x"], 'Unknown command "sideways".'],
    [["constructor", "x"], 'Unknown command "constructor".'],
    [["__proto__", "x"], 'Unknown command "__proto__".'],
    [["."], "Expected a command first. perdura-migrate plan . shows what would be done."],
    [["--quiet"], "Expected a command: plan, up, verify, status, down, prune, states, copy, sums, forget, compact."],
    [["plan"], "plan needs TARGET: a database, a state directory, or a directory that contains them."],
    [
      ["plan", "postgres://u:secret@h/db"],
      "plan accepts files and directories; only copy, verify and forget accept the address of a server.",
    ],
    [["states"], "states needs ARCHIVE: an archive, for example data/empathy_state.v15.sqlar."],
    [["states", "a", "b"], 'states takes ARCHIVE; unexpected argument: "b".'],
    [["plan", "--bogus", "x"], "Unknown option --bogus."],
    [["down", "--dryrun", "x"], "Unknown option --dryrun. Did you mean --dry-run?"],
    [["up", "--invalid-row", "abort", "x"], "Unknown option --invalid-row. Did you mean --invalid-rows?"],
    [["up", "-x", "x"], "Unknown option -x."],
    [["up", "--fence"], "--fence needs a value: tombstone or none."],
    [["up", "--fence", "--yes", "x"], "--fence needs a value"],
    [["up", "--fence=", "x"], "--fence needs a value"],
    [["up", "--fence", "tombston", "x"], 'expected tombstone or none, got "tombston". Did you mean tombstone?'],
    [
      ["up", "--missing-level", "6", "x"],
      "--missing-level: expected abort, from-state, from-state,N, from-table,NAME, from-table,NAME,N, from-file,PATH, from-file,PATH,N or a level N",
    ],
    [["up", "--missing-level", "from-states", "x"], "Did you mean from-state?"],
    [["up", "--json=yes", "x"], "--json takes no value."],
    [["up", "--fence", "none", "--fence", "tombstone", "x"], "--fence was given twice with different values."],
    [["up", "--no-backup", "--backup-dir", "b", "x"], "--no-backup and --backup-dir cannot be used together."],
    [["up", "--dry-run", "x"], "--dry-run does not apply to up. Use plan to see what up would do"],
    [
      ["plan", "--rehearse", "x"],
      "--rehearse does not apply to plan. plan changes nothing; --rehearse is an option of up.",
    ],
    [["down", "--rehearse", "x"], "--rehearse does not apply to down. Use --dry-run."],
    [["prune", "--rehearse", "x"], "--rehearse does not apply to prune. Use --dry-run."],
    [["down", "--backups", "x"], "--backups does not apply to down. down keeps all backups."],
    [["down", "--extract", "d", "x"], "Use down to restore the directory; --extract is an option of states."],
    [["verify", "--yes", "x"], "--yes does not apply to verify. It applies to up, down, prune and forget."],
    [["plan", "--extract", "d", "x"], "--extract does not apply to plan. It applies to states."],
  ])("%j", (words, sentence) => {
    expect(faultOf(...words)).toContain(sentence);
  });
});

test("each command accepts its own options and refuses others by name", () => {
  for (const command of commandsOf(TABLE))
    for (const name of Object.keys(OPTIONS) as OptionName[]) {
      const { value, choices, expected, commands } = OPTIONS[name];
      const word = value === undefined ? [] : [choices?.[0] ?? expected?.split(/[ ,]/)[0] ?? "dir"];
      const places =
        command === "copy" ? ["x", "y"] : [name === "schema" && commands.includes(command) ? "postgres://h/d" : "x"];
      const required = command === "forget" && !["user", "agent", "orphans"].includes(name) ? ["--user", "u"] : [];
      const fault = faultOf(command, `--${name}`, ...word, ...required, ...places);
      if (commands.includes(command)) expect(fault).toBe("no fault");
      else expect(fault).toContain(`--${name} does not apply to ${command}.`);
    }
});

test("accepts options in any position; all words after -- are targets", () => {
  const given = parseArguments(TABLE, ["--states", "a", "up", "-qy", "x", "--states=b", "--", "--json", "-y"]);
  if (given.kind !== "run") throw new Error(given.kind);
  expect(given.command).toBe("up");
  expect(given.words).toEqual(["x", "--json", "-y"]);
  expect(valuesOf(given, "states")).toEqual(["a", "b"]);
  expect((["yes", "quiet", "json"] as const).map((name) => has(given, name))).toEqual([true, true, false]);
  expect(valueOf(given, "fence")).toBeUndefined();
});

test("prints help even if other words are wrong", () => {
  for (const words of [
    ["up", "--bogus", "--help"],
    ["help", "up"],
    ["-h", "up", "--fence"],
  ])
    expect(parseArguments(TABLE, words)).toEqual({ kind: "help", command: "up" });
});
