import assert from "node:assert/strict";
import { test } from "node:test";
import { effectsToPerform, isLeftAlone, quarantineRule } from "../../../src/decide/attempt/quarantine.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { isOfTurn } from "../../../src/runtime/supervisor/death-notes.ts";
import { Fault } from "../../../src/model/fault.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { Life } from "../../config-keys/life.ts";

const config = configSchema.parse({ agents: { dev: { use: "demo", script: "hello" } } });

let deaths = 0;
/** What the next supervisor finds: it takes the note up first, and nothing else is decided in that turn. */
function die(life: Life, death = `death_${String(++deaths)}`): void {
  life.now += 1_000;
  const died: RunEvent = {
    type: "SupervisorDied",
    data: { death, how: "exception", text: "x is not a function", diedAt: life.now },
  };
  takeTurn(life.state, [died], life.now, quarantineRule);
}

const claim = (life: Life): void =>
  life.turn([
    {
      type: "RunClaimed",
      data: { owner: "own_2", epoch: life.state.epoch + 1, from: "gone", host: "alpha" },
    },
  ]);

const ask = (life: Life, kind: "cancel" | "retry"): void =>
  life.turn([{ type: "RequestHeard", data: { requestId: `req ${kind}`, request: { kind }, by: "test" } }]);

test("J4 G3 a run in whose turns supervisors ended twice in a row is quarantined, with what was thrown", () => {
  const life = new Life(config);
  die(life);
  assert.equal(life.state.status, "running", "once is bad luck");
  die(life);
  assert.equal(life.state.blocked?.reason, "quarantined");
  assert.match(life.state.blocked.detail, /2 times in a row .* by an exception: x is not a function$/);
  claim(life);
  assert.equal(life.all("AttemptEnding").at(-1)?.to, "suspended", "its session is ended at once");
  life.pass(10_000);
  assert.deepEqual(Object.keys(life.state.attempts), []);
  assert.equal(life.all("AttemptEnded").at(-1)?.charged, false);
});

test("J4 a death that is reported twice counts once", () => {
  const life = new Life(config);
  die(life, "death_x");
  die(life, "death_x");
  assert.equal(life.state.status, "running");
});

test("J4 progress in between begins the count again: work that ended, a person's request, or a session that goes on", () => {
  const between: ((life: Life) => void)[] = [
    (life) => {
      const [attempt = ""] = life.live;
      // As it does when a function dies with its supervisor.
      life.turn([{ type: "SessionObserved", data: { attempt, finding: "gone", detail: "" } }]);
    },
    (life) => life.receive(life.live[0] ?? "", [{ kind: "progress", text: "on it" }]),
    (life) => life.receive(life.live[0] ?? "", [{ kind: "exit", how: "code", code: 1 }]),
    (life) => ask(life, "cancel"),
  ];
  const counted = between.map((happens) => {
    const life = new Life(config);
    die(life);
    claim(life);
    happens(life);
    return life.state.claim.deaths?.inARow;
  });
  assert.deepEqual(counted, [1, 0, 0, 0], "an attempt that died with its supervisor is no progress");
});

test("J4 nothing but the end of sessions and notices is carried out for a quarantined run, until a person retries it", () => {
  const life = new Life(config, { answers: { StartAgent: () => null, EndAgent: () => null } });
  die(life);
  die(life);
  assert.deepEqual(Object.keys(effectsToPerform(life.state)), [], "a start that is open is not performed");
  claim(life);
  const kinds = Object.values(effectsToPerform(life.state)).map(({ kind }) => kind);
  assert.ok(
    kinds.every((kind) => kind === "EndAgent" || kind === "Notify"),
    kinds.join(", "),
  );
  life.answers = {};
  claim(life);
  ask(life, "retry");
  assert.equal(life.state.status, "running");
  assert.equal(life.state.claim.deaths?.inARow, 0);
});

test("J4 a run that ends supervisors even in quarantine is left alone until a person asks something of it", () => {
  const life = new Life(config);
  for (let nth = 0; nth < 3; nth += 1) die(life);
  assert.equal(isLeftAlone(life.state), true);
  ask(life, "cancel");
  assert.equal(isLeftAlone(life.state), false);
  life.pass(10_000);
  assert.equal(life.state.status, "cancelled");
});

test("J4 faults of the store or of the host are nobody's turn", () => {
  const coded = (code: string): Error => Object.assign(new Error("no"), { code });
  assert.equal(isOfTurn(new TypeError("x is not a function")), true);
  assert.equal(isOfTurn("thrown text"), true);
  assert.equal(isOfTurn(new Fault("broken_promise", "invariant broken")), true);
  assert.equal(isOfTurn(new Fault("store_full", "no space")), false);
  assert.equal(isOfTurn(new Fault("broken_promise", "no", { cause: coded("ENOSPC") })), false);
  for (const code of ["EMFILE", "ENOMEM", "ENOSPC", "EIO"]) assert.equal(isOfTurn(coded(code)), false, code);
  assert.equal(isOfTurn(new RangeError("Array buffer allocation failed")), false);
});
