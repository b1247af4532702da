import { relative } from "node:path";
import { readData } from "@perdura/migrator";
import { addDatabase, addLibrary, addStates, type Contents, noContents } from "@perdura/summary/contents.js";

/** Reads everything below a target, under the paths below it. */
export function contentsOf(target: string): Promise<Contents> {
  return readData(target, {}, async (found) => {
    const contents = { ...noContents(), unreadable: found.unreadable };
    for (const { path, read } of found.databases)
      await read((source) => addDatabase(contents, relative(target, path), source));
    for (const path of found.libraries) {
      const backups = found.backups.filter(({ of }) => of === path).map((backup) => backup.path);
      addLibrary(contents, relative(target, path), path, backups);
    }
    for (const { read } of [...found.archives, ...found.stateDirectories]) addStates(contents, read());
    return contents;
  });
}
