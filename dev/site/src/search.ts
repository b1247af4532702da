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
    // its parameters belong to it.
    _render(source, env, markdown) {
      const { highlight } = markdown.options;
      // The index has no colours; to compute them takes longer than all else here.
      markdown.set({ highlight: null });
      const html = markdown.render(source, env);
      markdown.set({ highlight: highlight ?? null });
      const [slug] = (env as { relativePath: string }).relativePath.split("/");
      const documented = PACKAGES.find((known) => known.slug === slug);
      if (documented === undefined) return html;
      return html.replace(/(?<=<h1[^>]*>)/, `${documented.title} · `).replaceAll(/<(\/?)h[456]\b/g, "<$1p");
    },
    // These functions are sent to the browser as text, so they refer to nothing outside of them.
    miniSearch: {
      options: {
        processTerm: (term) => {
          const parts = term.split(/(?<=[a-z\d])(?=[A-Z])/);
          return [...(parts.length > 1 ? parts : []), term].map((part) => part.toLowerCase());
        },
      },
      searchOptions: {
        prefix: true,
        fuzzy: (term) => (term.length > 3 ? 0.2 : false),
        boostDocument: (id) => {
          if (String(id).includes("/perdura-16/")) return 1.3;
          return String(id).includes("/perdura-15/") ? 0.7 : 1;
        },
      },
    },
  },
};
