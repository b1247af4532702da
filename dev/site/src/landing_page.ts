import { readFileSync } from "node:fs";
import { inRepository } from "./repository.ts";

/**
 * The front page. Its example, reasons and measurements are those of README.md, where tests check them; links lead from
 * the repository's root.
 */
export function landingPage(): string {
  const readme = readFileSync(inRepository("README.md"), "utf8");
  const part = (name: string, pattern: RegExp): string => {
    const found = pattern.exec(readme)?.[1];
    if (found === undefined) throw new Error(`README.md: expected ${name} for the front page, found none`);
    return found.trim();
  };
  const example = part("an example", /^(```ts\n[^]*?^```$)/m);
  const readers = part("a table of readers", /^(\| you …[^]*?\n)\n/m);
  const reasons = part("reasons", /^## Why not write the SQL yourself\?\n([^]*?)\n\n(?!- )\w/m);
  const guides = part("a table of guides", /^(\| guide[^]*?\n)\n/m);
  const measured = part("a table of measurements", /^(\| what was measured[^]*?\n)\n/m);
  return `---
layout: home
title: Durable storage for AI agents
titleTemplate: perdura
hero:
  name: perdura
  text: Durable storage for AI agents
  tagline: Pattern libraries, usage metrics and collaboration state in SQLite and JSON files or in PostgreSQL. For TypeScript and JavaScript on Node.js 22 and newer.
  actions:
    - { theme: brand, text: Get started, link: /guides/getting-started }
    - { theme: alt, text: Reference of 16+, link: /perdura-16/ }
    - { theme: alt, text: Compare, link: /comparison }
---

## Five lines of code

${example}

## Where to start

${readers}

## Why not write the SQL yourself?

${reasons}

## Measured

${measured}

## Guides

${guides}
`;
}
