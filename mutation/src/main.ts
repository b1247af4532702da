import { fileURLToPath } from "node:url";
import { HELP, type Wishes, wishesFrom } from "./arguments.ts";
import { writeTable } from "./page/write_table.ts";
import { forgetFiles } from "./results/results_folder.ts";
import { standingOf } from "./results/staleness.ts";
import { runFolder } from "./run/run_folder.ts";
import { chosenFolders, concerns, sourceFolders } from "./sources.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** `pnpm mutation`: see `--help`. */
async function main(words: readonly string[]): Promise<number> {
  const sources = sourceFolders(root);
  let wishes: Wishes;
  let folders: string[];
  try {
    wishes = wishesFrom(words);
    folders = chosenFolders([...sources.keys()], wishes.folders);
  } catch (error) {
    console.error(`${(error as Error).message} See pnpm mutation --help.`);
    return 2;
  }
  if (wishes.help) {
    console.log(HELP);
    return 0;
  }
  for (const folder of wishes.page ? [] : folders) {
    const files = sources.get(folder) ?? [];
    forgetFiles(
      root,
      folder,
      files.map((file) => file.slice(folder.length + 1)),
    );
    for (const suite of wishes.suites.filter((name) => concerns(name, folder))) {
      const wanted = files.filter((file) => wishes.again || standingOf(root, folder, file, suite) !== "fresh");
      if (wanted.length === 0) continue;
      console.log(`\n${folder}, ${suite}: ${wanted.length} of ${files.length} files`);
      await runFolder(root, suite, wanted);
    }
    writeTable(root);
  }
  if (wishes.page) writeTable(root);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
