import js from "@eslint/js";
import path from "node:path";
import tseslint from "typescript-eslint";

const typed = [
  "src/**/*.ts",
  "web/src/**/*.{ts,tsx}",
  "test/**/*.ts",
  "sim/**/*.ts",
  "bench/**/*.ts",
  "scripts/**/*.ts",
];
const pureRooms = ["src/model/**/*.ts", "src/fold/**/*.ts", "src/decide/**/*.ts", "src/views/**/*.ts"];

const kebabCaseName = {
  meta: { type: "problem", schema: [] },
  create: (context) => ({
    Program(node) {
      const name = path.basename(context.filename);
      if (/^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)) return;
      context.report({ node, message: `the file name ${name} is not in kebab-case` });
    },
  }),
};

const noDefaultExport = {
  selector: "ExportDefaultDeclaration",
  message: "Name the export: one idea per file, called the same wherever it is used.",
};
const noBarrel = [
  {
    selector: "ExportAllDeclaration",
    message: "Import the file that defines it; only src/index.ts exports for others.",
  },
  {
    selector: "ExportNamedDeclaration[source]",
    message: "Import the file that defines it; only src/index.ts exports for others.",
  },
];

const pureGlobals = {
  Date: "time is a fact carried by the event (I5)",
  performance: "time is a fact carried by the event (I5)",
  setTimeout: "deadlines are derived from state (I5)",
  setInterval: "deadlines are derived from state (I5)",
  setImmediate: "deadlines are derived from state (I5)",
  queueMicrotask: "pure modules are synchronous (I4)",
  crypto: "chance and digests come from outside",
  process: "pure modules know no process",
  console: "pure modules print nothing",
  fetch: "pure modules reach nobody",
};
const pureSyntax = [
  { selector: ":function[async=true]", message: "Pure modules are synchronous (I4)." },
  { selector: "AwaitExpression", message: "Pure modules are synchronous (I4)." },
  { selector: "ForOfStatement[await=true]", message: "Pure modules are synchronous (I4)." },
  { selector: "NewExpression[callee.name='Promise']", message: "Pure modules are synchronous (I4)." },
  { selector: "MemberExpression[object.name='Promise']", message: "Pure modules are synchronous (I4)." },
  { selector: "ImportExpression", message: "Pure modules are synchronous (I4)." },
];

export default tseslint.config(
  {
    ignores: [
      "dist/",
      "node_modules/",
      "toolchain/",
      ".cache/",
      "coverage/",
      "test/**/fixtures/",
      "test/golden/",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    plugins: { holdfast: { rules: { "kebab-case-name": kebabCaseName } } },
    rules: {
      "holdfast/kebab-case-name": "error",
      "no-empty": ["error", { allowEmptyCatch: false }],
      eqeqeq: "error",
    },
  },
  {
    files: ["scripts/**/*.mjs", "bin/**/*.js", "*.mjs", "test/**/*.{js,mjs}", "bench/peers/**/*.mjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        setInterval: "readonly",
        Buffer: "readonly",
        fetch: "readonly",
        performance: "readonly",
      },
    },
  },
  {
    files: ["bin/**/*.js"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { __dirname: "readonly", __filename: "readonly", require: "readonly" },
    },
  },
  // Compiled against what they use, and run, by test/examples; their packages need not be here to lint them.
  { files: ["examples/**/*.ts"], extends: [tseslint.configs.recommended] },
  {
    files: typed,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", name: ["test", "it", "describe", "suite"], package: "node:test" },
          ],
        },
      ],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "all" }],
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
    },
  },
  {
    files: ["src/**/*.ts", "web/src/**/*.{ts,tsx}"],
    rules: {
      "max-lines": ["error", { max: 300 }],
      "max-lines-per-function": ["error", { max: 60 }],
      "no-restricted-syntax": ["error", noDefaultExport, ...noBarrel],
    },
  },
  { files: ["src/index.ts"], rules: { "no-restricted-syntax": ["error", noDefaultExport] } },
  {
    files: pureRooms,
    rules: {
      "no-restricted-globals": [
        "error",
        ...Object.entries(pureGlobals).map(([name, message]) => ({
          name,
          message: `In a pure module: ${message}.`,
        })),
      ],
      "no-restricted-properties": [
        "error",
        {
          object: "Math",
          property: "random",
          message: "In a pure module: chance is a fact carried by the event.",
        },
      ],
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: "^node:", message: "Pure modules do not reach the machine." }] },
      ],
      "no-restricted-syntax": ["error", noDefaultExport, ...noBarrel, ...pureSyntax],
    },
  },
  {
    files: ["test/**/*.ts", "sim/**/*.ts", "bench/**/*.ts"],
    rules: { "max-lines": ["error", { max: 600 }] },
  },
);
