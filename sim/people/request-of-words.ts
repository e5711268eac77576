import { settingRequests } from "../../src/cli/run/run-settings.ts";
import { runOfEscalation } from "../../src/model/requests/blocked.ts";
import { requestSchema, type RunRequest } from "../../src/model/requests/requests.ts";

/** What the command line would ask for with these words after `holdfast`; null for words that ask a run for nothing. */
export function requestOfWords(
  words: readonly string[],
): { readonly run: string; readonly request: RunRequest } | null {
  const [verb = "", name, ...rest] = words;
  if (name === undefined) return null;
  switch (verb) {
    case "approve":
      return approved(name, rest);
    case "unblock":
      return unblocked(name, rest);
    case "retry":
      if (rest.length === 0) return asked(name, { kind: "retry" });
      return rest[0] === "--step" && rest.length === 2 ? asked(name, { kind: "retry", step: rest[1] }) : null;
    case "reconcile":
      return rest.join(" ") === "--accept-head" ? asked(name, { kind: "reconcile" }) : null;
    case "reissue":
      return rest[0] === "--reason" && rest.length === 2
        ? asked(name, { kind: "reissue", reason: rest[1] })
        : null;
    case "accept":
      return rest.join(" ") === "--resolution merge"
        ? asked(name, { kind: "accept", resolution: "merge" })
        : null;
    case "commit":
      return rest.length === 0 ? asked(name, { kind: "commit" }) : null;
    case "trust":
      // With --show-diff --dry-run it only shows.
      if (rest.length === 0) return asked(name, { kind: "trust", trees: [] });
      return rest.join(" ") === "--undo" ? asked(name, { kind: "trust", trees: [], undo: true }) : null;
    case "restore":
      return rest.length === 0 ? asked(name, { kind: "restore" }) : null;
    case "set":
      return rest.length === 0 ? null : asked(name, settingRequests(rest)[0]);
    default:
      return null;
  }
}

function unblocked(escalation: string, words: readonly string[]): ReturnType<typeof requestOfWords> {
  const [option, note] = words;
  const answer = option === "--note" && note !== undefined ? { note } : {};
  const isKnown = words.length === 0 || (words.length === 2 && option === "--note");
  return isKnown ? asked(runOfEscalation(escalation), { kind: "unblock", escalation, ...answer }) : null;
}

function approved(run: string, words: readonly string[]): ReturnType<typeof requestOfWords> {
  const [gate, word, digest] = words;
  if (words.length === 0) return asked(run, { kind: "approve" });
  if (words.length === 1) return asked(run, { kind: "approve", gate });
  return words.length === 3 && word === "--digest" ? asked(run, { kind: "approve", gate, digest }) : null;
}

function asked(run: string | null, request: unknown): { run: string; request: RunRequest } | null {
  const parsed = requestSchema.safeParse(request);
  return run === null || !parsed.success ? null : { run, request: parsed.data };
}
