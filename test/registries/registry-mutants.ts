import { spawn } from "node:child_process";
import path from "node:path";
import ts from "typescript";
import { parsed, sourceText } from "../source-files.ts";
import { REGISTRIES, type Registry } from "./registries.ts";

const repository = path.join(import.meta.dirname, "..", "..");
const deadlineMs = 300_000;

/** A registry without one of its entries. */
export interface RegistryMutant {
  readonly registry: Registry;
  readonly entry: string;
  readonly from: number;
  readonly to: number;
}

/** The object or list that a constant is made of, no matter what is said of its type. */
function literalOf(node: ts.Expression): ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | null {
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) return node;
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return literalOf(node.expression);
  if (ts.isNewExpression(node)) return literalOf(node.arguments?.[0] ?? ts.factory.createNull());
  return null;
}

function literalIn(file: string, name: string) {
  const source = parsed(file);
  let found: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | null = null;
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.name.text === name &&
      node.initializer !== undefined
    )
      found ??= literalOf(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (found === null) throw new Error(`${file} holds no registry ${name}`);
  return { source, literal: found as ts.ObjectLiteralExpression | ts.ArrayLiteralExpression };
}

const nameOf = (node: ts.Node, source: ts.SourceFile): string => {
  const text = (ts.isObjectLiteralElementLike(node) ? node.name : undefined) ?? node;
  return text.getText(source).replace(/\s+/g, " ").slice(0, 60);
};

/** One mutant for each entry; what a registry takes over from another one is mutated there. */
export function mutantsOf(registry: Registry): RegistryMutant[] {
  const { source, literal } = literalIn(registry.file, registry.name);
  const entries: ts.NodeArray<ts.Node> = "properties" in literal ? literal.properties : literal.elements;
  const text = sourceText(registry.file);
  return entries.flatMap((node) => {
    if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) return [];
    const comma = /^\s*,/.exec(text.slice(node.end))?.[0].length ?? 0;
    return [{ registry, entry: nameOf(node, source), from: node.getFullStart(), to: node.end + comma }];
  });
}

export const registryMutants = (): RegistryMutant[] => REGISTRIES.flatMap(mutantsOf);

/** The first test that fails without the entry; null where none does. */
export async function killerOf({ registry, from, to }: RegistryMutant): Promise<string | null> {
  const mutant = JSON.stringify({ file: path.join(repository, registry.file), from, to });
  for (const file of registry.tests) {
    const { code, output } = await play(file, mutant);
    const title = /^not ok \d+ - (.*)$/m.exec(output)?.[1];
    if (code !== 0)
      return title ?? `${file} does not load: ${/Error: (.*)/.exec(output)?.[1] ?? String(code)}`;
  }
  return null;
}

function play(file: string, mutant: string): Promise<{ code: number; output: string }> {
  const hook = path.join(import.meta.dirname, "mutant-hook.mjs");
  const args = ["--import", hook, "--test-reporter=tap", path.join(repository, file)];
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, HOLDFAST_MUTANT: mutant },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: deadlineMs,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve) =>
    child.on("close", (code) => {
      resolve({ code: code ?? 1, output });
    }),
  );
}
