import type { Signal } from "../../model/agent/signals.ts";

/**
 * What an agent said last, for those whose last event says only that they ended. Nothing said is no claim; nor is a
 * refusal, which is taken for one only where its words and its deeds agree: it begins like one, is short, and no tool
 * was used.
 */
export class LastAnswer {
  #text = "";
  #worked = false;

  said(text: string): void {
    this.#text = text;
  }

  worked(): void {
    this.#worked = true;
  }

  /** The claim that follows when the agent says that it has ended well. */
  claim(): readonly Signal[] {
    const text = this.#text.trim();
    if (text === "" || (!this.#worked && isRefusal(text))) return [];
    return [{ kind: "result", ok: true, text }];
  }
}

const REFUSAL =
  /^(?:i[’']?m sorry,? (?:but )?)?i (?:can[’']?t|cannot|can not|won[’']?t|am unable to|[’']?m unable to|am not able to) (?:help|assist|do|comply|fulfil|fulfill|continue)\b/i;
const REFUSAL_CHARS_MAX = 400;

const isRefusal = (text: string): boolean => text.length <= REFUSAL_CHARS_MAX && REFUSAL.test(text);
