import type { MessageShape } from "./repair.ts";

interface IdRule {
  readonly charsMax: number;
  /** Characters that the vendor refuses. */
  readonly refused: RegExp | null;
}

const ANY_LENGTH = 512;

/** What vendors accept as the id of a call. The ids of another vendor, or of a program's own, may not be among it. */
const RULES: Readonly<Record<MessageShape, IdRule>> = {
  anthropic: { charsMax: ANY_LENGTH, refused: /[^A-Za-z0-9_-]/g },
  "openai-chat": { charsMax: 40, refused: null },
  "openai-responses": { charsMax: 64, refused: null },
  "ai-sdk": { charsMax: Number.POSITIVE_INFINITY, refused: null },
};

export const isCallId = (shape: MessageShape, id: string): boolean => validCallId(shape, id) === id;

/** The same id, as the vendor accepts it; always the same for the same id. */
export function validCallId(shape: MessageShape, id: string): string {
  const { charsMax, refused } = RULES[shape];
  const spelt = refused === null ? id : id.replace(refused, "_");
  return spelt.length <= charsMax ? spelt : spelt.slice(0, charsMax);
}

/** One that no other call has. */
export function freeCallId(shape: MessageShape, id: string, taken: Set<string>): string {
  const base = validCallId(shape, id);
  let free = base;
  for (let count = 2; taken.has(free); count += 1) {
    const suffix = `-${String(count)}`;
    free = `${base.slice(0, RULES[shape].charsMax - suffix.length)}${suffix}`;
  }
  taken.add(free);
  return free;
}
