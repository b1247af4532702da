import { dirname, relative, resolve, sep } from "node:path";

/**
 * Imports go downwards only: a file of a layer uses its own layer and those after it. The order is in the options, with
 * the folder of the layers.
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
              message: `${order[own]}/ may not use ${order[other]}/: imports go downwards only (${order.join(", ")}).`,
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
  },
};
