import { toExcerpt, type Signal } from "../../../model/agent/signals.ts";
import { textDigest } from "../../to-signal.ts";
import type { Learned } from "./learn-prompt.ts";
import type { Seen } from "../follow-turn.ts";
import { hasNoPrompt, type Program } from "../programs/program.ts";
import { normalised } from "../screen/recognise.ts";

const SETTLED_MS = 1_000;
/** A program may take so long to show its prompt, and shows nothing meanwhile. */
const ASK_AFTER_MS = 20_000;
/** Of screens that differ (I7). */
const TRIES_MAX = 8;

/** When a program's prompt is looked for, and when a person is asked for it instead. */
export class Learning {
  #triedAt = -1;
  #tries = 0;
  #since: number | undefined;
  #isAsked = false;

  /** Once for each screen that stands still, and once more when nothing came of it for long. */
  isDue(program: Program, { now, quietMs, look }: Seen, rawSize: number): boolean {
    if (!hasNoPrompt(program) || look.state === "dialog") return false;
    this.#since ??= now;
    if (now - this.#since >= ASK_AFTER_MS && !this.#isAsked) return true;
    return quietMs >= SETTLED_MS && this.#triedAt !== rawSize && this.#tries < TRIES_MAX;
  }

  /** What a person is asked where it was not learned; undefined where it was, or may be yet. */
  question(
    learned: Learned,
    { now }: Seen,
    rawSize: number,
  ): Extract<Signal, { kind: "question" }> | undefined {
    if (learned.kind === "learned" || learned.again !== true) this.#triedAt = rawSize;
    this.#tries += 1;
    if (learned.kind === "learned" || now - (this.#since ?? now) < ASK_AFTER_MS || this.#isAsked)
      return undefined;
    this.#isAsked = true;
    const text =
      `The prompt of this program is not known: ${learned.why}. It has no task yet. Describe its prompt with ` +
      `\`prompt\` in the agent's configuration, or type with \`holdfast attach RUN --type\`. Its screen:\n${learned.screen}`;
    return { kind: "question", askId: textDigest(normalised(text)), text: toExcerpt(text) };
  }
}
