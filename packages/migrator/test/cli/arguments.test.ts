import { describe, expect, test } from "vitest";
import { has, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import { readWords } from "@perdura/cli/read_words.js";
import { commandsOf } from "@perdura/cli/program_table.js";
import { type OptionName, OPTIONS, TABLE } from "../../src/cli/table.ts";

const faultOf = (...words: string[]): string => {
  try {
    readWords(TABLE, words);
    return "no fault";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("wrong usage is answered in one sentence that names what is wrong", () => {
  test.each([
    [["plann", "x"], 'There is no command "plann". Did you mean plan?'],
    [["rollback", "x"], 'There is no command "rollback". Did you mean down?'],
    [["sideways", "x"], 'There is no command "sideways".'],
    [["constructor", "x"], 'There is no command "constructor".'],
    [["__proto__", "x"], 'There is no command "__proto__".'],
    [["."], "A command comes first: perdura-migrate plan . shows what would be done."],
    [["--quiet"], "Which command? There are plan, up, verify, status, down, prune, states, copy."],
    [["plan"], "plan needs TARGET: a database, a state directory, or a directory that holds them."],
    [
      ["plan", "postgres://u:secret@h/db"],
      "plan takes files and directories; only copy and verify take the address of a server.",
    ],
    [["states"], "states needs ARCHIVE: an archive, for example data/empathy_state.v15.sqlar."],
    [["states", "a", "b"], 'states takes ARCHIVE; "b" is one too many.'],
    [["plan", "--bogus", "x"], "There is no option --bogus."],
    [["down", "--dryrun", "x"], "There is no option --dryrun. Did you mean --dry-run?"],
    [["up", "--invalid-row", "abort", "x"], "There is no option --invalid-row. Did you mean --invalid-rows?"],
    [["up", "-x", "x"], "There is no option -x."],
    [["up", "--fence"], "--fence needs a value: tombstone, compat or none."],
    [["up", "--fence", "--yes", "x"], "--fence needs a value"],
    [["up", "--fence=", "x"], "--fence needs a value"],
    [["up", "--fence", "tombston", "x"], 'expected tombstone, compat or none, got "tombston". Did you mean tombstone?'],
    [
      ["up", "--missing-level", "6", "x"],
      "--missing-level: expected abort, from-state, from-state,N, from-table,NAME, from-table,NAME,N or a level N",
    ],
    [["up", "--missing-level", "from-states", "x"], "Did you mean from-state?"],
    [["up", "--json=yes", "x"], "--json takes no value."],
    [["up", "--fence", "none", "--fence", "compat", "x"], "--fence is given twice, with different values."],
    [["up", "--no-backup", "--backup-dir", "b", "x"], "--no-backup and --backup-dir exclude each other."],
    [["up", "--dry-run", "x"], "--dry-run means nothing to up. plan shows what up would do"],
    [["plan", "--rehearse", "x"], "--rehearse means nothing to plan. plan changes nothing anyway; it is for up."],
    [["down", "--rehearse", "x"], "--rehearse means nothing to down. Use --dry-run."],
    [["prune", "--rehearse", "x"], "--rehearse means nothing to prune. Use --dry-run."],
    [["down", "--backups", "x"], "--backups means nothing to down. down leaves the backups where they are."],
    [["down", "--extract", "d", "x"], "down restores the directory; extract is for states ARCHIVE."],
    [["verify", "--yes", "x"], "--yes means nothing to verify. It is for up, down and prune."],
    [["plan", "--extract", "d", "x"], "--extract means nothing to plan. It is for states."],
  ])("%j", (words, sentence) => {
    expect(faultOf(...words)).toContain(sentence);
  });
});

test("every option is refused by name by the commands to which it means nothing, and taken by the others", () => {
  for (const command of commandsOf(TABLE))
    for (const name of Object.keys(OPTIONS) as OptionName[]) {
      const { value, choices, expected, commands } = OPTIONS[name];
      const word = value === undefined ? [] : [choices?.[0] ?? expected?.split(/[ ,]/)[0] ?? "dir"];
      const places =
        command === "copy" ? ["x", "y"] : [command === "verify" && name === "schema" ? "postgres://h/d" : "x"];
      const fault = faultOf(command, `--${name}`, ...word, ...places);
      if (commands.includes(command)) expect(fault).toBe("no fault");
      else expect(fault).toContain(`--${name} means nothing to ${command}.`);
    }
});

test("options may stand anywhere; after -- everything is a target", () => {
  const given = readWords(TABLE, ["--states", "a", "up", "-qy", "x", "--states=b", "--", "--json", "-y"]);
  if (given.kind !== "run") throw new Error(given.kind);
  expect(given.command).toBe("up");
  expect(given.words).toEqual(["x", "--json", "-y"]);
  expect(valuesOf(given, "states")).toEqual(["a", "b"]);
  expect((["yes", "quiet", "json"] as const).map((name) => has(given, name))).toEqual([true, true, false]);
  expect(valueOf(given, "fence")).toBeUndefined();
});

test("help comes first, whatever else is wrong", () => {
  for (const words of [
    ["up", "--bogus", "--help"],
    ["help", "up"],
    ["-h", "up", "--fence"],
  ])
    expect(readWords(TABLE, words)).toEqual({ kind: "help", command: "up" });
});
