import { isCountdown, isWaitChoice, saysOverload, saysState } from "./limit-rules.ts";
import { isOtherService } from "./limit-service.ts";

/** What text about a provider's limit comes to. `retrying`: the agent says that it tries again by itself. */
export interface LimitReading {
  readonly phase: "hard" | "retrying";
  /** The line that says it. */
  readonly line: string;
}

const LINES_MAX = 200;
const LINE_CHARS_MAX = 2_000;

/**
 * Distinguishes a provider's limit from text that merely contains such words. A limit is *stated*: to the reader
 * ("You've hit your limit"), as a clause of its own ("Weekly limit reached"), or as an error with a status or a type.
 * Code, tables, lists, and sentences about limits are none. Patterns have no nested repetition, and lines are bounded.
 */
export function readLimit(text: string, without: ReadonlySet<LimitRule> = NONE): LimitReading | null {
  const lines = text.split("\n", LINES_MAX);
  let before = "";
  for (const raw of lines) {
    const line = raw.slice(0, LINE_CHARS_MAX);
    if (!mayStateLimit(line)) {
      if (line.trim() !== "") before = line;
      continue;
    }
    const clean = undecorated(line);
    if (statesLimit({ line, clean, before }, without)) {
      const phase = RETRYING.test(text.slice(0, 20_000)) ? "retrying" : "hard";
      return { phase, line: (clean ?? line.trim()).slice(0, 300) };
    }
    if (line.trim() !== "") before = line;
  }
  return null;
}

/**
 * Each rule needs one of these words. Most lines have none of them, and the patterns of the rules are dear: making them
 * takes a short command longer than anything else that it does.
 */
const HINT =
  /limit|quota|usage|allowance|request|credit|capacity|throttl|exhausted|exceeded|load|many|429|529|resets|busy|demand|traffic|volume|waiting|paused|sleeping|hold|cool|idle|retry|trying|next|will|resuming/i;

export const mayStateLimit = (line: string): boolean => HINT.test(line);

/** Rules that can be left out, so that what each of them changes can be counted. */
export const LIMIT_RULES = ["overload", "state line", "countdown", "choice", "other service"] as const;
export type LimitRule = (typeof LIMIT_RULES)[number];
const NONE: ReadonlySet<LimitRule> = new Set();

function statesLimit(
  { line, clean, before }: { readonly line: string; readonly clean: string | null; readonly before: string },
  without: ReadonlySet<LimitRule>,
): boolean {
  if (!without.has("choice") && isWaitChoice(line)) return true;
  if (clean === null || NEAR.test(clean)) return false;
  if (!without.has("other service") && isOtherService(clean)) return false;
  return (
    isErrorOfLimit(clean) ||
    isAddressed(clean) ||
    isClause(clean) ||
    (!without.has("overload") && saysOverload(clean)) ||
    (!without.has("state line") && saysState(clean)) ||
    (!without.has("countdown") && isCountdown(clean, before))
  );
}

const RETRYING =
  /\bretrying\b|\bretry_|\bretries? \d|\battempt #?\d|\bwill retry\b|\bbacking off\b|has rate limited you/i;

/** Signs before a message that belong to the screen: bullets, boxes, marks of a failure, the clock of a log. */
const DECORATION = /^(?:[\s>*•●○⏺■◆▪✕✖✗✘⎿└╰╭│┃|!·…—–-]|\p{Extended_Pictographic}|\u{fe0f}){1,40}/u;
const LOG_CLOCK = /^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S{0,12} ?(?:-|\|)? ?/;

/** The message without what the screen puts around it; null for code, tables and lists. */
function undecorated(line: string): string | null {
  const trimmed = line.trim();
  if (trimmed === "" || isListed(trimmed)) return null;
  const bare = trimmed
    .replace(/\s{0,40}[│┃|]$/u, "")
    .replace(DECORATION, "")
    .replace(LOG_CLOCK, "")
    .trim();
  const inside = bare.startsWith("[") && bare.endsWith("]") ? bare.slice(1, -1) : bare;
  return isCode(inside) ? null : inside.replaceAll("’", "'");
}

/** A row of a table, an item of a list, a line of a difference, a line found by a search. */
function isListed(line: string): boolean {
  if (/^[-+] ?[\w`"'|([]/.test(line) || /^\d+(?:[.)] |:(?!\d\d[: ])|-\s)/.test(line)) return true;
  const bars = line.match(/[│┃|]/gu)?.length ?? 0;
  return bars > 2 || (bars === 2 && !/^[│┃|].{0,2000}[│┃|]$/u.test(line));
}

const CODE_START =
  /^(?:\/\/|\/\*|\*\/|#|<!--|--|@|\$ |import |from |export |const |let |var |function |def |class |return |raise |throw |except\b|catch\b|try\b|if\b|elif |else\b|for |while |switch |case |when |assert|expect\(|it\(|test\(|describe\(|public |private |fn |func |async |await |print|console\.|logger?\.|echo |grep |curl |git |sed |location |limit_req|docs?:|feat|fix|chore|test:|refactor)/i;
const CODE_SIGN = /===?|!==?|=>|:=|&&|\|\||\+=|;$|[^[(]\{$|\) ?\{|\[\^|\w\(\)|\$\w+|^<\w/;
const LITERAL = /^(?:[bfr]?["'`]).{0,2000}["'`][,;)\]]{0,3}$/i;

const isCode = (text: string): boolean =>
  LITERAL.test(text) ||
  CODE_START.test(text) ||
  (CODE_SIGN.test(text) && !JSON_BODY.test(text)) ||
  (/^\S{1,400}$/.test(text) && text.includes("/"));

const JSON_BODY = /\{\s?\\?"(?:type|error|code|message|status|param|detail)\\?"/;

/** A warning that a limit is near is none yet; nor is a display of what is left. */
const NEAR =
  /\b(?:approaching|nearing|close to|almost|nearly|about to)\b|\d ?% (?:left|remaining|used|of)|\b(?:left|remaining)\b(?! until)|\bless than\b|\b(?:no|without|not) (?:rate|usage)[- ]limit|░|▒/i;

/** With a status or a type of its own, in the shape of an error. */
const STATUS =
  /\b(?:status|code|error|http(?:\/\d(?:\.\d)?)?|rejected|failed|api error|repeated)\b[^\n\d/]{0,40}?\b(?:429|529)\b(?![.,:]\d| (?:is|was|are|when|means|responses?|because|should|will|after|errors? (?:is|are))\b)|"(?:code|status)\\?" ?: ?(?:429|529)|\b(?:429|529)[: ]{1,2}(?:too many requests|overloaded|\{|resource|rate)|\((?:429|529)\)/i;
const TYPE =
  /\b(?:rate_?limit_?(?:error|exceeded|reached)|resource_?exhausted|overloaded_?error|throttling_?exception|too_?many_?requests_?(?:exception|error)?|insufficient_quota|\w{0,30}usage_?limit_?(?:error|reached|exceeded)|quota_?exceeded_?(?:error|exception)?|model_overloaded)\b/i;
const TYPE_SHAPE =
  /\\?"(?:type|code|status|error|message|reason)\\?" ?:|\b\w{1,40}(?:error|exception|exceeded)\b ?[:({-]|^(?:api |http |request |unexpected |fatal |stream |provider )?(?:error|warn(?:ing)?|failed|failure)\b/i;
const ERROR_START =
  /^.{0,60}?\b(?:error|failed|failure|exception|exceeded retry limit|warn|rejected|disconnected|got status|last status|http)\b/i;

const isErrorOfLimit = (text: string): boolean =>
  (STATUS.test(text) && ERROR_START.test(text) && !/\bline \d/i.test(text.slice(0, 60))) ||
  (TYPE.test(text) && TYPE_SHAPE.test(text)) ||
  (/^.{0,60}?\b(?:error|failed|exception)\b/i.test(text) && STATED.test(text));

/** Phrases that only a provider says. */
const STATED =
  /resource has been exhausted|would exceed your [\w']{1,20} (?:rate limit|.{0,20}limit)|temporarily limiting requests|too many tokens, please wait|(?:model|server|service|provider|engine) is (?:currently |temporarily )?(?:overloaded|at capacity|over capacity)(?! (?:with|when|if|in|by|because)\b)|\brate limited$|exceeded your current quota|exceeded (?:the )?(?:call )?rate limit/i;

/** Said to the reader. */
const ADDRESSED =
  /^(?:sorry,? |oops[,!]? |(?:api )?error: |warning: |info: |notice: ){0,2}(?:you(?:'ve| have)(?: now| just| already)? (?:hit|reached|exceeded|used up|used all(?: of)?|exhausted|run out of|maxed out)\b.{0,60}?\b(?:limits?|quota|usage|allowance|requests|credits|capacity)\b|you(?:'re| are) (?:now |currently |temporarily )?(?:out of|over|being|at) .{0,30}?(?:usage|limit|limited|quota|credits|throttled)\b|you exceeded your .{0,30}?(?:quota|limit)|your .{0,40}?\b(?:limit|quota|usage|credits)\b.{0,20}?(?:(?:has|have) been |was |were |is |are )?(?:reached|exceeded|exhausted|used up|depleted|will reset)\b)/i;

const isAddressed = (text: string): boolean => {
  if (ADDRESSED.test(text)) return true;
  return /\bhas rate limited you\b/i.test(text) || (STATED.test(text) && STATED_START.test(text));
};
const STATED_START =
  /^(?:.{0,80}?: |\d{3} )?(?:the |this |that |your |our |server |model |request |resource |too |requests )/i;

/** A clause of its own: what is limited, and that it is reached; nothing but a reason, a time or advice follows. */
const CLAUSE =
  /(?:\b(?:rate|usage|weekly|session|daily|monthly|hourly|request|token|spend|spending|message|messages|api|hour|5h|opus|sonnet|requests|tokens|plan|free tier|quota|context window usage)[- ]limits?|(?<!disk )\bquota|\bfree usage|\busage cap|^limits?)(?: has been| have been| was| were| is| are)? (?:reached|exceeded|hit|exhausted)\b|\brate[- ]limited\b|\btoo many requests\b|\baccess resets at\b|\bout of (?:\w{1,20} )?(?:usage|quota|credits)\b/gi;
const AFTER =
  /^\s{0,3}(?:$|[.,;:!|·∙•—–)\]}"\\([]|- |(?:for|on|resets?|please|try|retry|retrying|by|at|in|until|waiting|wait|with|and will|upgrade)\b|\d)/i;
const ABOUT =
  /\b(?:if|when|whenever|that|whether|because|after|until|unless|handle[sd]?|handling|tests?|testing|checks?|add|adds|fix(?:es|ed)?|logs?|logged|catch|throws?|returns?|explains?|mentions?|mentioning|messages?|about|says?|shows?|detect(?:s|ed)?|simulate|trigger|cause[sd]?|like|such|path|case|why|how|what|assert|expects?|means?|avoid|prevent|get|gets|getting|we|i|let's|should|could|may|might|would|can)\b/i;

function isClause(text: string): boolean {
  for (const found of text.matchAll(CLAUSE)) {
    const before = text.slice(0, found.index);
    const clause = before.slice(
      Math.max(
        ...[". ", ": ", "; ", "! ", "? ", '":"', "{", "(", "· ", "∙ "].map((sign) => endOf(before, sign)),
        0,
      ),
    );
    if (clause.length > 40 || ABOUT.test(clause) || /["'`/\\=<>]$/.test(clause.trimEnd())) continue;
    if (AFTER.test(text.slice(found.index + found[0].length))) return true;
  }
  return false;
}

const endOf = (text: string, sign: string): number => {
  const at = text.lastIndexOf(sign);
  return at === -1 ? 0 : at + sign.length;
};
