/** The page beside exported cases: how a runner of one's own reads them. */
export const README = (version: string): string => `# Conformance cases for specification ${version}

For a runner in any language, without the adapter protocol.

- \`cases/<area>/<name>.json\`: one behaviour each. \`requirements\` says what it is about, \`capabilities\` what an
  implementation needs for it, \`level\` how binding it is: \`must\`, \`should\`, \`observe\` (the specification is silent;
  report, do not fail) or \`extra\` (never counts). Leave a case out where the implementation does not answer the
  questions in \`assumes\` by this suite's rulings.
- \`files/\`: what the cases hand over, ready to be copied. A \`-wal\` beside a database belongs to it.
- \`requirements.json\`: all requirements of this version; open questions with their known answers.
- \`schemas/\`: the case format and the others.
- \`manifest.json\`: size and SHA-256 of every file.

## Running a case

Make an empty directory and do the steps in order.

- \`put\`: copy \`file\` to this name in the directory.
- \`call\`: do the operation with \`args\`, on the object kept as \`handle\`; keep what comes out as \`keep\`; remember the
  answer as \`bind\`. \`{"$path": "x"}\` is \`x\` inside the directory, \`{"$var": "x"}\` a remembered answer.
  \`expect\` is the value (\`ok\`), the kind of error (\`error\`), parts of the value by JSON Pointer (\`checks\`),
  what each known answer to an open question looks like (\`answers\`), or anything at all, where a later step looks
  at what came of it (\`any\`). Without it the call must succeed.
- \`write\`: run \`statements\` on the database as another program, in one transaction; it must not be locked.
- \`settle\`, \`inspect\`, \`write\` and \`put\` first close everything that is kept. \`inspect\` then opens the file: as strict JSON,
  as a copy of an SQLite database (\`scratch\` statements are tried and rolled back), as text, as lines of JSON (\`jsonl\`), or as RFC 4180 with header and rows (\`csv\`); \`library\`,
  \`state\`, \`patterns-database\` and \`metrics-database\` are what \`perdura-conformance check-file\` judges.

Values are compared strictly at every depth, numbers by value. \`{"$int": "…"}\` and \`{"$number": "…"}\` are numbers that
a double would change. Matchers: \`$set\` (an array in any order), \`$near\` [value, tolerance], \`$between\` [low, high],
\`$type\`, \`$absentOr\` (missing or this), \`$oneOf\`, \`$timestamp\` (\`seconds\`, \`local\`, \`sql\`, \`any\`; with \`recent\`
the current time, with \`moment\` that one in any spelling), \`$any\`.
`;
