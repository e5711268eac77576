import { readLimit } from "./limit-text.ts";

/** What an agent's last word comes to where it is no claim of success, and the line that says so. */
export interface LastWord {
  readonly kind: "error" | "limit" | "refusal";
  readonly line: string;
}

const CHARS_MAX = 8_000;
const LINE_CHARS_MAX = 600;
const SAID_CHARS_MAX = 300;
/** A summary of work is longer than what an agent says that got nowhere. */
const SHORT_CHARS = 1_500;
const REFUSAL_CHARS = 700;

/**
 * Distinguishes an error, a limit or a refusal that is an agent's last word from a summary of its work that mentions
 * one. Two places count: the last line, and the first line of a text that is short. Code, quotations and lists are no
 * statements, nor is an error of which the same text says that it was mended. Patterns have no nested repetition, and
 * lines are bounded: the time is linear in the text.
 */
export function readLastWord(text: string): LastWord | null {
  const all = proseLines(text.slice(-CHARS_MAX));
  // What to do about it is said after an error, and is none.
  const lines = all.slice(0, all.findLastIndex((line) => !ADVICE.test(line)) + 1);
  const first = lines[0];
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return null;
  const whole = lines.join("\n");
  if (whole.length <= REFUSAL_CHARS && isRefusal(first, whole)) return said("refusal", first);
  const opening =
    whole.length <= SHORT_CHARS && !isMended(lines.slice(1).join("\n")) ? statement(first) : null;
  if (opening !== null) return opening;
  return isQuoted(lines) ? null : statement(last);
}

const ADVICE =
  /^(?:please|you (?:can|may|could)|try to) (?:re-?send|re-?try|re-?submit|re-?run|try|send|repeat)\b.{0,160}$/i;

const said = (kind: LastWord["kind"], line: string): LastWord => ({
  kind,
  line: line.slice(0, SAID_CHARS_MAX),
});

/** The lines that state something: no code, no quotation, no decoration; of a list only what is no item. */
function proseLines(text: string): string[] {
  let isCode = false;
  const lines: string[] = [];
  for (const raw of text.split("\n")) {
    if (/^\s{0,8}(?:```|~~~)/.test(raw)) isCode = !isCode;
    else if (!isCode && !/^(?: {4,}|\t)/.test(raw)) lines.push(undecorated(raw.slice(0, LINE_CHARS_MAX)));
  }
  return lines.filter((line) => line !== "" && !/^[-_=*~─]{2,}$/u.test(line));
}

const ITEM = /^(?:[-*+•▪◦] |\d{1,3}[.)] |>|\|)/u;
const MARKS = /^(?:[\s✕✖✗✘⨯×●⏺■◆⎿└╰│┃!…]|\p{Extended_Pictographic}|\u{fe0f}){1,20}/u;
const CLOCK = /^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S{0,12} {1,3}/;

function undecorated(raw: string): string {
  const line = raw.trim();
  if (ITEM.test(line)) return "";
  return line
    .replace(MARKS, "")
    .replace(CLOCK, "")
    .replaceAll("**", "")
    .replaceAll("’", "'")
    .replaceAll(/`[^`]{0,200}`/g, "``")
    .trim();
}

/** A log that the text before it introduces, in a text that reports mended things. */
const isQuoted = (lines: readonly string[]): boolean =>
  lines.length > 1 && (lines.at(-2) ?? "").endsWith(":") && isMended(lines.slice(0, -1).join("\n"));

const MENDED =
  /\b(?:fixed|resolved|corrected|solved|repaired|mended|worked around|works? around|no longer|now (?:pass|works?|handle|green|succeed|retr|return|report|fail)\w{0,4}|(?:tests?|checks?|suite|build) (?:now )?(?:pass|passes|passed|succeeds?|succeeded|is green|are green)|all (?:green|good|done)|(?:i|we)(?:'ve| have)? (?:\w{1,12} )?(?:added|changed|implemented|updated|created|wrote|rewrote|refactored|removed|replaced|handled|made|moved|renamed|documented|kept|left|used|set|put|built))\b/i;
const isMended = (text: string): boolean => MENDED.test(text);

/** A limit or an error that the line itself states. */
function statement(line: string): LastWord | null {
  const limit = readLimit(line);
  if (limit !== null && !isMended(line)) return said("limit", line);
  return isError(line) ? said("error", line) : null;
}

/** As programs print it: a word for an error and a colon, or a message that only a shell or a system gives. */
const PRINTED: readonly RegExp[] = [
  /^(?:(?:uncaught|unhandled|fatal|internal|api|http|runtime|system|unexpected|provider|stream|request|network|server|model|llm|agent|tool|an?)[ -]){0,3}(?:error|exception|failure|panic|fatal)(?:\[\w{1,12}\])?(?: \(?(?:code )?[\w.]{0,6}\d{1,5}\)?)?:(?!\s{0,3}(?:(?:none|0|nil|n\/a|nothing|no errors?|no problems?)\b|no[.!]?$))/i,
  /^(?:\(node:\d+\) )?(?:uncaught )?[a-z_$][\w.$]{0,60}(?:error|exception)(?: \[[\w ]{1,40}\])?: (?!(?:now|added|new|fixed|renamed|is|are|was|will|thrown|handled|handling|removed)\b)\S/i,
  /^\[?(?:error|fatal|critical)\] /i,
  /^(?:error|fatal|critical) {1,4}\S{1,60} {1,3}(?:failed|refused|error|not found|denied)\b/i,
  /^(?:npm|yarn|pnpm) (?:err!|error)/i,
  /^(?:[\w./-]{1,60}: ){1,3}(?:line \d{1,6}: |\d{1,6}: )?.{0,200}(?:command not found|no such file or directory|permission denied|(?:is|not) a directory|syntax error|(?:unrecognized|illegal|invalid|unknown) option|: not found)\b.{0,80}$/i,
  /^(?:segmentation fault|killed|aborted|bus error|illegal instruction|terminated|out of memory)(?: \(core dumped\))?[.!]?$/i,
  /^(?:the )?(?:command|process|it|agent|program|script)? ?(?:exited|failed|ended|terminated) with (?:an? )?(?:non-zero )?(?:exit )?(?:code|status)\b(?! 0\b)/i,
  /^(?:http(?:\/\d(?:\.\d)?)? |status(?: code)? |error (?:code )?)[45]\d\d\b(?! (?:is|was|are|responses?|now|when))/i,
  /^[45]\d\d (?:internal|bad|unauthorized|forbidden|service|gateway|too many|payment|not found$)/i,
  /^(?:econnrefused|econnreset|etimedout|enotfound|eai_again|epipe)\b(?! (?:is|was|are|no longer|now|errors?))/i,
  /^traceback \(most recent call last\):?$/i,
  /^(?:[45]\d\d )?\{ ?"(?:type|error)" ?: ?(?:"error"|\{)/i,
  /^(?:stream disconnected before|prompt is too long\b|conversation history too large|we're currently experiencing high demand)/i,
];

/** As an agent reports it, in a sentence: none where the sentence goes on to what was done about it. */
const REPORTED: readonly RegExp[] = [
  /^(?:sorry[,!.]? |oops[,!.]? |unfortunately,? |it (?:seems|looks like) )?(?:but )?(?:i |we |it |the agent |the model |goose )?(?:ran into|encountered|hit|got|received|there (?:was|has been|is)|experienced|met) (?:this|an?|the following|the|some) (?:[\w-]{1,20} ){0,3}(?:error|exception|failure)\b/i,
  /^(?:an?|some|the following) (?:[\w-]{1,20} ){0,3}(?:error|exception) (?:has )?(?:occurred|happened|was returned|came back)\b/i,
  /^(?:oops[,!.]? )?something went wrong\b/i,
  /^(?:the |your |this |my )?(?:[\w-]{1,20} ){0,2}(?:request|operation|call|command|task|connection|session|turn|stream|model|server|provider|api|authentication|login|response|network|recovery|compaction)(?: call| request| error)?(?: has| have| was| were| is| had)?(?: been)? (?:failed|aborted|timed out|refused|rejected|denied|terminated|interrupted|reset|lost|closed|unavailable|overloaded|disconnected)(?:$|[.:,(!;]| (?:with|after|because|due|by|while|on|to|at|before|unexpectedly|error)\b)/i,
  /^(?:failed|unable) to \w{2,20}\b/i,
  /^(?:i |we )(?:was|were|am|'m|have been)? ?(?:unable|not able|wasn't able|weren't able|couldn't|could not|failed|did not manage|didn't manage|cannot|can't)(?: to)? (?:complete|finish|carry out|accomplish|perform|do|make) (?:the|this|your|that|it|any)\b/i,
  /^(?:cannot|can't|could not|couldn't) (?:connect|reach|open|read|write|find module|load|access|start|resolve|authenticate|log in|contact|continue|complete)\b/i,
  /^(?:invalid|incorrect|missing|expired|no) (?:api[ -]?keys?|credentials?|(?:auth )?token)\b/i,
  /^(?:unauthori[sz]ed|not logged in|please (?:log ?in|sign in|run ``|authenticate)|authentication (?:failed|required|error)|access denied)\b/i,
  /^(?:the |this )?(?:[\w-]{1,20} )?(?:model|server|service|provider|api) (?:is (?:currently |temporarily )?(?:overloaded|unavailable|down|at capacity|not (?:available|found|supported|responding))|returned (?:an? )?(?:[\w-]{1,20} )?(?:error|empty|[45]\d\d)|(?:did|does) not (?:answer|respond|exist))\b/i,
];

/** It goes on to something that was done, or says that there is nothing of the kind. */
const GOES_ON =
  /[,;.–—-] ?(?:so|but|therefore|instead|hence|and now|now|which is why)\b|\b(?:any ?more|any (?:other|remaining|further|more)|as (?:expected|intended|asked|before)|(?:is|are) (?:shown|reported|caught|handled|retried|logged) now)\b/i;
/** A sentence of its own behind a printed error: "Error: it threw on empty input. Fixed." */
const MENDED_AFTER =
  /[.;!)–—] ?(?:this |that |it )?(?:is |was |has been )?(?:now )?(?:fixed|resolved|solved|corrected|gone|handled)\b/i;

const isError = (line: string): boolean =>
  PRINTED.some((pattern) => pattern.test(line))
    ? !MENDED_AFTER.test(line)
    : REPORTED.some((pattern) => pattern.test(line)) && !isMended(line) && !GOES_ON.test(line);

const REFUSAL: readonly RegExp[] = [
  /^(?:(?:i'm|i am) (?:so |very |really )?sorry[,.]? (?:but )?|sorry[,.]? (?:but )?|unfortunately,? (?:but )?|i apologi[sz]e[,.]? (?:but )?|as an ai(?: language model| assistant| model)?,? |no[,.] )?(?:i|we)(?: |')(?:can't|cannot|can not|won't|will not|m unable to|am unable to|are unable to|m not able to|am not able to|m not allowed to|am not allowed to|must decline to|have to decline to|decline to|refuse to|must refuse to)(?: \w{2,12}ly)? (?:help|assist|do|comply|fulfil|fulfill|continue|support|complete|perform|carry out|provide|create|write|engage|participate|process|answer|proceed|work on|go on|take part|make)\b/i,
  /^(?:(?:i'm|i am) sorry[,.]? (?:but )?|sorry[,.]? (?:but )?)?(?:i|we) (?:must|have to|need to|will) (?:decline|refuse)\b/i,
  /^(?:(?:i'm|i am) sorry[,.]? (?:but )?)?(?:i|we)(?: |')(?:can't|cannot|won't|m unable to|am unable to|m not able to)\.?$/i,
  /^(?:this|that|your|the) (?:request|task|prompt|content) (?:violates|goes against|is against|was (?:declined|refused|blocked|rejected|flagged)|has been (?:declined|refused|blocked|flagged))\b/i,
  /^(?:the )?model (?:has )?(?:refused|declined)\b/i,
];

const APOLOGY =
  /^(?:i'm |i am |we're )?(?:so |very |really )?(?:sorry|afraid|apologi[sz]e|unfortunately)[,.]? but /i;

const isRefusal = (first: string, whole: string): boolean =>
  REFUSAL.some((pattern) => pattern.test(first)) &&
  !isMended(whole) &&
  !GOES_ON.test(whole.replace(APOLOGY, ""));

const NOTHING_TO_DO =
  /\b(?:nothing (?:(?:left|else|more|here|further) )?(?:(?:for me )?to (?:do|change|fix|add|implement|update|commit|be done)|(?:needs?|needed|has|had) to (?:be )?(?:done|changed?|fixed)|(?:was|is) (?:needed|required|necessary|missing))|no (?:code |file |further |other |more |additional )?(?:changes?|work|action|fix|edits?|modifications?) (?:(?:is|are|was|were) )?(?:needed|necessary|required|to make|to be made)|(?:already|has already been|is already|was already) (?:(?:all |fully |correctly )?(?:done|complete|completed|fixed|implemented|in place|present|there|satisfied|up to date|as asked)))\b/i;

/** Whether the agent says explicitly that there was nothing for it to do. */
export const saysNothingToDo = (text: string): boolean =>
  proseLines(text.slice(-CHARS_MAX)).some((line) => NOTHING_TO_DO.test(line));
