import assert from "node:assert/strict";
import { test } from "node:test";
import { CliBench } from "../../cli/cli-process.ts";
import { agentsTier } from "../agents-tier.ts";
import { ALL_PERFORMERS } from "./performers.ts";

interface Reported {
  readonly ok: boolean;
  readonly model: { readonly asked: number; readonly tokensSent: number; readonly tokensTold: number };
  readonly recognised: readonly { readonly what: string; readonly seen: boolean }[];
}

/** It has no variable for another address of its model; its users write it into a file of theirs. */
const NOT_AIMED = /^pi /;

for (const { name, performer, missing } of ALL_PERFORMERS.filter((one) => !NOT_AIMED.test(one.name)))
  test(
    `A11 agents try aims the real ${name} at a scripted model and recognises what it does`,
    { skip: agentsTier || missing },
    async (t) => {
      const agents = { mine: performer.spec };
      const bench = new CliBench();
      t.after(() => bench.close());
      bench.write("holdfast.json", JSON.stringify({ agents }));
      const words = ["agents", "try", "mine", "--offline", "--trust", "--json", "--timeout", "90s"];
      const ended = await bench.call(words);
      const reported = JSON.parse(ended.stdout) as Reported;
      assert.ok(reported.ok, ended.stdout);
      assert.ok(reported.model.asked >= 3, ended.stdout);
      const seen = reported.recognised.flatMap((one) => (one.seen ? [one.what] : []));
      const inTerminal = / in tmux$/.test(name);
      for (const what of ["start", "prompt", "end", ...(inTerminal ? [] : ["calls", "usage"])])
        assert.ok(seen.includes(what), `${what}: ${ended.stdout}`);
      if (!inTerminal) assert.equal(reported.model.tokensTold, reported.model.tokensSent, ended.stdout);
    },
  );
