import type { CallDoes } from "./observed.ts";

/** Words of tools' names, over the agents that are known; a name is read word by word, regardless of its spelling. */
const EDITS = new Set(
  "edit write create replace insert patch append overwrite multiedit notebookedit strreplace rewrite modify undo".split(
    " ",
  ),
);
const LOOKS = new Set(
  "read view open cat list ls find grep glob search scroll goto get fetch show look browse tree head tail".split(
    " ",
  ),
);
const WAITS = new Set("wait sleep poll await taskoutput bashoutput monitor watch".split(" "));
/** What is asked again until it changes: the state of something that takes its time. */
const SLOW_THINGS = new Set(
  "job task build run deploy deployment pipeline workflow order process check query operation batch".split(
    " ",
  ),
);
/** Nothing is done by them, and each thought is another one. */
const THINKS = new Set(
  "think thinking thought sequentialthinking reflect reflection scratchpad todowrite updateplan".split(" "),
);
const ASKS = new Set(
  "askuserquestion exitplanmode askuser askhuman askfollowup askfollowupquestion requestuserinput requestinput question getuserinput humaninput confirm".split(
    " ",
  ),
);
const SHELLS = new Set(
  "bash shell sh run execute exec terminal command cmd powershell zsh console keystrokes computer python ipython jupyter repl interpreter".split(
    " ",
  ),
);

/** A sub-command of an editor that changes nothing. */
const LOOKING_COMMAND = /"(?:command|action|mode|operation)" ?: ?"(?:view|read|open|list|show|scroll|goto)/i;
/** Shell words that write a file with content of their own, and functions of notebooks that do. */
const SHELL_EDIT =
  /\bsed -[a-z]{0,3}i|\bapply_patch\b|\btee |\bperl -[a-z]{0,3}i|\bpatch -p|(?:^|[^0-9&>=-])>>? ?(?!\/dev\/)[A-Za-z./~$"'_]|\bgit (?:apply|checkout|restore|revert)\b|\b(?:edit|insert|append|write|replace)_(?:file|content|lines?|str|in_file|to_file)[a-z_]{0,30}\(|\.write_text\(/;
/**
 * What a call that changes a file is given, no matter what it is called: what stood there and what shall, or a patch.
 */
const EDIT_ARGUMENTS =
  /"(?:old|new)_?(?:str(?:ing)?|text|contents?|code|lines?)" ?:|"(?:file_?text|replacement|insert_?line|code_?edit|patch|diff)" ?:|<{5,9} ?SEARCH|\*\*\* Begin Patch/i;
const CONTENT_ARGUMENT = /"(?:contents?|text|body|data)" ?:/i;
const FILE_ARGUMENT = /"(?:path|file|file_?path|file_?name|target_?file)" ?:/i;
const SHELL_WAIT =
  /\bsleep[ (][0-9]|\bwait\b|\btail -[a-z0-9]{0,6}[fF]\b|\bwatch -|--watch\b|\bgh run (?:watch|view)\b/;
/** An empty command asks a running one for more. */
const EMPTY_INPUT = /^\s*$|"(?:keystrokes|command|input|text|keys)" ?: ?""/;
const READ_CHARS_MAX = 2_000;

export function callDoes(name: string, args: string): CallDoes {
  const words = nameWords(name);
  const joined = words.join("");
  if (
    ASKS.has(joined) ||
    ASKS.has(words.slice(-2).join("")) ||
    (words.includes("ask") && words.includes("user"))
  )
    return "ask";
  if (THINKS.has(joined) || words.some((word) => THINKS.has(word))) return "think";
  if (WAITS.has(joined) || words.some((word) => WAITS.has(word)) || asksForState(words)) return "wait";
  const said = args.slice(0, READ_CHARS_MAX);
  if (words.some((word) => EDITS.has(word)) || EDITS.has(joined))
    return LOOKING_COMMAND.test(said) ? "look" : "edit";
  if (words.some((word) => SHELLS.has(word))) return shellDoes(said);
  if (words.some((word) => LOOKS.has(word))) return "look";
  return changesFile(said) ? "edit" : "run";
}

const asksForState = (words: readonly string[]): boolean =>
  (words.includes("status") || words.includes("progress")) && words.some((word) => SLOW_THINGS.has(word));

const changesFile = (said: string): boolean =>
  EDIT_ARGUMENTS.test(said) || (CONTENT_ARGUMENT.test(said) && FILE_ARGUMENT.test(said));

function shellDoes(said: string): CallDoes {
  if (EMPTY_INPUT.test(said) || SHELL_WAIT.test(said)) return "wait";
  return SHELL_EDIT.test(said) ? "edit" : "run";
}

/** Agents have few tools and call them often. */
const WORDS_OF = new Map<string, readonly string[]>();
const NAMES_MAX = 500;

function nameWords(name: string): readonly string[] {
  const known = WORDS_OF.get(name);
  if (known !== undefined) return known;
  if (WORDS_OF.size >= NAMES_MAX) WORDS_OF.clear();
  const words = splitName(name);
  WORDS_OF.set(name, words);
  return words;
}

const splitName = (name: string): string[] =>
  name
    .slice(0, 80)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/** How long a call says that it may take; in seconds unless its name says milliseconds or the number is large. */
const OWN_LIMIT =
  /"(?:timeout|timeout_ms|timeoutMs|max_wait|duration|timeout_seconds|yield_time_ms)" ?: ?([0-9]{1,9})/;
const SLEEP = /\bsleep ([0-9]{1,6})\b/;

export function callLimitMs(args: string): number | undefined {
  const said = args.slice(0, READ_CHARS_MAX);
  const own = OWN_LIMIT.exec(said);
  if (own !== null) {
    const value = Number(own[1]);
    return value >= 1_000 ? value : value * 1_000;
  }
  const slept = SLEEP.exec(said)?.[1];
  return slept === undefined ? undefined : Number(slept) * 1_000 + SLEEP_SPARE_MS;
}

const SLEEP_SPARE_MS = 60_000;

/** Words by which results say that something failed although nobody marked them so. They are weak evidence. */
const FAILURE_PHRASES = [
  "command not found",
  "no such file",
  "not found",
  "syntax error",
  "permission denied",
  "unexpected token",
  "unexpected end",
  "unexpected eof",
  "cannot open",
  "cannot find",
  "cannot access",
  "cannot stat",
  "cannot execute",
  "can't open",
  "can't find",
  "invalid argument",
  "invalid option",
  "invalid syntax",
  "invalid command",
  "unrecognized",
  "undefined reference",
  "undefined variable",
  "undefined name",
  "no matches found",
  "no results found",
  "did not appear verbatim",
  "traceback (most recent",
];
/** One search for all of them; what is found is looked at again. */
const MAY_READ_FAILED =
  /error|fatal|exception|fail(?:ed|ing|ure)|usage:|exit|command not|no such f|not found|permission d|unexpected (?:token|e)|cannot |can't |invalid |unrecognized|undefined |no (?:matches|results) f|did not appear|traceback|"(?:success|ok)" ?: ?false/;
/** At the beginning of a line, behind at most the names of those who say it; or as a status, or counted. */
const FAILURE_LINE =
  /(?:^|\n)(?:\S{0,40}: ){0,2}(?:error|fatal|exception|failed|failure|usage:)\b|exit(?:ed with)? (?:code|status):? [1-9]|(?:^|[\n,;:(=]) {0,3}[1-9][0-9]{0,5} (?:tests? )?(?:failed|failing|failures?)\b/;
/** An answer in JSON that says so itself. */
const FAILURE_JSON =
  /^\s{0,20}\{[^\n]{0,200}"(?:error|errors|error_message)" ?: ?(?!null|false|none|0\b|""|\[\]|\{\})|^\s{0,20}\{[^\n]{0,200}"(?:success|ok)" ?: ?false/;
/** Failures are reported at the beginning or at the end. */
const FAILED_CHARS = 300;

export function readsFailed(text: string): boolean {
  const ends =
    text.length <= 2 * FAILED_CHARS ? text : `${text.slice(0, FAILED_CHARS)}\n${text.slice(-FAILED_CHARS)}`;
  const low = ends.toLowerCase();
  if (!MAY_READ_FAILED.test(low)) return false;
  return (
    FAILURE_PHRASES.some((phrase) => low.includes(phrase)) || FAILURE_LINE.test(low) || FAILURE_JSON.test(low)
  );
}

/** A short result that counts something up or down is a different one each time. */
const COUNTS = /\d%|\d ?\/ ?\d|\d of \d|\b(?:remaining|elapsed|eta|downloaded|progress)\b/i;
const COUNTING_CHARS_MAX = 400;

export const counts = (text: string): boolean => text.length <= COUNTING_CHARS_MAX && COUNTS.test(text);

/** Where a result counts what it is about, in its last lines: how many failed, how many are left. */
const COUNTED =
  /(?:^|[\n,;:(=|] {0,3}|\b(?:found|with|has|are|is|still) )([0-9][0-9,]{0,9}) (?:[a-z]{1,12} )?(?:left|remaining|pending|queued|to go|failed|failing|failures?|passed|passing|errors?|problems?)\b/g;
const MAY_COUNT = /left|remaining|pending|queued|to go|fail|pass|error|problem/;
const COUNTED_CHARS = 400;

/** Numbers that are not passed over when results are compared: fewer failures than before are something else. */
export function countedIn(text: string): string {
  const low = text.slice(-COUNTED_CHARS).toLowerCase();
  if (!MAY_COUNT.test(low)) return "";
  let counted = "";
  for (const [, number = ""] of low.matchAll(COUNTED)) counted += `~${number}`;
  return counted;
}

/** Results that say no more than that something was done. */
const ACKNOWLEDGED =
  /^\W{0,3}(?:ok(?:ay)?|done|true|success(?:ful(?:ly)?)?|sent|saved|clicked|null|none|undefined)\b.{0,40}$|\b(?:successfully|has been (?:updated|logged|recorded|saved|created|modified)|thought (?:has been|was) (?:logged|recorded))\b/i;
const BARE_CHARS_MAX = 400;

/** Nothing was found: that is the same for different questions. */
const EMPTY = /^\s{0,20}(?:\[\s{0,20}\]|\{\s{0,20}\}|""|'')\s{0,20}$/;

export const isBare = (text: string): boolean =>
  text.trim() === "" || EMPTY.test(text) || (text.length <= BARE_CHARS_MAX && ACKNOWLEDGED.test(text));

const CANCELLED =
  /sibling tool call errored|(?:cancelled|canceled|skipped|aborted|not executed) (?:because|due to|by|since)|\[request interrupted by user|user (?:rejected|doesn't want|declined)/;

export const isCancelled = (text: string): boolean =>
  CANCELLED.test(text.slice(0, BARE_CHARS_MAX).toLowerCase());
