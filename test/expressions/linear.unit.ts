import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { readPrompt } from "../../src/agents/tmux/programs/program.ts";
import { parsed, sourceFiles } from "../source-files.ts";

interface Expression {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Made from words at run time, each with the reason why it is linear. */
const COMPOSED: Readonly<Record<string, string>> = {
  "src/agents/keeper/live-sessions.ts": "a constant before `=(.+)@([^@]+)$`, tried on one word",
  "src/agents/tmux/find-program.ts":
    "a dialog from the configuration, which `readPrompt` admits or refuses, on the foot of a screen",
  "src/agents/tmux/programs/program.ts":
    "a prompt from the configuration, which `readPrompt` admits or refuses",
  "src/agents/tmux/type/talks.ts": "a learned prompt: a line of the screen, with everything escaped",
  "src/decide/dispatch/repository.ts": "the run's id as a literal, with its points escaped",
  "src/model/text/limit-rules.ts": "constant parts, held to the beginning, with a bound on every repetition",
  "src/model/text/redact.ts": "known values as literals, with everything escaped",
  "src/views/report/compare-events.ts": "the run's id as a literal, with everything else escaped",
};

function collect(): { literals: Expression[]; composed: string[] } {
  const literals: Expression[] = [];
  const composed = new Set<string>();
  for (const file of sourceFiles()) {
    const look = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        literals.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
      }
      const made = ts.isNewExpression(node) || ts.isCallExpression(node) ? node.expression : undefined;
      if (made !== undefined && ts.isIdentifier(made) && made.text === "RegExp") composed.add(file);
      ts.forEachChild(node, look);
    };
    look(parsed(file));
  }
  return { literals, composed: [...composed] };
}

/** Far more than all of them take; a hang is no answer. */
const HANG_MS = 240_000;

function attack(expressions: readonly Pick<Expression, "source" | "flags">[]): string[] {
  const asked = JSON.stringify(expressions.map(({ source, flags }) => [source, flags]));
  const program = path.join(import.meta.dirname, "run-attacks.ts");
  const { stdout } = spawnSync(process.execPath, [program, asked], { encoding: "utf8", timeout: HANG_MS });
  const reported = stdout.split("\n").filter(Boolean);
  const found = reported
    .map((line) => JSON.parse(line) as { source?: string; found?: string })
    .flatMap(({ source, found: shown }) => (shown === undefined ? [] : [`/${String(source)}/ on ${shown}`]));
  return reported.at(-1) === `{"done":true}`
    ? found
    : [...found, `never ended: ${reported.at(-1) ?? "not even begun"}`];
}

test("J4 P2 T24 every regular expression of the product takes time in proportion to the text, no matter what an agent prints", () => {
  const { literals, composed } = collect();
  assert.ok(literals.length > 400, String(literals.length));
  const unlike = new Map(literals.map((one) => [`${one.source}/${one.flags}`, one]));
  assert.deepEqual(attack([...unlike.values()]), []);
  assert.deepEqual(
    composed.sort(),
    Object.keys(COMPOSED),
    "expressions that are made from words at run time",
  );
});

test("P2 the attack finds expressions that are quadratic or worse", () => {
  const slow = [
    ["\\r+$", ""],
    ["\\s*[#;].*$", ""],
    ["^\\s*(?:Ask)?\\s*$", ""],
    ["API Error.*limit", ""],
    ["^(.+) <(.+)>$", ""],
    ["^\\s*❯ \\d\\. ", "m"],
    ["\\d+ of \\d", ""],
  ] as const;
  const found = attack(
    [...slow, ["^[a-z]+ ([^<>]+)$", "i"] as const].map(([source, flags]) => ({ source, flags })),
  );
  const sources = found.map((line) => line.slice(1, line.indexOf("/ on ")));
  // A machine under load may hide one in its noise; what is linear is never among them.
  const missed = slow.map(([source]) => source).filter((source) => !sources.includes(source));
  assert.ok(missed.length <= 2, missed.join(", "));
  assert.equal(sources.length, slow.length - missed.length, sources.join(", "));
});

test("P2 T24 a prompt from the configuration is refused where it could be slow, before anything is done with it", () => {
  for (const pattern of ["(a+)+$", "(a|b)*c", "a*b*c*d*e*", "(?=a)b", "x".repeat(201), "[".repeat(100_000)])
    assert.ok("problem" in readPrompt(pattern), pattern.slice(0, 40));
  assert.ok(readPrompt("^> $") instanceof RegExp);
});
