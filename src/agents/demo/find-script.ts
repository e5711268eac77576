import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { errorText } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import { BUNDLED_SCRIPTS } from "./bundled-scripts.ts";
import { demoScriptSchema, type DemoScript } from "./demo-script.ts";

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
