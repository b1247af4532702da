import { COMMENT_START, PHRASES, wordsToReplace } from "./phrases.ts";
import {
  namesOfDocument,
  namesOfModule,
  type ReadName,
  type ReadText,
  textsOfDocument,
  textsOfModule,
  textsOfPage,
  textsOfScript,
} from "./texts.ts";

/** A phrase that has to be replaced. */
export interface Finding {
  line: number;
  kind: ReadText["kind"] | "name";
  found: string;
  instead: string;
}

/** Files whose words are data, quotations, or the list itself. */
const NOT_OURS =
  /^(?:LICENSE|pnpm-lock\.yaml|fixtures\/(?!README|generate\/)|dev\/tools\/language\/|test\/repository\/language\.test\.ts$|dev\/(?:soak|mutation)\/results\/|.*\/(?:generated|data|files|dist)\/)|CHANGELOG\.md$|\.tsbuild\//;

/** Phrases and words of names to be replaced in a file of the repository; none in files that hold no text of ours. */
export function findings(file: string, read: () => string): Finding[] {
  if (NOT_OURS.test(file)) return [];
  return [...textsOf(file, read).flatMap((each) => inText(each)), ...inNames(file, read)];
}

const isModule = (file: string): boolean => /\.(?:ts|mts|mjs|js)$/.test(file);

/** The name of the file is one, too. */
function inNames(file: string, read: () => string): Finding[] {
  const names: ReadName[] = [{ line: 1, name: file }];
  if (isModule(file)) names.push(...namesOfModule(file, read()));
  if (file.endsWith(".json")) names.push(...namesOfDocument(read()));
  return names.flatMap(({ line, name }) => wordsToReplace(name).map((found) => ({ ...found, line, kind: "name" })));
}

function textsOf(file: string, read: () => string): ReadText[] {
  if (isModule(file)) return textsOfModule(file, read());
  if (file.endsWith(".md")) return textsOfPage(read());
  if (/\.(?:py|sh|ya?ml)$|^\.ci\/run$/.test(file)) return textsOfScript(read(), "#");
  if (/\.(?:rs|go)$/.test(file)) return textsOfScript(read(), "//");
  if (file.endsWith(".json") && !/(?:^|\/)(?:package|tsconfig|knip)[\w.]*\.json$|^\./.test(file))
    return textsOfDocument(read());
  return [];
}

function inText({ line, text, kind }: ReadText): Finding[] {
  const found: Finding[] = [];
  for (const { pattern, instead } of PHRASES)
    for (const match of text.matchAll(pattern)) {
      const before = text.slice(0, match.index).split("\n").length - 1;
      found.push({ line: line + before, kind, found: match[0], instead });
    }
  const [start] = kind === "doc comment" ? (COMMENT_START.exec(text.trimStart()) ?? []) : [];
  if (start !== undefined) found.push({ line, kind, found: `${start} …`, instead: "begin with a verb or a noun" });
  return found;
}
