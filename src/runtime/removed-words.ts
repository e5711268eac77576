import type { RequestAnswer, RunRequest } from "../model/requests/requests.ts";

/** The names of what was removed. */
export function removedFrom(
  asked: RunRequest,
  clean: { readonly request: RunRequest } | { readonly refused: string },
): readonly string[] {
  if ("refused" in clean) return [];
  const before = JSON.stringify(asked);
  const found = JSON.stringify(clean.request).matchAll(/\[redacted: ([^\]"]{1,200})\]/g);
  return [...new Set(Array.from(found, ([, name = ""]) => name))].filter(
    (name) => !before.includes(`[redacted: ${name}]`),
  );
}

/** Who asked learns what was not kept. */
export const withNote = (answer: RequestAnswer, removed: readonly string[]): RequestAnswer =>
  removed.length === 0
    ? answer
    : { ...answer, text: `${answer.text}; removed from your words: ${removed.join(", ")}` };
