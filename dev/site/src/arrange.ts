import {
  Comment,
  type CommentDisplayPart,
  CommentTag,
  type DocumentReflection,
  type ProjectReflection,
  type Reflection,
} from "typedoc";
import type { Page, Section } from "./pages.ts";
import type { PageRegistry } from "./page_registry.ts";
import { inRepository } from "./repository.ts";

/**
 * Gives pages and packages their names and their sections in the sidebar, so that the Markdown files need no metadata.
 */
export function arrange(project: ProjectReflection, pages: Page[], registry: PageRegistry): void {
  for (const document of project.documents ?? []) {
    const page = pageOf(document, pages, registry);
    document.name = page.title;
    putInto(document, page.section);
  }
  for (const documented of project.children ?? []) {
    // Its README contains the same, and more.
    delete documented.comment;
    putInto(documented, "API");
    removeHeading(documented.readme);
  }
}

/** The page of a package begins with its title, which the heading of its README would repeat. */
function removeHeading(readme: CommentDisplayPart[] | undefined): void {
  const [first] = readme ?? [];
  if (first?.kind === "text") first.text = first.text.replace(/^# .*\n/, "");
}

/** The page of a document. */
export function pageOf(document: DocumentReflection, pages: Page[], registry: PageRegistry): Page {
  const path = registry.getReflectionPath(document);
  const page = pages.find((known) => inRepository(known.path) === path);
  if (page === undefined) throw new Error(`${path ?? document.name}: not in the list of pages`);
  return page;
}

function putInto(reflection: Reflection, section: Section): void {
  reflection.comment ??= new Comment();
  reflection.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: section }]));
}
