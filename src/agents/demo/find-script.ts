import path from "node:path";
import { type DemoScript, type DemoScriptInput, demoScriptSchema } from "./demo-script.ts";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { errorText } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";

export type ScriptLookup =
  | { readonly kind: "found"; readonly script: DemoScript }
  | { readonly kind: "missing"; readonly text: string };

/** A bundled script's name, or the path of a file that holds one as JSON. */
export function findScript(spec: AgentSpec, cwd: string): ScriptLookup {
  const name = spec.script ?? "hello";
  if (Object.hasOwn(BUNDLED_SCRIPTS, name))
    return checkScript(BUNDLED_SCRIPTS[name], `the bundled script "${name}"`);
  const file = path.resolve(cwd, name);
  let content: unknown;
  try {
    const text = plainText(file, { bytesMax: RECORD_BYTES_MAX, links: "follow" });
    if (text === undefined) throw new Error(`there is no file ${file}`);
    content = JSON.parse(text);
  } catch (error) {
    const bundled = Object.keys(BUNDLED_SCRIPTS).join(", ");
    return missing(
      `the script "${name}" is neither bundled nor a readable JSON file (${errorText(error)}); ` +
        `expected one of ${bundled}, or the path of a file such as {"attempts":[[{"do":"say","text":"hello"}]]}`,
    );
  }
  return checkScript(content, `the script ${file}`);
}

function checkScript(content: unknown, what: string): ScriptLookup {
  const checked = demoScriptSchema.safeParse(content);
  if (checked.success) return { kind: "found", script: checked.data };
  const problems = checked.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  return missing(`${what} is not valid: ${problems.join("; ")}`);
}

const missing = (text: string): ScriptLookup => ({ kind: "missing", text });

const SLOW_ACTS = 20;
const slowActs = Array.from({ length: SLOW_ACTS }, (_, index) => [
  { do: "sleep" as const, ms: 500 },
  {
    do: "progress" as const,
    text: `part ${String(index + 1)} of ${String(SLOW_ACTS)}`,
    pct: (100 * (index + 1)) / SLOW_ACTS,
  },
]).flat();

/** Scripts that come with Holdfast, by name. */
export const BUNDLED_SCRIPTS: Readonly<Record<string, DemoScriptInput>> = {
  /** Works and succeeds. */
  hello: {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "write", file: "hello.txt", content: "{task}\n" },
        { do: "claim", ok: true, text: "wrote hello.txt" },
      ],
    ],
  },
  /** Does any step of the ready-made flows: writes its notes, and approves what it is asked to review. */
  stages: {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "write", file: "notes/{step}.md", content: "{task}\n" },
        { do: "write", file: "notes/{step}.json", content: '{ "approved": true, "findings": [] }\n' },
        { do: "claim", ok: true, text: "wrote notes/{step}.md" },
      ],
    ],
  },
  /** Dies in the middle of its first attempt and works on the second. */
  "crash-once": {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "tool", name: "compile", args: "everything", result: "killed", ok: false },
        { do: "crash" },
      ],
      [
        { do: "say", text: "I was asked again: {task}" },
        { do: "write", file: "hello.txt", content: "{task}\n" },
        { do: "claim", ok: true, text: "wrote hello.txt at the second attempt" },
      ],
    ],
  },
  /** Takes ten seconds and shows how far it is. */
  slow: { attempts: [[...slowActs, { do: "claim", ok: true, text: "all parts done" }]] },
  /** Never succeeds. */
  fails: {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "error", text: "the tests still fail" },
        { do: "exit", code: 1 },
      ],
    ],
  },
  /** Exits with 0 and has nothing to show for it. */
  "no-evidence": { attempts: [[{ do: "exit", code: 0 }]] },
};
