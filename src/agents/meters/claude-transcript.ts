import path from "node:path";
import { at, numberAt, textAt, type Json } from "../headless/json-fields.ts";
import { type Ledger, type LedgerReader, namesIn, writtenAt } from "./file-meter.ts";

/** The transcripts of Claude Code: `projects/FOLDER/SESSION.jsonl` in its home. */
export const claudeTranscripts = (home: string): Ledger => ({
  find: (session) => {
    if (!/^[0-9A-Za-z-]{8,64}$/.test(session)) return undefined;
    const projects = path.join(home, "projects");
    const name = `${session}.jsonl`;
    const project = namesIn(projects).find((one) => namesIn(path.join(projects, one)).includes(name));
    return project === undefined ? undefined : path.join(projects, project, name);
  },
  reader: transcriptReader,
});

/** Each block of an answer is a line of its own with the count of the whole. What it prints has the output of none. */
function transcriptReader(startedAt: number): LedgerReader {
  const tally = { tokensIn: 0, cachedIn: 0, tokensOut: 0, requests: 0 };
  let model: string | undefined;
  let last: string | undefined;
  return {
    read: (line) => {
      const id = textAt(line, "message", "id");
      if (line["type"] !== "assistant" || id === undefined || id === last) return;
      last = id;
      if ((writtenAt(line) ?? startedAt) < startedAt) return;
      add(tally, line);
      model = textAt(line, "message", "model") ?? model;
    },
    get tally() {
      return { ...tally, model };
    },
  };
}

function add(tally: { tokensIn: number; cachedIn: number; tokensOut: number; requests: number }, line: Json) {
  const usage = at(line, "message", "usage");
  const cached = numberAt(usage, "cache_read_input_tokens") ?? 0;
  const fresh = numberAt(usage, "input_tokens") ?? 0;
  const kept = numberAt(usage, "cache_creation_input_tokens") ?? 0;
  if (fresh + kept + cached === 0) return;
  tally.tokensIn += fresh + kept + cached;
  tally.cachedIn += cached;
  tally.tokensOut += numberAt(usage, "output_tokens") ?? 0;
  tally.requests += 1;
}
