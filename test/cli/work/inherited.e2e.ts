import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(1);

const bench = new CliBench({});
after(() => bench.close());

/** Stands in for the real program: it writes its environment down and ends. */
function writeAgent(): string {
  const file = path.join(bench.cwd, "env-agent");
  writeFileSync(file, '#!/bin/sh\nenv > "$PWD/seen.env"\n');
  chmodSync(file, 0o755);
  return file;
}

test("P3 A1 the environment of a real start holds no address of the store and no secret of a receiver", async () => {
  const command = [writeAgent()];
  const webhook = { use: "webhook", url: "https://example.invalid/hook", secretEnv: "HOOK_SECRET" };
  bench.write(
    "holdfast.json",
    JSON.stringify({
      agents: {
        dev: { use: "claude", command, inherit: "all" },
        terminal: { use: "tmux", command, pass: ["MY_*"] },
        listed: { use: "claude", command },
      },
      notify: { channels: { ops: webhook } },
      attempts: { perStep: 1 },
    }),
  );
  for (const agent of ["dev", "terminal", "listed"]) {
    const env = {
      HOOK_SECRET: "whsec_abcdefghijkl",
      MY_KEY: "mine",
      HOLDFAST_STORE: `sqlite:${bench.store}`,
    };
    const run = ["run", "it", "--agent", agent, "--detach", "--id", `heir-${agent}`];
    rmSync(path.join(bench.cwd, "seen.env"), { force: true });
    const begun = await bench.call([...run, "--check", "test -s seen.env"], { env });
    assert.equal(begun.code, 0, begun.stdout + begun.stderr);
    await bench.reaches(`heir-${agent}`, "completed");
    const seen = readFileSync(path.join(bench.cwd, "seen.env"), "utf8");
    assert.equal(/^MY_KEY=mine$/m.test(seen), agent !== "listed", agent);
    assert.doesNotMatch(seen, /HOLDFAST_STORE|HOLDFAST_HOME|whsec_/);
    assert.match(seen, /^HOLDFAST_SESSION=/m);
    await bench.call(["down"]);
  }
});
