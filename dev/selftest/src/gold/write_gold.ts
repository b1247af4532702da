// Writes the gold files of files/, or with --check compares them: node write_gold.ts [--check]
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { differences } from "./compare_gold.ts";
import { FILES, filesOf, manifestText } from "./manifest.ts";
import { logicalContent } from "./logical_content.ts";
import { copyWithLog } from "./make_database.ts";
import { PRODUCERS, produce } from "./producers.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

if (process.argv[2] === "--check") {
  const found = await differences();
  for (const line of found) console.error(line);
  process.exitCode = found.length === 0 ? 0 : 1;
} else {
  const root = temporaryFolder();
  try {
    for (const producer of PRODUCERS.filter(({ available }) => available())) await refresh(producer, root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  writeFileSync(join(FILES, "manifest.json"), manifestText(PRODUCERS));
}

/** Files with unchanged content keep their bytes, which differ between versions of SQLite. */
async function refresh(producer: (typeof PRODUCERS)[number], root: string): Promise<void> {
  await produce(producer, root);
  const [made, gold] = [join(root, producer.folder), join(FILES, producer.folder)];
  for (const name of filesOf(made).filter((file) => !file.endsWith("-wal"))) {
    const [from, to] = [join(made, name), join(gold, name)];
    mkdirSync(dirname(to), { recursive: true });
    if (!existsSync(to) || logicalContent(from, producer.clock) !== logicalContent(to, producer.clock))
      copyWithLog(from, to);
  }
  if (producer.expected) writeFileSync(join(gold, "expected.json"), expectedText(producer.expected));
}

/** One line for each file. */
function expectedText(expected: object): string {
  const lines = Object.entries(expected).map(([name, what]) => `  ${JSON.stringify(name)}: ${JSON.stringify(what)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}
