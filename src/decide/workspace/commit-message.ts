import type { RunState } from "../../model/state/run-state.ts";
import type { RunSettings } from "../../model/settings/settings.ts";

type Rules = RunSettings["commit"];

const TYPE = /^[a-z]+(\([^()\s]+\))?!?: \S/;

/** Why a message may not be used here; null where it may. */
export function messageProblem(message: string, { subjectMax, conventional }: Rules): string | null {
  const [subject = "", second] = message.split("\n");
  if (subject.trim() === "") return "its first line is empty; expected what was done, in a few words";
  if (subject.length > subjectMax)
    return `its first line has ${String(subject.length)} characters; expected at most ${String(subjectMax)} (commit.subjectMax)`;
  if (second !== undefined && second.trim() !== "")
    return "its second line is not empty; expected an empty line after the first";
  if (conventional && !TYPE.test(subject))
    return `"${subject}" begins with no type; expected one such as "fix: …" or "feat(parser): …" (commit.conventional)`;
  return null;
}

export interface Author {
  readonly name: string;
  readonly email: string;
}

const NOBODY: Author = { name: "Holdfast", email: "holdfast@localhost" };

export function authorOf({ author }: Rules): Author {
  const [, name, email] = /^([^<>]+) <([^<>]+)>$/.exec(author ?? "") ?? [];
  return name === undefined || email === undefined ? NOBODY : { name: name.trim(), email };
}

/** The whole message: a person's words, or what the template makes of the run, with what it belongs to below. */
export function commitMessage(
  state: RunState,
  { step, message }: { readonly step: string | null; readonly message: string | null },
): string {
  const text = message?.trimEnd() ?? madeSubject(state, step);
  const { name, email } = authorOf(state.settings.commit);
  const trailers = [
    `Holdfast-Run: ${state.run}`,
    ...(step === null ? [] : [`Holdfast-Step: ${step}`]),
    ...(state.settings.commit.signOff ? [`Signed-off-by: ${name} <${email}>`] : []),
  ];
  return `${text}\n\n${trailers.join("\n")}\n`;
}

function madeSubject({ settings: { commit }, steps, goal, run }: RunState, step: string | null): string {
  const [only, ...others] = Object.keys(steps);
  const of = step ?? (others.length === 0 ? only : undefined) ?? run;
  const words = { step: of, goal: goal.replace(/\s+/g, " ").trim(), run } as const;
  const filled = commit.subject.replace(/\{(step|goal|run)\}/g, (_, word: keyof typeof words) => words[word]);
  const typed = commit.conventional && !TYPE.test(filled) ? `chore: ${filled}` : filled;
  return typed.length <= commit.subjectMax ? typed : `${typed.slice(0, commit.subjectMax - 1).trimEnd()}…`;
}

/** The name of the tag that says that a step's work has passed its checks; null where none is wished. */
export function goodTag({ settings, steps, run }: RunState, step: string | null): string | null {
  const { goodTag: template } = settings.commit;
  if (step === null || template === "" || (steps[step]?.spec.checks ?? []).length === 0) return null;
  return template.replaceAll("{run}", run).replaceAll("{step}", step);
}
