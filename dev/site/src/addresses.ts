import { type Application, type Reflection, StructureRouter } from "typedoc";
import { pageOf } from "./arrange.ts";
import { type DocumentedPackage, PACKAGES } from "./packages.ts";
import type { PageRegistry } from "./page_registry.ts";
import type { Page } from "./pages.ts";

/**
 * Makes a router that gives pages readable addresses: `guides/postgresql.html`,
 * `perdura-16/metrics_collector/MetricsCollector.html`.
 */
export function addresses(pages: Page[], registry: PageRegistry): new (application: Application) => StructureRouter {
  return class extends StructureRouter {
    override getIdealBaseName(reflection: Reflection): string {
      if (reflection.isDocument()) return addressOfPage(pageOf(reflection, pages, registry).path);
      const [title, ...names] = namesOf(reflection);
      const documented = PACKAGES.find((known) => known.title === title);
      if (documented === undefined) throw new Error(`${title}: not in the list of packages`);
      const [module, ...rest] = names;
      const parts = module === undefined ? [] : [...partsOfModule(module, documented), ...rest];
      return [documented.slug, ...parts.map((part) => this.getUrlSafeName(part))].join("/");
    }
  };
}

/** `docs/guides/backups.md` is `guides/backups`, `packages/conformance/docs/adapter.md` is `conformance/adapter`. */
function addressOfPage(path: string): string {
  const file = path.replace(/^(?:docs|packages)\//, "").replace("/docs/", "/");
  return file.replace(/(?:\/README)?\.md$/, "").toLowerCase();
}

/** The names on the path to a reflection, beginning with the package's title. */
function namesOf(reflection: Reflection): string[] {
  const { parent } = reflection;
  return parent === undefined || parent.isProject() ? [reflection.name] : [...namesOf(parent), reflection.name];
}

/** The part of `perdura/metrics_collector` after the name of the package. Other names are returned unchanged. */
function partsOfModule(module: string, { modules }: DocumentedPackage): string[] {
  const names = Object.keys(modules);
  if (!names.includes(module)) return [module];
  const [name] = names.toSorted((one, other) => one.length - other.length) as [string];
  return module === name || names.length === 1 ? ["index"] : [module.slice(name.length + 1)];
}
