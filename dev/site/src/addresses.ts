import type { Reflection } from "typedoc";
import { MemberRouter } from "typedoc-plugin-markdown";
import { type DocumentedPackage, PACKAGES } from "./packages.ts";

/** Gives the pages of the reference readable addresses: `perdura-16/metrics_collector/MetricsCollector`. */
export class Addresses extends MemberRouter {
  override getIdealBaseName(reflection: Reflection): string {
    const [title, ...names] = namesOf(reflection);
    const documented = PACKAGES.find((known) => known.title === title);
    if (documented === undefined) throw new Error(`${title}: not in the list of packages`);
    const [module, ...rest] = names;
    if (module === undefined) return `${documented.slug}/index`;
    return [documented.slug, ...partsOfModule(module, documented), ...rest].join("/");
  }
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
  return [module === name ? "main" : module.slice(name.length + 1)];
}
