import { readFileSync } from "node:fs";
import { inRepository } from "./repository.ts";

/**
 * The front page. Its words, example, reasons and measurements are those of README.md, where tests check them; links lead from
 * the repository's root.
 */
export function landingPage(): string {
  const readme = readFileSync(inRepository("README.md"), "utf8");
  const part = (name: string, pattern: RegExp): string => {
    const found = pattern.exec(readme)?.[1];
    if (found === undefined) throw new Error(`README.md: expected ${name} for the front page, found none`);
    return found.trim();
  };
  const summary = part("a summary", /^(Durable storage for AI agents\. [^]*?)\n\n/m);
  const words = part("a picture and the words", /^(!\[Agents record[^]*?\n)\n```/m);
  const example = part("an example", /^(```ts\n[^]*?^```$)/m);
  const printed = [...example.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line).join("\n");
  const page = part("a picture of the page", /^(!\[The page of perdura-inspect[^]*?\))$/m);
  const readers = part("a table of readers", /^(\| you …[^]*?\n)\n/m);
  const reasons = part("reasons", /^## Why not write the SQL yourself\?\n([^]*?)\n\n(?!- )\w/m);
  const guides = part("a table of guides", /^(\| guide[^]*?\n)\n/m);
  const measured = part("a table of measurements", /^(\| what was measured[^]*?\n)\n/m);
  return `---
layout: home
title: perdura
titleTemplate: Durable storage for AI agents
---

<div class="front">
<div>

# perdura

${summary}

[Get started](/guides/getting-started){.front-action .front-first} [Reference](/perdura-16/){.front-action} [Compare](/comparison){.front-action}

</div>
<div>

${example}

\`\`\`console
$ node tools.mjs
${printed}
\`\`\`

</div>
</div>

${page}

## What is stored

${words}

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
