/** What was said as JSON: alone or in one fence; a word in a sentence is none. */
export function answerIn(said: unknown): unknown {
  if (typeof said !== "string") return said;
  try {
    return JSON.parse(insideFence(said.trim()));
  } catch {
    return undefined;
  }
}

function insideFence(text: string): string {
  const begin = text.indexOf("\n");
  const end = text.lastIndexOf("\n");
  const isFenced = end > begin && ["```", "```json"].includes(text.slice(0, begin).trim());
  return isFenced && text.slice(end).trim() === "```" ? text.slice(begin, end) : text;
}

export const shownAnswer = (said: unknown): string =>
  (typeof said === "string" ? said : (JSON.stringify(said) ?? "")).slice(0, 200);
