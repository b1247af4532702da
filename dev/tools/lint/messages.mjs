/**
 * Code decides by codes and other data of errors and reports, never by the text of a message, and changes no text by a
 * pattern. Output of other programs without a code is an exception, marked where it is read. Truncating a long text,
 * and testing for an empty one, is allowed.
 */
const TEXTS = new Set(["message", "summary", "title", "reason", "sentence", "error", "fault", "refusal", "told"]);

/** Names of variables that hold such a text, wherever it comes from: a parameter, or the result of a function. */
const NAMED = new Set(["message", "refusal", "told"]);

/** Methods that inspect or split a text. */
const LOOKING = new Set([
  "startsWith",
  "endsWith",
  "includes",
  "indexOf",
  "lastIndexOf",
  "match",
  "matchAll",
  "search",
  "replace",
  "replaceAll",
  "split",
  "slice",
  "substring",
  "localeCompare",
]);

/** Methods whose result is still the text. */
const SAME_TEXT = new Set(["toString", "toLowerCase", "toUpperCase", "trim", "trimStart", "trimEnd", "normalize"]);

/** Methods of patterns and of collections that search for a given text. */
const GIVEN = new Set(["test", "exec", "includes", "has", "get"]);

/** Names of variables that hold a thrown value. */
const ERRORS = /^(?:e|err|error|cause|fault|failure|thrown)$/i;

/** Removes wrappers that change no value: casts, optional chains, parentheses. */
function bare(node) {
  let inner = node;
  while (
    [
      "TSAsExpression",
      "TSNonNullExpression",
      "TSSatisfiesExpression",
      "ChainExpression",
      "ParenthesizedExpression",
    ].includes(inner?.type)
  )
    inner = inner.expression;
  return inner;
}

/** The name of a property, for both `a.name` and `a["name"]`. */
function nameOf({ computed, property, key }) {
  const name = property ?? key;
  if (!computed && name?.type === "Identifier") return name.name;
  return name?.type === "Literal" && typeof name.value === "string" ? name.value : undefined;
}

/** The variable of a name, in the scope of a node or an enclosing one. */
function variableOf(name, scope) {
  for (let at = scope; at !== null; at = at.upper) {
    const variable = at.set.get(name);
    if (variable !== undefined) return variable;
  }
  return undefined;
}

/** True if a pattern such as `{ message: text = "" }` assigns a text to a variable of this name. */
function takesText(pattern, name) {
  if (pattern?.type === "AssignmentPattern") return takesText(pattern.left, name);
  if (pattern?.type === "ArrayPattern") return pattern.elements.some((element) => takesText(element, name));
  if (pattern?.type !== "ObjectPattern") return false;
  return pattern.properties.some((property) => {
    if (property.type !== "Property") return false;
    const target = property.value.type === "AssignmentPattern" ? property.value.left : property.value;
    if (target.type === "Identifier") return target.name === name && TEXTS.has(nameOf(property));
    return takesText(target, name);
  });
}

export default {
  meta: { name: "messages" },
  rules: {
    "no-decisions": {
      create(context) {
        const isTextVariable = (node, seen) => {
          const variable = variableOf(node.name, context.sourceCode.getScope(node));
          if (variable === undefined || seen.has(variable)) return false;
          seen.add(variable);
          return variable.defs.some(({ type, node: definition }) => {
            if (type === "Parameter") return definition.params.some((each) => takesText(each, node.name));
            if (type !== "Variable" || definition.type !== "VariableDeclarator") return false;
            if (definition.id.type !== "Identifier") return takesText(definition.id, node.name);
            return isText(definition.init, seen);
          });
        };

        /** True for an expression whose value is a text for users. */
        const isText = (expression, seen = new Set()) => {
          const node = bare(expression);
          switch (node?.type) {
            case "MemberExpression":
              return TEXTS.has(nameOf(node));
            case "Identifier":
              return NAMED.has(node.name) || isTextVariable(node, seen);
            case "LogicalExpression":
            case "BinaryExpression":
              return isText(node.left, seen) || isText(node.right, seen);
            case "ConditionalExpression":
              return isText(node.consequent, seen) || isText(node.alternate, seen);
            case "TemplateLiteral":
              return node.expressions.some((each) => isError(each) || isText(each, seen));
            case "CallExpression":
              return isTextOfCall(node, seen);
            default:
              return false;
          }
        };

        const isTextOfCall = ({ callee, arguments: given }, seen) => {
          const called = bare(callee);
          if (called.type === "Identifier" && called.name === "String")
            return given.length === 1 && (isError(given[0]) || isText(given[0], seen));
          if (called.type !== "MemberExpression" || !SAME_TEXT.has(nameOf(called))) return false;
          return isText(called.object, seen) || (nameOf(called) === "toString" && isError(called.object));
        };

        const isError = (expression) => {
          const node = bare(expression);
          const name = node?.type === "Identifier" ? node.name : node?.type === "MemberExpression" ? nameOf(node) : "";
          return ERRORS.test(name ?? "");
        };

        const report = (node) =>
          context.report({
            node,
            message:
              "Do not decide by the text of a message, or change it by a pattern: add the data (a code, argument, reason) to the error or the report. Disable this rule, with a reason, only for output of other programs that has no code.",
          });

        /** True for a literal that a text could be compared with. */
        const isWords = (expression) => {
          const node = bare(expression);
          if (node?.type === "TemplateLiteral") return true;
          return node?.type === "Literal" && typeof node.value === "string" && node.value !== "";
        };

        /** True for SQL that contains a text, which a database executes; a pattern has a method of the same name. */
        const isStatement = (method, given) => method === "exec" && bare(given).type === "TemplateLiteral";

        return {
          CallExpression(node) {
            const callee = bare(node.callee);
            if (callee.type !== "MemberExpression") return;
            const method = nameOf(callee);
            const [first, second] = node.arguments;
            const cutsEnd =
              method === "slice" && first?.value === 0 && second !== undefined && second.type !== "UnaryExpression";
            if (LOOKING.has(method) && !cutsEnd && isText(callee.object)) report(node);
            else if (GIVEN.has(method) && first !== undefined && !isStatement(method, first) && isText(first))
              report(node);
          },
          BinaryExpression(node) {
            if (!/^[!=]==?$/.test(node.operator)) return;
            if ((isText(node.left) && isWords(node.right)) || (isText(node.right) && isWords(node.left))) report(node);
          },
          SwitchStatement(node) {
            if (isText(node.discriminant)) report(node);
          },
        };
      },
    },
  },
};
