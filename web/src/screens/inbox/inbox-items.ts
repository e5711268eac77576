import { PLACEHOLDERS } from "../../data/command-order.ts";
import { readCommand } from "../../data/command-words.ts";
import type { InboxItem } from "../../data/documents.ts";
import type { StatusKind } from "../../ui/status-of.ts";
import { shellWord } from "../../../../src/model/text/command-text.ts";

export interface Choice {
  readonly command: string;
  readonly does: string;
}

/** What can be done about an item, by the verb that a key stands for. */
export interface Verbs {
  readonly approve: Choice | null;
  /** The same with words or values of one's own. */
  readonly edit: { readonly choice: Choice; readonly of: "note" | "settings" } | null;
  readonly answer: Choice | null;
  readonly reject: Choice | null;
  /** All others, in the order of Holdfast: the safe one first. */
  readonly others: readonly Choice[];
}

/** The same for as long as the item stands; one that asks about other content is another one. */
export const itemKey = ({ id, run, reason, since, digest }: InboxItem): string =>
  [id ?? `${run} ${reason} ${since}`, digest ?? ""].join(" ").trim();

export const choicesOf = ({ command, choices, advice }: InboxItem): readonly Choice[] =>
  choices ?? [{ command, does: advice }];

const needsWords = ({ command }: Choice): boolean =>
  PLACEHOLDERS.some((words) => command.includes(`'${words}'`));

export function verbsOf(item: InboxItem): Verbs {
  const choices = choicesOf(item);
  const named = (name: string): Choice | null =>
    choices.find(({ command }) => readCommand(command)?.name === name) ?? null;
  const approve = named("approve");
  const reject = named("reject");
  const set = named("set");
  const answer = choices.find((one) => needsWords(one) && one !== reject) ?? null;
  const edit =
    approve !== null
      ? { choice: approve, of: "note" as const }
      : set === null
        ? null
        : { choice: set, of: "settings" as const };
  const shown = [approve, reject, answer];
  return { approve, reject, answer, edit, others: choices.filter((one) => !shown.includes(one)) };
}

/** A command with the words of the person in it. */
export function withWords(command: string, words: string): string {
  const placeholder = PLACEHOLDERS.find((one) => command.includes(`'${one}'`));
  return placeholder === undefined
    ? `${command} --note ${shellWord(words)}`
    : command.replace(`'${placeholder}'`, () => shellWord(words));
}

/** `usd=10 turns=50` of a command that sets them. */
export const settingsOf = (command: string): string =>
  (readCommand(command)?.operands ?? []).slice(1).join(" ");

export function withSettings(command: string, settings: string): string {
  const before = settingsOf(command).split(" ").map(shellWord).join(" ");
  const after = settings
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(shellWord)
    .join(" ");
  return command.replace(before, () => after);
}

export function markOf({ reason, digest }: InboxItem): StatusKind {
  if (reason === "not_supervised") return "unsupervised";
  const isAsked =
    digest !== null ||
    ["needs_human", "question", "signal", "approval_transition", "approval_completion"].includes(reason);
  return isAsked ? "needs_you" : "blocked";
}

/** The one verb by which all of these can be settled together, without words; null where they differ. */
export function commonVerb(
  items: readonly InboxItem[],
): { readonly name: string; readonly commands: readonly string[] } | null {
  const commands = items.map((item) => choicesOf(item).find((one) => !needsWords(one))?.command ?? "");
  const names = new Set(commands.map((command) => readCommand(command)?.name ?? ""));
  const [name = ""] = names;
  return names.size !== 1 || name === "" || name === "cancel" ? null : { name, commands };
}
