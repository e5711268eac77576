import assert from "node:assert/strict";
import { test } from "node:test";
import type { FunctionAgent, FunctionAgentContext } from "../../src/agents/function/function-agent.ts";
import type { EventData, Recorded } from "../../src/model/events/events.ts";
import { bench, step, type Bench } from "./worked-run.ts";

const SETTINGS = {
  ladder: { nudges: 0, nudgeMs: 10, strategyMs: 10, restartMs: 10, operatorMs: 10, restarts: 1 },
  triage: { agent: "judge", limitMs: 60_000, usd: 0.1 },
};

/** Announces and does not act, and is then silent until it is ended; its second attempt is honest. */
const promising = async (context: FunctionAgentContext): Promise<string> => {
  const { number, signal } = context;
  if (number > 1) return "done";
  for (const file of ["one", "two", "three", "four"])
    await context.emit({ kind: "message", from: "agent", text: `Now I will run the tests of ${file}.` });
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
  return "late";
};

interface Seen {
  readonly judged: EventData<"TriageJudged"> | undefined;
  readonly events: readonly Recorded[];
  readonly questions: readonly string[];
  readonly usd: number;
}

/** Works a run whose agent is stuck and whose judge behaves as given, until the judge's answer is in the journal. */
async function worked(assess: FunctionAgent, settings: object = {}): Promise<Seen> {
  const questions: string[] = [];
  const on: Bench = bench({
    work: promising,
    judge: (context) => {
      questions.push(context.task);
      return assess(context);
    },
  });
  try {
    const state = await on.work([step("work", "work")], { ...SETTINGS, ...settings });
    const events = await on.events(state.run);
    const assessed = events.find((event) => event.type === "TriageJudged");
    return { judged: assessed?.data, events, questions, usd: state.spent.usd };
  } finally {
    await on.close();
  }
}

const taken = (events: readonly Recorded[]): string[] =>
  events.flatMap((event) => (event.type === "RemedyTaken" ? [event.data.remedy] : []));

test("L6 a short-lived agent is shown what the stuck one did, and its answer in the schema leads to a restart", async () => {
  const {
    judged: assessed,
    events,
    questions,
  } = await worked(() => ({ verdict: "restart", why: "it only talks" }));
  assert.deepEqual([assessed?.verdict, assessed?.counts, assessed?.why], ["restart", true, "it only talks"]);
  assert.equal(questions.length, 1);
  assert.match(questions[0] ?? "", /says Now I will run the tests of four/);
  assert.match(questions[0] ?? "", /promise/);
  assert.deepEqual(taken(events), ["warn", "restart"]);
  assert.equal(events.at(-1)?.type, "RunCompleted");
});

test("L6 an answer as text, alone or in one fence, is read; what is around it makes it none", async () => {
  const text = '```json\n{"verdict": "restart", "why": "x"}\n```';
  assert.equal((await worked(() => text)).judged?.verdict, "restart");
  assert.equal((await worked(() => `I think: ${text}`)).judged?.verdict, "none");
});

const BROKEN: Readonly<Record<string, FunctionAgent>> = {
  "a sentence that holds the words": () => "Extend. No failed commands, so do not stop; continue",
  "a verdict that is none of the three": () => ({ verdict: "terminate", why: "x" }),
  "more than was asked for": () => ({ verdict: "stop", why: "x", command: "rm -rf /" }),
  "a number": () => 7,
  "an exception": () => {
    throw new Error("out of order");
  },
};

for (const [what, assess] of Object.entries(BROKEN))
  test(`L6 ${what} counts as no answer, is written down, and the remedies go on by themselves`, async () => {
    const { judged: assessed, events } = await worked(assess);
    assert.deepEqual([assessed?.verdict, assessed?.counts], ["none", false]);
    assert.deepEqual(taken(events), ["warn", "restart"]);
    assert.equal(events.at(-1)?.type, "RunCompleted");
  });

test("L6 one that does not answer in time is ended, and one that costs too much as well; what it cost is counted", async () => {
  const ended: string[] = [];
  const waits =
    (name: string): FunctionAgent =>
    async (context) => {
      await context.emit({ kind: "usage", usd: name === "dear" ? 0.2 : 0.01 });
      await new Promise<void>((resolve) => {
        context.signal.addEventListener("abort", () => {
          resolve();
        });
      });
      ended.push(name);
    };
  const slow = await worked(waits("slow"), { triage: { agent: "judge", limitMs: 300 } });
  assert.match(slow.judged?.why ?? "", /no answer within/);
  const dear = await worked(waits("dear"));
  assert.match(dear.judged?.why ?? "", /used more than \$0\.10/);
  assert.deepEqual(ended, ["slow", "dear"]);
  assert.deepEqual([slow.usd, dear.usd], [0.01, 0.2]);
});
