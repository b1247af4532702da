import { dirname, relative, resolve, sep } from "node:path";

/**
 * `layers`: imports go downwards only. A file of a layer uses its own layer and those after it; the order is in the
 * options, with the folder of the layers. `exit-codes`: only one file of a package turns results into exit codes.
 */
export default {
  meta: { name: "perdura" },
  rules: {
    layers: {
      meta: {
        schema: [
          {
            type: "object",
            properties: { folder: { type: "string" }, order: { type: "array", items: { type: "string" } } },
            required: ["folder", "order"],
            additionalProperties: false,
          },
        ],
      },
      create(context) {
        const [{ folder, order }] = context.options;
        const root = resolve(folder);
        const layerOf = (path) => order.indexOf(relative(root, path).split(sep)[0].replace(/\.ts$/, ""));
        const own = layerOf(context.filename);
        const check = (node) => {
          const wanted = node.source?.value;
          if (typeof wanted !== "string" || !wanted.startsWith(".")) return;
          const other = layerOf(resolve(dirname(context.filename), wanted));
          if (own !== -1 && other !== -1 && other < own)
            context.report({
              node: node.source,
              message: `${order[own]}/ may not import ${order[other]}/: imports go downwards only (${order.join(", ")}).`,
            });
        };
        return {
          ImportDeclaration: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
          ImportExpression: check,
        };
      },
    },
    "exit-codes": {
      meta: {
        schema: [
          {
            type: "object",
            properties: { file: { type: "string" } },
            required: ["file"],
            additionalProperties: false,
          },
        ],
      },
      create(context) {
        const [{ file }] = context.options;
        if (context.filename === resolve(file)) return {};
        const nameOf = (node) => node.property?.name ?? node.key?.name ?? node.key?.value;
        const isNumber = (node) => node?.type === "Literal" && typeof node.value === "number";
        const refuse = (node) =>
          context.report({ node, message: `Only ${file} sets exit codes; report a status instead.` });
        const compare = (node) => {
          const sides = [node.left, node.right];
          if (sides.some(isNumber) && sides.some((side) => nameOf(side) === "exit_code")) refuse(node);
        };
        return {
          AssignmentExpression: compare,
          BinaryExpression: compare,
          Property(node) {
            if (nameOf(node) === "exit_code" && isNumber(node.value)) refuse(node);
          },
          MemberExpression(node) {
            if (node.object.name === "process" && nameOf(node) === "exitCode") refuse(node);
          },
          CallExpression(node) {
            const { callee } = node;
            if (callee.object?.name === "process" && nameOf(callee) === "exit" && node.arguments.length > 0)
              refuse(node);
          },
        };
      },
    },
  },
};
