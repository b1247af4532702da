/** A way to say something that readers have to guess at, and what to write instead. */
export interface Phrase {
  /** Matched without regard to case. */
  readonly pattern: RegExp;
  readonly instead: string;
}

const phrase = (pattern: string, instead: string): Phrase => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, "gi"),
  instead,
});

/** Phrases that no text of the project contains; see the glossary in CONTRIBUTING.md for the terms. */
export const PHRASES: readonly Phrase[] = [
  phrase("who(?:so)?ever", "name it: the caller, the process, another writer"),
  phrase(
    "nobody|somebody|anybody|everybody|nobody's|somebody's",
    "name it: the caller, no process, another writer, all users",
  ),
  phrase(
    "(?:is|are|was|were) (?:of )?none|which is none|what is none|none of (?:its|their|his) concern",
    "“is not a …”, “has no …”",
  ),
  phrase("anew", "again"),
  phrase("mend(?:s|ed|ing)?", "fix, repair, restore"),
  phrase("(?:bring|bringing|brings|brought) (?:it |them |\\w+ )?back", "restore, downgrade"),
  phrase("stand(?:s|ing)? beside|stood beside|beside", "next to, in addition to, besides"),
  phrase("told of|tells? of|telling of", "reported, reports"),
  phrase("as (?:it|they) (?:was|were)(?= *(?:[.,;:)]|$|before|and|when))", "unchanged"),
  phrase("(?:is|are|was|were) what (?:it|they) (?:is|are|was|were)", "unchanged, equal"),
  phrase("of before 16|from before 16", "pre-16"),
  phrase("the line before 16|before 16 and 16|lines? before 16", "the pre-16 line"),
  phrase("says? so (?:it|them)sel(?:f|ves)|says? (?:it|them)sel(?:f|ves)", "name what states it"),
  phrase("wanted (?:is|are)|(?:is|are) wanted", "expected"),
  phrase("by (?:it|them)sel(?:f|ves)", "automatically, alone"),
  phrase("(?:left|kept|stays?|stayed) as (?:it|they) (?:is|are|was|were)", "unchanged"),
  phrase("(?:is|are|was|were|be|being) told(?! (?:apart|from))", "is given, is informed, reads"),
  phrase("says? so(?! that)|said so", "reports it, state what is reported"),
  phrase("set(?:s|ting)? aside", "move to quarantine, exclude"),
  phrase("goes on|going on|went on", "continue"),
  phrase("what is there|what there is|what was there", "name the thing: the file, the rows"),
  phrase(
    "(?<!\\bthere )(?:is|are|was|were) no (?!longer|more|such|need|other|less|one\\b|way|reason)\\w+",
    "“is not a …”, “are not …”",
  ),
  phrase("letter by letter", "exactly, verbatim"),
  phrase("but for", "except for"),
  phrase("for ever", "forever"),
  phrase("go(?:es)? by the (?:words|text|name)", "depends on"),
  phrase("strangers?", "third-party, foreign, a new user"),
  phrase("(?:has|have|had|having|nothing|something) to do with", "concerns, about"),
  phrase("with all (?:its|their) might|no matter what|come what may", "say when"),
  phrase("unless (?:it is |they are )?told otherwise", "unless set"),
  phrase("worth (?:its|their) while", "worth it, faster"),
  phrase("hence|thereof|therein|thereby|therewith|whereof|whereby|wherein|whence|thence", "plain words"),
  phrase("in the wrong|gives? way|makes? do|gives? itself|has its way", "say what happens"),
  phrase(
    "whether (?:it|they|that|this|the \\w+|a \\w+|an \\w+) (?:was|were|is|are|has|have|had) (?:\\w+ )?(?:is|are|was|were) (?:not known|unknown)",
    "“may have …; check before retrying”",
  ),
  phrase(
    "what (?:is|are|was|were) (?:stored|there|left|on disk) (?:is|are|was|were) (?:as|what)",
    "“No stored data was changed.”",
  ),
];

/** A doc comment begins with a verb or a noun. */
export const COMMENT_START = /^(?:what|how|whether|where|who|whose|whom)\b/i;

/** Words that no name has, and what to write instead. */
const WORDS: Readonly<Record<string, string>> = {
  told: "reported, notified",
  aside: "quarantined, excluded, kept",
  lineage: "origin, history",
  form: "layout, notation, kind, text",
  forms: "layouts, notations, kinds, texts",
  stand: "state, position",
  stands: "is",
  standing: "state, position",
  odd: "invalid, unusual",
  unite: "merge",
  unites: "merges",
  united: "merged",
  union: "merge",
  revert: "downgrade",
  reverts: "downgrades",
  reverted: "downgraded",
  reverting: "downgrading",
  reversion: "downgrade",
  few: "bounded",
  halves: "parallel",
  twin: "replica",
  twins: "replicas",
  "in turns": "concurrently",
  again: "retry, next",
  agreed: "confirmed",
  anew: "again",
  strangers: "foreign",
  noting: "tracking",
  thrown: "error, failure",
  formerly: "nothing: no earlier name was published",
};

/** A name of another library, and a command that people try, for which help names the right one. */
const NOT_OUR_NAMES: ReadonlySet<string> = new Set(["allowUnionTypes", "revert"]);

/** Replaces each word of a name that readers have to guess at. */
export function wordsToReplace(name: string): { found: string; instead: string }[] {
  if (NOT_OUR_NAMES.has(name)) return [];
  const words = name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  const text = ` ${words.join(" ")} `;
  return Object.entries(WORDS)
    .filter(([word]) => text.includes(` ${word} `))
    .map(([, instead]) => ({ found: name, instead }));
}
