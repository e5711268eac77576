import assert from "node:assert/strict";
import { test } from "node:test";
import { AFTER_PERSON, afterPerson, type AfterPerson } from "../../src/fold/after-person.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { evolve } from "../../src/fold/evolve.ts";
import type { Blocked } from "../../src/model/requests/blocked.ts";
import { given, IN_STATE } from "../decide/states.ts";

const blockOf = (why: Pick<Blocked, "reason" | "detail">): Blocked => ({
  step: "work",
  attemptKept: false,
  guidance: [],
  ...why,
});

/** Of each topic: how it waits for a person, and what is left of that once one had a say. */
const WAITING: Readonly<
  Record<
    keyof typeof AFTER_PERSON,
    { put: (state: RunState) => void; see: (state: RunState) => unknown; after: unknown }
  >
> = {
  guards: {
    put: (state) => (state.guards["/t"] = { fresh: true, failures: 3, found: 1 } as never),
    see: ({ guards }) => guards["/t"],
    after: { fresh: false, failures: 0, found: 0 },
  },
  seals: {
    put: (state) => (state.seals.open["a"] = { failures: 3 } as never),
    see: ({ seals }) => seals.open["a"]?.failures,
    after: 0,
  },
  gates: {
    put: (state) => (state.reality = { ...state.reality, verdict: "NEEDS WORK" }),
    see: ({ reality }) => reality.accepted,
    after: true,
  },
  workspace: {
    put: (state) => (state.workspace.failures = 3),
    see: ({ workspace }) => workspace.failures,
    after: 0,
  },
  policies: {
    put(state) {
      state.settings = { ...state.settings, policies: [{ name: "few", then: "escalate", maxTurns: 1 }] };
      state.blocked = blockOf({ reason: "policy_escalation", detail: 'policy "few": 2 turns' });
    },
    see: ({ rules }) => Object.values(rules.policies),
    after: ["passed"],
  },
  hooks: {
    put(state) {
      state.rules.hooks["h"] = {
        outcome: "asked",
        reason: "hook_block",
        why: "no",
        step: "work",
        report: null,
      };
      state.blocked = blockOf({ reason: "hook_block", detail: "the hook says no" });
    },
    see: ({ rules }) => rules.hooks["h"]?.outcome,
    after: "passed",
  },
  progress: {
    put: (state) => (state.progress.idle = ["work"]),
    see: ({ progress }) => progress.idle,
    after: [],
  },
  files: {
    put: (state) => (state.saved = true),
    see: ({ saved }) => saved,
    after: false,
  },
  checkpoints: {
    put: (state) => (state.keepFailures = 3),
    see: ({ keepFailures }) => keepFailures,
    after: 0,
  },
};

const names = Object.keys(WAITING) as (keyof typeof AFTER_PERSON)[];

for (const name of names)
  test(`G3 once a person had a say, what the ${name} of a run waited for is tried again; without that topic it is not`, () => {
    const { put, see, after } = WAITING[name];
    const reported = given(...IN_STATE.blocked);
    put(reported);
    assert.notDeepEqual(see(reported), after, "the case says nothing");
    afterPerson(reported);
    assert.deepEqual(see(reported), after);

    const others: AfterPerson = Object.fromEntries(
      Object.entries(AFTER_PERSON).filter(([other]) => other !== name),
    );
    const untold = given(...IN_STATE.blocked);
    put(untold);
    afterPerson(untold, others);
    assert.notDeepEqual(see(untold), after, `another topic does what ${name} does`);
  });

test("G3 the fold does all of it when a run goes on after a block, and when it is resumed", () => {
  for (const event of [
    { type: "RunUnblocked", data: {} },
    { type: "RunResumed", data: {} },
  ] as const) {
    const state = given(...IN_STATE.blocked);
    for (const name of names) WAITING[name].put(state);
    // What blocks a run is one thing: the policy's block was put in the place of the hook's before it.
    const reported = names.filter((name) => name !== "policies");
    evolve(state, event, { run: state.run, seq: state.seq + 1, at: state.at + 1 });
    for (const name of reported)
      assert.deepEqual(WAITING[name].see(state), WAITING[name].after, `${event.type} ${name}`);
  }
});
