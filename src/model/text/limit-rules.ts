/**
 * Ways to state a limit that name no limit as such: a model without capacity, the state of an agent, a countdown, a
 * choice of what to do about it. Each is a line of its own, without what the screen puts around it; sentences about such
 * things go on after it, and are none. Patterns have no nested repetition.
 */

const ENDS = String.raw`(?=$|[.,;:!|·∙•—–)\]…([]| [-·∙•—–([|]| (?:please|try|right now|now|at the moment|for|on|due|resets?|retry|retrying|until|again|or|and will)\b)`;

const OVERLOADED: readonly RegExp[] = [
  new RegExp(
    String.raw`^(?:.{0,60}?: )?(?:sorry,? )?(?:the |this |that |our |selected |requested |your ){0,2}(?:[\w./-]{1,40} ){0,2}(?:model|engine|service|server|provider|api|backend|cluster)s?(?: [\w./-]{1,40})? (?:is|are) (?:currently |temporarily |now ){0,2}(?:overloaded|at (?:full |its )?capacity|over capacity|out of capacity|too busy|busy|under heavy load|experiencing (?:very |unusually )?(?:high|heavy) (?:demand|load|traffic))${ENDS}`,
    "i",
  ),
  new RegExp(
    String.raw`^(?:.{0,60}?: )?(?:we're|we are) (?:currently )?(?:experiencing|seeing) (?:very |unusually |extremely )?(?:high|heavy) (?:demand|load|traffic|volume)${ENDS}`,
    "i",
  ),
  new RegExp(
    String.raw`^(?:.{0,60}?: )?(?:there is )?(?:currently )?(?:no|insufficient|not enough) capacity (?:is |currently ){0,2}(?:available\b|for (?:the )?(?:model|request)\b|left${ENDS})`,
    "i",
  ),
  new RegExp(
    String.raw`^(?:.{0,60}?: )?(?:model |server |servers |system )?(?:is |are )?(?:overloaded|server busy|servers busy)${ENDS}`,
    "i",
  ),
  /^(?:error|api error|reason|status|code)\b.{0,80}?\b(?:model_capacity_exhausted|server_overloaded|engine_overloaded|capacity_exceeded)\b/i,
];

/** How an agent's own state line names it. */
const STATE: readonly RegExp[] = [
  /^(?:\[?(?:agent |session |current |account ){0,2}(?:status|state)\]?\s{0,3}[:=]?\s{1,3}|[\w.-]{1,30}\s{0,3}[:|]\s{0,3})?\[?(?:rate[-_ ]?limited|usage[-_ ]limited|throttled|quota[-_ ]exceeded)\]?(?=$|\s{0,3}[·∙•—–(|…,]|\s(?:resets?|until|for \d|retry|-)\b)/i,
  /^\[?(?:waiting|paused|sleeping|on hold|cooling down|cooldown|idle)\]?\s{0,2}(?:for|by|on|until|due to|because of|[:(·—–-])\s{0,2}(?:the |a |your |my |provider |provider's |api ){0,2}(?:rate|usage|quota|session|weekly|5-hour|hourly|daily|account)[- ]?(?:limits?|quota|window|cooldown)?(?: to)?(?: resets?| ends?| end| clears?| lifts?)?(?=$|\s{0,3}[·∙•—–(|…,.)]|\s(?:resets?|until|in \d|at \d|\d))/i,
];

const COUNTDOWN =
  /^(?:retrying|retry|trying again|next (?:retry|attempt|try)|will (?:retry|try again)|resuming)(?: (?:the )?request| automatically| again){0,2} (?:in|after):? ?\d[\d.,:]{0,8} ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)?\b(?: ?\d{1,3} ?(?:s|secs?|seconds?|m|mins?|minutes?)\b)?(?<rest>.{0,80})$/i;
/** Nothing but which try it is, and how to break it off. */
const COUNTDOWN_REST =
  /^[\s.…·∙•,;()[\]—–|-]{0,8}(?:(?:attempt|try|retry)? ?#?\d{1,4}(?: ?(?:\/|of) ?\d{1,4})?)?[\s.…·∙•,;()[\]—–|-]{0,8}(?:(?:press )?(?:esc|escape|ctrl[+-]c|⌃c)\b.{0,40})?$/i;
/** What a countdown waits for where the line before it says so, and it is no limit. */
const OTHER_CAUSE =
  /\b(?:connect\w{0,4}|network|socket|dns|time[d ]?-?outs?|refused|reset by|unreachable|offline|econn\w{1,8}|enotfound|etimedout|tests?|build|download\w{0,3}|fetch\w{0,3}|install\w{0,5}|upload\w{0,3}|deploy\w{0,5}|lock|port|database|postgres|redis|health ?check)\b/i;

const CHOICE =
  /^\s{0,20}(?:[│┃|]\s{0,4})?(?:[❯›>●○◉◯*•]\s{0,3}(?:\d{1,2}[.)]\s{0,3})?|\d{1,2}[.)]\s{0,3}|\[[ x]?\]\s{0,3})(?:stop and )?wait (?:for|until) (?:the |your |my )?(?:[\w-]{1,12} ){0,2}(?:limits?|quota) (?:to )?(?:resets?|refresh(?:es)?|renews?)\b/i;

export const saysOverload = (text: string): boolean => OVERLOADED.some((look) => look.test(text));

export const saysState = (text: string): boolean => STATE.some((look) => look.test(text));

/** A countdown to the next try, alone on its line, with no other cause named before it. */
export function isCountdown(text: string, lineBefore: string): boolean {
  const rest = COUNTDOWN.exec(text)?.groups?.["rest"];
  return rest !== undefined && COUNTDOWN_REST.test(rest) && !OTHER_CAUSE.test(lineBefore);
}

/** A choice of the dialog that an agent opens at its limit. */
export const isWaitChoice = (line: string): boolean => CHOICE.test(line);
