import type { SignalRule } from "../../model/agent/command-signals.ts";

type Fields = ReadonlyMap<string, unknown>;

const DEPTH_MAX = 5;
const LINES_MAX = 500;
const KIND_NAMES = ["type", "event", "kind"];

/**
 * Rules for the JSON Lines of a program that nobody has described, guessed by the names of its fields. They are shown to
 * a person, who decides; nothing is recognised by a guess.
 */
export function proposeSignals(lines: readonly unknown[]): SignalRule[] {
  const read = lines.slice(0, LINES_MAX).map((line) => fieldsOf(line));
  const kindName = KIND_NAMES.find((name) => read.some((line) => typeof line.get(name) === "string"));
  const rules: SignalRule[] = [];
  const session = fieldNamed(merged(read), /(?:^|\.)(?:session|conversation|thread)_?id$/i, "string");
  if (session !== undefined) rules.push({ is: "session", id: session });
  const kinds = kindName === undefined ? [undefined] : [...new Set(read.map((line) => line.get(kindName)))];
  for (const kind of kinds) {
    if (kind !== undefined && typeof kind !== "string") continue;
    const own = merged(read.filter((line) => kindName === undefined || line.get(kindName) === kind));
    const when = kindName === undefined || kind === undefined ? {} : { when: { [kindName]: kind } };
    const rule = ruleOf(kind ?? "", own);
    if (rule !== undefined) rules.push({ ...rule, ...when });
    const usage = usageOf(own);
    if (usage !== undefined) rules.push({ ...usage, ...when });
  }
  return rules;
}

const TEXT = /(?:^|\.)(?:text|content|words|message|delta|say|answer|result|output)$/i;

/** What a line of this kind is, by the name of its kind and of its fields. */
function ruleOf(kind: string, fields: Fields): SignalRule | undefined {
  const id = fieldNamed(fields, /(?:^|\.)(?:tool_?|call_?)?id$/i);
  const name = fieldNamed(fields, /(?:^|\.)(?:tool_name|name|tool)$/i, "string");
  const text = fieldNamed(fields, TEXT, "string");
  const ok = fieldNamed(fields, /(?:^|\.)(?:status|ok|success)$/i);
  if (/error|fail/i.test(kind)) {
    const why = fieldNamed(fields, /(?:^|\.)(?:message|error|text|why)$/i, "string");
    const status = fieldNamed(fields, /(?:^|\.)(?:status|status_?code)$/i, "number");
    return why === undefined ? undefined : { is: "error", text: why, ...(status && { status }) };
  }
  if (/(?:tool|function|command|call)\w{0,20}[._-]?(?:result|end|output|response|completed)/i.test(kind))
    return { is: "result", ...(id && { id }), ...(text && { text }), ...(ok && { ok }) };
  if (/tool|function|call/i.test(kind) && name !== undefined) {
    const args = fieldNamed(fields, /(?:^|\.)(?:args|arguments|input|parameters)$/i);
    return { is: "call", name, ...(id && { id }), ...(args && { args }) };
  }
  if (/^(?:result|done|end|final|finish|complete|stop)|completed$/i.test(kind))
    return { is: "done", ...(ok && { ok }), ...(text && { text }) };
  return text === undefined || /^(?:user|system|init|start)/i.test(kind)
    ? undefined
    : { is: "message", text };
}

function usageOf(fields: Fields): SignalRule | undefined {
  const count = (names: RegExp): string | undefined => fieldNamed(fields, names, "number");
  const tokensIn = count(/(?:^|[._])(?:input_?tokens|prompt_?tokens|usage\.in(?:put)?|tokens\.in(?:put)?)$/i);
  const tokensOut = count(
    /(?:^|[._])(?:output_?tokens|completion_?tokens|usage\.out(?:put)?|tokens\.out(?:put)?)$/i,
  );
  const cachedIn = count(/(?:^|[._])(?:cached(?:_input)?_?tokens|cache_read_input_tokens|usage\.cached)$/i);
  const usd = count(/(?:^|\.)(?:usd|cost(?:_usd)?|total_cost_usd)$/i);
  if (tokensIn === undefined && tokensOut === undefined && usd === undefined) return undefined;
  return {
    is: "usage",
    ...(tokensIn && { tokensIn }),
    ...(cachedIn && { cachedIn }),
    ...(tokensOut && { tokensOut }),
    ...(usd && { usd }),
    total: false,
  };
}

/** The first field, the shallowest first, whose name matches and whose value is of the type. */
function fieldNamed(fields: Fields, names: RegExp, type?: "string" | "number"): string | undefined {
  const found = [...fields].filter(
    ([name, value]) => names.test(name) && (type === undefined ? value !== null : typeof value === type),
  );
  return found.map(([name]) => name).toSorted((a, b) => depthOf(a) - depthOf(b))[0];
}

const depthOf = (name: string): number => name.split(".").length;

const merged = (lines: readonly Fields[]): Fields => new Map(lines.flatMap((line) => [...line]));

/** All fields of a value by their paths. */
function fieldsOf(value: unknown, before = "", depth = 0): Fields {
  const found = new Map<string, unknown>();
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return found;
  for (const [name, inner] of Object.entries(value).slice(0, 50)) {
    found.set(`${before}${name}`, inner);
    for (const [deeper, one] of fieldsOf(inner, `${before}${name}.`, depth + 1)) found.set(deeper, one);
  }
  return found;
}
