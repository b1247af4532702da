import { deepEqual, equal, throws } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { StateManager } from "perdura-15/persistence";

/** Names that Windows reserves, changes, or does not distinguish. */
const NAMES = [
  [
    "alice",
    "Alice",
    "ALICE",
    "../alice",
    "..",
    ".",
    "a/b",
    String.raw`a\b`,
    String.raw`..\outside`,
    String.raw`C:\alice`,
    "a:b",
    "a:b:$DATA",
  ],
  ["CON", "con", "nul", "NUL.txt", "aux", "com1", "LPT9", "COM\u00b9", "CONIN$", "CLOCK$", "desktop.ini"],
  ["a<b>", "a|b", "a?b*", 'a"b', "tab\t", "line\nend", "%41", "trailing.", "trailing ", " leading", "x".repeat(300)],
  ["\u00fc", "u\u0308", "\u00df", "ss", "\u0130", "\u65e5\u672c", "\u{1f600}", "\u{10ffff}"],
].flat();

writeFileSync("outside.json", "kept");
const states = new StateManager("state");
NAMES.forEach((id, index) => states.saveState(id, { user_id: id, trust_level: index / 100 }));
deepEqual(states.listUsers().toSorted(), NAMES.toSorted());
NAMES.forEach((id, index) => equal(states.loadState(id)?.trust_level, index / 100, id));
states.saveState("alice", { user_id: "alice", trust_level: 1 });
deepEqual(
  ["alice", "Alice", "ALICE"].map((id) => states.loadState(id)?.trust_level),
  [1, 0.01, 0.02],
);
for (const id of ["", "nul\0"])
  throws(() => states.saveState(id, { user_id: id, trust_level: 0 }), { name: "ValidationError" });
for (const id of NAMES) equal(states.deleteState(id), true, id);
deepEqual(states.listUsers(), []);
equal(readFileSync("outside.json", "utf8"), "kept");
