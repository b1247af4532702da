import { createHash } from "node:crypto";
import { parseSync, Visitor } from "oxc-parser";

/** Levels of nested declarations that name a place: a class and its method, or a function and its constant. */
const LEVELS = 2;

/**
 * Returns a function that names the place of an offset by the declarations that contain it: `Writer.add`. Such a name
 * outlives edits elsewhere in the file.
 */
export function placesOf(file: string, source: string): (offset: number) => string {
  const declarations: { name: string; start: number; end: number }[] = [];
  const add = (name: string | undefined, { start, end }: { start: number; end: number }): void =>
    void (name !== undefined && declarations.push({ name, start, end }));
  new Visitor({
    FunctionDeclaration: (node) => add(node.id?.name, node),
    ClassDeclaration: (node) => add(node.id?.name, node),
    MethodDefinition: (node) => add(source.slice(node.key.start, node.key.end), node),
    PropertyDefinition: (node) => add(source.slice(node.key.start, node.key.end), node),
    VariableDeclarator: (node) => add(node.id.type === "Identifier" ? node.id.name : undefined, node),
  }).visit(parseSync(file, source).program);
  declarations.sort((one, other) => one.start - other.start);
  return (offset) =>
    declarations
      .filter(({ start, end }) => start <= offset && offset < end)
      .slice(0, LEVELS)
      .map(({ name }) => name)
      .join(".");
}

/** Identifies a replacement without its text, in eight hexadecimal digits. */
export function changeId(was: string, became: string): string {
  return createHash("sha256").update(`${was}\0${became}`).digest("hex").slice(0, 8);
}
