import type { TypeDocOptions } from "typedoc";
import { SECTIONS } from "./pages.ts";
import { adjustParser } from "./markdown.ts";
import { inRepository } from "./repository.ts";

/** Options for reading the packages. */
export const READING: TypeDocOptions = {
  entryPoints: [],
  // Other checks of `npm test` compile them, with the TypeScript of the workspace.
  skipErrorChecking: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeProtected: true,
  // The sources have no public address for links.
  disableSources: true,
  sort: ["kind", "alphabetical"],
  sortEntryPoints: false,
  validation: { notExported: true, invalidLink: true, invalidPath: true, rewrittenLink: true, notDocumented: true },
  requiredToBeDocumented: ["Class", "Interface", "Function", "Method", "Accessor", "TypeAlias", "Variable"],
  treatWarningsAsErrors: true,
};

/** Options for the appearance of the site. */
export const LOOKS: TypeDocOptions = {
  name: "perdura",
  readme: inRepository("README.md"),
  hideGenerator: true,
  disableGit: true,
  favicon: inRepository("dev/site/src/favicon.svg"),
  customCss: inRepository("dev/site/src/style.css"),
  headings: { readme: false, document: false },
  navigation: { includeCategories: true, includeGroups: false, includeFolders: false, excludeReferences: true },
  categoryOrder: [...SECTIONS],
  sort: ["documents-first"],
  sortEntryPoints: false,
  searchInComments: true,
  searchInDocuments: true,
  visibilityFilters: {},
  highlightLanguages:
    "ts js json jsonc sh bash console ini yaml toml sql python rust go dockerfile html css xml diff".split(" "),
  markdownItLoader: adjustParser,
  router: "perdura",
};
