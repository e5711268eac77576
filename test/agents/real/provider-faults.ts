import type { ModelScriptInput } from "../../../src/model/model-script.ts";
import { CONTENT } from "./scripts.ts";

type Turn = ModelScriptInput["turns"][number];

export interface ProviderFault {
  readonly name: string;
  readonly script: ModelScriptInput;
}

/** The work is done in the turn that fails, so that it is done only where the fault was overcome. */
const spoilt = (faults: NonNullable<Turn["faults"]>): ModelScriptInput => ({
  turns: [
    { say: "I will look around.", acts: [{ run: "true" }] },
    { say: "I'll create hello.txt.", acts: [{ write: { file: "hello.txt", content: CONTENT } }], faults },
    { say: "Done. hello.txt is in place." },
  ],
});

const always = "always" as const;

/** What a provider, or its model, does to an agent in the middle of its work. */
export const PROVIDER_FAULTS: readonly ProviderFault[] = [
  { name: "none", script: spoilt([]) },
  {
    name: "429 once, retry after 1 s",
    script: spoilt([{ kind: "rate_limit", retryAfterS: 1 }]),
  },
  {
    name: "429 for ever, retry after 600 s",
    script: spoilt([{ kind: "rate_limit", retryAfterS: 600, times: always }]),
  },
  { name: "429 for ever, no time named", script: spoilt([{ kind: "rate_limit", times: always }]) },
  {
    name: "usage limit, resets in an hour",
    script: spoilt([{ kind: "usage_limit", resetsInS: 3_600, times: always }]),
  },
  ...[500, 503, 529].map((status) => ({
    name: `${String(status)} for ever`,
    script: spoilt([{ kind: "error", status, times: always }]),
  })),
  { name: "no answer", script: spoilt([{ kind: "hang", times: always }]) },
  { name: "half an answer, then silence", script: spoilt([{ kind: "hang_midstream", times: always }]) },
  { name: "stream cut once", script: spoilt([{ kind: "cut" }]) },
  { name: "stream cut every time", script: spoilt([{ kind: "cut", times: always }]) },
  { name: "garbage", script: spoilt([{ kind: "garbage", times: always }]) },
  { name: "context overflow", script: spoilt([{ kind: "context_overflow", times: always }]) },
  {
    name: "the same tool call for ever",
    script: { turns: [{ say: "I will look again.", acts: [{ run: "true" }], repeat: "forever" }] },
  },
];
