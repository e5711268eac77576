/** What somebody said to an agent: their own words, and whose they are. */
export interface Words {
  readonly by: string;
  readonly text: string;
}

/** Words that no agent is known to have received yet. */
export interface UnreceivedWords extends Words {
  readonly step: string;
  readonly at: number;
  /** The attempt whose task holds them and which has not started yet; null while none does. */
  readonly onWay: string | null;
}

/** Who speaks where an old journal does not name them: only people were recorded without a name. */
export const NAMELESS = "a person";

export const isHoldfast = (by: string): boolean => by === "holdfast";

/** For an agent: what was said, under the name of the one who said it; neighbours by the same are one. */
export function spokenText(words: readonly Words[]): string[] {
  const parts: { by: string; texts: string[] }[] = [];
  for (const { by, text } of words) {
    const last = parts.at(-1);
    if (last?.by === by) last.texts.push(text);
    else parts.push({ by, texts: [text] });
  }
  return parts.map(({ by, texts }) => `${speakerText(by)}:\n${texts.join("\n")}`);
}

const speakerText = (by: string): string => {
  if (isHoldfast(by)) return "Holdfast notes";
  if (by.startsWith("agent:")) return `Another agent (${by.slice("agent:".length)}) says`;
  return by === NAMELESS ? "A person says" : `A person (${by}) says`;
};
