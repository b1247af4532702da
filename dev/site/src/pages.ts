import { existsSync, readdirSync, readFileSync } from "node:fs";
import { PACKAGES } from "./packages.ts";
import { inRepository } from "./repository.ts";

/** A Markdown page of the repository that the site shows. */
export interface Page {
  /** Path relative to the repository's root. */
  path: string;
  /** Address on the site, without a suffix: `guides/backups`. */
  address: string;
  /** Its section in the sidebar. */
  section: Section;
  /** In the sidebar; the page's own heading unless the list below has a shorter one. */
  title: string;
}

/** The sections of the sidebar, in order. `API` has the packages. */
const SECTIONS = ["Guides", "Reference", "Conformance suite", "API", "Project"] as const;
type Section = (typeof SECTIONS)[number];

/** The pages of each section in order, with titles for those whose own heading is long. */
const LISTED: { [Name in Section]?: [path: string, title?: string][] } = {
  Guides: [
    ["docs/guides/getting-started.md"],
    ["docs/guides/agents.md"],
    ["docs/guides/which-line.md"],
    ["UPGRADING.md", "Upgrading to 16"],
    ["docs/guides/postgresql.md"],
    ["docs/scaling-out.md"],
    ["docs/how-far.md"],
    ["docs/guides/backups.md"],
    ["docs/guides/deleting-data.md"],
    ["docs/guides/operations.md"],
    ["docs/guides/oracle-in-ci.md", "Conformance in CI"],
    ["docs/faq.md"],
    ["docs/comparison.md"],
  ],
  Reference: [["docs/errors.md"], ["docs/reliability.md"], ["docs/rulings.md", "Rulings"]],
  "Conformance suite": [
    ["packages/conformance/docs/adapter.md"],
    ["packages/conformance/docs/check-file.md"],
    ["packages/conformance/docs/reports.md", "Reports and profiles"],
    ["packages/conformance/docs/table-dump.md"],
    ["docs/self-test.md", "Self-test"],
    ["oracle/README.md", "GitHub Action and image"],
    ["packages/conformance/python/README.md", "The adapter in Python"],
    ["examples/rust/README.md", "An implementation in Rust"],
    ["examples/go/README.md", "An implementation in Go"],
  ],
  API: PACKAGES.map(({ folder, title }) => [`packages/${folder}/README.md`, title]),
  Project: [
    ["README.md", "The repository"],
    ["SUPPORT.md"],
    ["SECURITY.md"],
    ["examples/README.md"],
    ["dev/bench/README.md"],
    ["RELEASING.md"],
    ["THIRD_PARTY.md"],
  ],
};

/** The folder of the guides: those in the list, in its order, and then the others. */
const GUIDES = "docs/guides";

/** Every page of the site except the front page and the names of the packages, in the order of the sidebar. */
export function sitePages(): Page[] {
  return SECTIONS.flatMap((section) => {
    const listed = LISTED[section] ?? [];
    const others = section === "Guides" ? unlistedGuides(listed.map(([path]) => path)) : [];
    return [...listed, ...others.map((path): [string] => [path])]
      .filter(([path]) => !path.startsWith(`${GUIDES}/`) || existsSync(inRepository(path)))
      .map(([path, title]) => ({ path, address: addressOf(path), section, title: title ?? headingOf(path) }));
  });
}

function unlistedGuides(listed: string[]): string[] {
  if (!existsSync(inRepository(GUIDES))) return [];
  const names = readdirSync(inRepository(GUIDES)).filter((name) => name.endsWith(".md"));
  return names.map((name) => `${GUIDES}/${name}`).filter((path) => !listed.includes(path));
}

/** `docs/guides/backups.md` is `guides/backups`, `packages/conformance/docs/adapter.md` is `suite/adapter`. */
function addressOf(path: string): string {
  if (path === "README.md") return "repository";
  const documented = PACKAGES.find(({ folder }) => path === `packages/${folder}/README.md`);
  if (documented !== undefined) return `${documented.slug}/index`;
  const file = path.replace(/^packages\/conformance\//, "suite/").replace(/^docs\/|(?<=\/)docs\//, "");
  return file.replace(/(?:\/README)?\.md$/, "").toLowerCase();
}

function headingOf(path: string): string {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(inRepository(path), "utf8")) ?? [];
  if (heading === undefined) throw new Error(`${path}: expected a heading that begins with "# ", found none`);
  return heading.replaceAll("`", "");
}
