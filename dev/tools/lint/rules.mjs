import { dirname, relative, resolve, sep } from "node:path";
import { LAYERS, OTHER_FILES, PACKAGES } from "./layers.mjs";

const LISTS = "dev/tools/lint/layers.mjs";

/** A path from the root of the repository, the directory in which the linter runs. */
const inRepository = (path) => relative(process.cwd(), path).split(sep).join("/");

/** Calls `check` with each imported name, its node, and true if it is imported only as a type or with `import()`. */
function imports(check) {
  const each = (node, later) => {
    const source = node.source ?? node.argument?.literal ?? node.argument;
    if (typeof source?.value === "string") check(source.value, source, later);
  };
  const isType = ({ specifiers = [], importKind, exportKind }) =>
    importKind === "type" ||
    exportKind === "type" ||
    (specifiers.length > 0 &&
      specifiers.every((specifier) => specifier.importKind === "type" || specifier.exportKind === "type"));
  return {
    ImportDeclaration: (node) => each(node, isType(node)),
    ExportNamedDeclaration: (node) => each(node, isType(node)),
    ExportAllDeclaration: (node) => each(node, isType(node)),
    ImportExpression: (node) => each(node, true),
    TSImportType: (node) => each(node, true),
  };
}

/** The name of a package of this repository from an import, such as `v16` for `perdura/persistence`; undefined for others. */
function packageOf(name) {
  const [, own, line] = /^(?:@perdura\/([^/]+)|perdura(?:-(\d+))?)(?:\/|$)/.exec(name) ?? [name];
  if (own !== undefined) return own;
  return /^perdura(?:[-/]|$)/.test(name) ? `v${line ?? 16}` : undefined;
}

/** The position of a name in the order of its folder; undefined for a folder that is missing in it. */
function positionIn(order, name) {
  const position = order.indexOf(name);
  if (position !== -1) return position;
  return /\.[a-z]+$/.test(name) ? order.indexOf(OTHER_FILES) : undefined;
}

/**
 * `layers`: inside of a package, imports go downwards only, at every depth. `packages`: imports between packages have one
 * direction. The orders are in `layers.mjs`. `static-imports`: modules that open files are not loaded in ways that the
 * restrictions of `.oxlintrc.json` do not see. `exit-codes`: only the kit of the programs has numbers of exit codes.
 */
export default {
  meta: { name: "perdura" },
  rules: {
    layers: {
      create(context) {
        const own = inRepository(context.filename).split("/");
        const source = own.indexOf("src") + 1;

        return {
          Program(node) {
            for (let depth = source; depth < own.length - 1; depth += 1) {
              const folder = own.slice(0, depth).join("/");
              if (positionIn(LAYERS[folder] ?? [], own[depth]) === undefined)
                context.report({
                  node,
                  message: `The folder ${folder}/${own[depth]} has no place: add it to the order of ${folder} in ${LISTS}.`,
                });
            }
          },
          ...imports((name, node) => {
            if (!name.startsWith(".")) return;
            const other = inRepository(resolve(dirname(context.filename), name)).split("/");
            const depth = own.findIndex((part, index) => part !== other[index]);
            // A file outside of the sources is a matter of the rule for packages.
            if (depth < source) return;
            const folder = own.slice(0, depth).join("/");
            const order = LAYERS[folder];
            if (order === undefined) return;
            const [from, to] = [own, other].map((path) => positionIn(order, path[depth]));
            if (from !== undefined && to !== undefined && to < from)
              context.report({
                node,
                message: `In ${folder}, ${own[depth]} may not import ${other[depth]}: imports go to the right only in ${order.join(", ")} (${LISTS}). Move what both need to the lower one, or below it.`,
              });
          }),
        };
      },
    },
    packages: {
      create(context) {
        const [, name, part] = inRepository(context.filename).split("/");
        const { imports: allowed, onDemand = [], why } = PACKAGES[part === "src" ? name : `${name}/${part}`];
        const own = `packages/${name}`;
        const refuse = (node, what) => context.report({ node, message: `${what} ${why} See ${LISTS}.` });
        return imports((imported, node, later) => {
          if (imported.startsWith(".")) {
            const path = inRepository(resolve(dirname(context.filename), imported));
            const isOwn = [`${own}/src/`, `${own}/${part}/`].some((folder) => path.startsWith(folder));
            if (!isOwn && path !== `${own}/package.json`)
              context.report({
                node,
                message: `${own}/${part} may not import ${path}: it is outside of the sources of the package. Published code contains no tests and no tools, and imports other packages by their names.`,
              });
            return;
          }
          const other = packageOf(imported);
          if (other === undefined || allowed.includes(other)) return;
          if (!onDemand.includes(other)) refuse(node, `${own}/${part} may not import ${other}.`);
          else if (!later) refuse(node, `${own}/${part} may import ${other} only with import(), or as a type.`);
        });
      },
    },
    "static-imports": {
      create(context) {
        const refuse = (node) =>
          context.report({
            node,
            message: "Import it at the top of the file, so that the linter sees which of its functions are used.",
          });
        return {
          ImportExpression(node) {
            if (/^(?:node:|better-sqlite3$)/.test(node.source.value)) refuse(node);
          },
          MemberExpression(node) {
            if (node.object.name === "process" && node.property.name === "getBuiltinModule") refuse(node);
          },
        };
      },
    },
    "exit-codes": {
      create(context) {
        const isKit = inRepository(context.filename).startsWith("packages/cli/src/");
        const refuse = (node) =>
          context.report({
            node,
            message: `Exit codes are in packages/cli/src/exit_codes.ts only: use a name of EXIT, or exitCodeOfError, and let the kit end the process.`,
          });
        const nameOf = (node) => node?.property?.name ?? node?.key?.name ?? node?.key?.value ?? node?.name;
        const isNumber = (node) =>
          node?.type === "ConditionalExpression"
            ? isNumber(node.consequent) || isNumber(node.alternate)
            : node?.type === "Literal" && typeof node.value === "number";
        const isCode = (node) => ["exit_code", "exitCode"].includes(nameOf(node));
        const compare = ({ left, right }) => {
          if ((isCode(left) && isNumber(right)) || (isCode(right) && isNumber(left))) refuse(left);
        };
        return {
          AssignmentExpression: compare,
          BinaryExpression: compare,
          Property(node) {
            if ((isCode(node) || nameOf(node) === "code") && isNumber(node.value)) refuse(node);
            // A second table of errors.
            if (String(nameOf(node)).startsWith("PERDURA_") && node.value.object?.name === "EXIT" && !isKit)
              refuse(node);
          },
          MemberExpression(node) {
            if (node.object.name === "process" && nameOf(node) === "exitCode") refuse(node);
          },
          CallExpression({ callee, arguments: [code] }) {
            if (callee.object?.name !== "process" || nameOf(callee) !== "exit" || code === undefined) return;
            if (!isKit || isNumber(code)) refuse(callee);
          },
        };
      },
    },
  },
};
