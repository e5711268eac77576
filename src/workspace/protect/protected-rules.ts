/**
 * Rules for protected paths: `*` and `?` within a name, `**` for any number of names, `!` in front excludes.
 * `x/**` means x and everything in it. Later rules win. Matching takes linear or quadratic time, regardless of the
 * rule.
 */
export interface ProtectedRules {
  /** Whether a path (relative, with `/`) is protected. */
  covers(path: string): boolean;
  /** Whether something below that folder may be protected. */
  reachesInto(folder: string): boolean;
  /** Where to begin to look: the fixed beginnings of the rules. */
  readonly starts: readonly string[];
}

const HAS_WILDCARD = /[*?]/;

export function protectedRules(texts: readonly string[]): ProtectedRules {
  const rules = texts.map(readRule).filter(({ names }) => names.length > 0);
  const including = rules.filter(({ excludes }) => !excludes);
  return {
    covers(path) {
      const names = path.split("/");
      return rules.findLast((rule) => matches(rule.names, names))?.excludes === false;
    },
    reachesInto(folder) {
      const names = folder === "" ? [] : folder.split("/");
      const excluded = rules.findLast(({ names: of }) => coversWhole(of, names));
      return excluded?.excludes !== true && including.some((rule) => mayReach(rule.names, names));
    },
    starts: [...new Set(including.map(({ names }) => fixedPart(names).join("/")))],
  };
}

function readRule(text: string): { readonly excludes: boolean; readonly names: readonly string[] } {
  const excludes = text.startsWith("!");
  const names = (excludes ? text.slice(1) : text).split("/").filter((name) => name !== "" && name !== ".");
  return { excludes, names };
}

const fixedPart = (names: readonly string[]): readonly string[] => {
  const at = names.findIndex((name) => HAS_WILDCARD.test(name));
  return at === -1 ? names : names.slice(0, at);
};

/** Dynamic programming over names: `reached[j]` shows whether the rule so far matches the first j names of the path. */
function matches(rule: readonly string[], path: readonly string[]): boolean {
  let reached = path.map(() => false);
  reached.unshift(true);
  for (const part of rule) {
    const next = reached.map(() => false);
    for (let at = 0; at <= path.length; at += 1) {
      const name = at === 0 ? undefined : path[at - 1];
      if (part === "**") next[at] = reached[at] === true || (at > 0 && next[at - 1] === true);
      else next[at] = name !== undefined && reached[at - 1] === true && matchesName(part, name);
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/** An excluded folder is not looked into; `x/**` covers everything x holds. */
const coversWhole = (rule: readonly string[], folder: readonly string[]): boolean =>
  rule.at(-1) === "**" && matches(rule, folder);

/** A path below the folder may match: the folder is matched by some beginning of the rule. */
const mayReach = (rule: readonly string[], folder: readonly string[]): boolean =>
  rule.some((part, at) => (part === "**" ? matches(rule.slice(0, at + 1), folder) : false)) ||
  rule.some((_, at) => at > 0 && matches(rule.slice(0, at), folder)) ||
  folder.length === 0;

/** `*` any characters, `?` one: the standard matching with one place to go back to. */
function matchesName(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let from = 0;
  while (n < name.length) {
    if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n]) && pattern[p] !== "*") {
      p += 1;
      n += 1;
    } else if (pattern[p] === "*") {
      star = p;
      from = n;
      p += 1;
    } else if (star !== -1) {
      p = star + 1;
      from += 1;
      n = from;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}
