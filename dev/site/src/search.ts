import type { DefaultTheme } from "vitepress";
import { PACKAGES } from "./packages.ts";

/**
 * The search in the browser. It shows excerpts, finds beginnings of words, misspelt words, and parts of names such as
 * `stats` in `getUserStats`.
 */
export const SEARCH: NonNullable<DefaultTheme.Config["search"]> = {
  provider: "local",
  options: {
    detailedView: true,
    // Names of both lines are the same, so the results show the package with the name. A result is a name or a member:
    // its parameters belong to it, and lists of names are left out. So is the front page, whose text is on another page.
    _render(source, env, markdown) {
      const page = (env as { relativePath: string }).relativePath;
      if (page === "index.md") return "";
      const { highlight } = markdown.options;
      // The index has no colours; to compute them takes longer than all else here.
      markdown.set({ highlight: null });
      const html = markdown.render(source, env);
      markdown.set({ highlight: highlight ?? null });
      const documented = PACKAGES.find(({ slug }) => page.startsWith(`${slug}/`));
      if (documented === undefined) return html;
      return html
        .replace(/(?<=<h1[^>]*>)/, `${documented.title} · `)
        .replace(/<h2 id="(?:modules|classes|interfaces|type-aliases|variables|functions|references)"[^]*/, "")
        .replaceAll(/<(\/?)h[456]\b/g, "<$1p");
    },
    // These functions are sent to the browser as text, so they refer to nothing outside of them.
    miniSearch: {
      options: {
        processTerm: (term) => {
          // Beginnings of words are found, so "a" would find everything.
          if (/^(?:a|an|and|for|in|is|of|on|or|the|to|what)$/i.test(term)) return null;
          const parts = term.split(/(?<=[a-z\d])(?=[A-Z])/);
          return [...(parts.length > 1 ? parts : []), term].map((part) => part.toLowerCase());
        },
      },
      searchOptions: {
        prefix: true,
        boost: { title: 6, text: 2, titles: 1 },
        fuzzy: (term) => (term.length > 3 ? 0.2 : false),
        // Guides, then the 16+ line, then the packages, then the pre-16 line; last the tables of the suite.
        boostDocument: (id) => {
          const page = String(id);
          if (/\/(?:self-test|rulings)\.html/.test(page)) return 0.3;
          const [, slug] =
            /\/(perdura-1[56]|postgres|backup|migrator|inspect|conformance|mcp|otel)\/\w/.exec(page) ?? [];
          return slug === undefined ? 3 : slug === "perdura-16" ? 1.3 : slug === "perdura-15" ? 0.7 : 1;
        },
      },
    },
  },
};
