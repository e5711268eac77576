import assert from "node:assert/strict";
import { test } from "node:test";
import { type KeptSession, sessions } from "../../../src/api/guard/sessions.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const owner = { token: "owner", name: "me", role: "admin", how: "token" } as const;

function stage() {
  const clock = { now: 1_000, steadyMs: 0 };
  const good = new Set(["owner"]);
  let kept: readonly KeptSession[] = [];
  const start = () =>
    sessions({
      now: () => clock.now,
      steadyMs: () => clock.steadyMs,
      isGood: (id) => good.has(id),
      file: { read: () => kept, write: (rows) => (kept = rows) },
    });
  return { clock, good, start, kept: () => kept };
}

test("O8 a session outlives the server, as a digest alone, for seven days and no longer than its token", () => {
  const { clock, good, start, kept } = stage();
  const first = start();
  const secret = first.begin(first.newCode(owner)) ?? "";
  assert.ok(!JSON.stringify(kept()).includes(secret));
  const second = start();
  assert.equal(second.identify(secret)?.how, "session");
  assert.equal(second.identify(`${secret}x`), null);
  clock.now += WEEK_MS - 1;
  assert.equal(start().identify(secret)?.name, "me");
  good.delete("owner");
  assert.equal(start().identify(secret), null, "its token is good no longer");
  good.add("owner");
  clock.now += 1;
  assert.equal(start().identify(secret), null, "its seven days are over");
  clock.now = -WEEK_MS;
  assert.equal(start().identify(secret), null, "a clock that was set back makes it last no longer");
});

test("O8 a session that was ended stays ended after the server was started again", () => {
  const { start, kept } = stage();
  const first = start();
  const secret = first.begin(first.newCode(owner)) ?? "";
  first.end(secret);
  assert.deepEqual(kept(), []);
  assert.equal(start().identify(secret), null);
});

test("O8 a login code is good once, for one minute, and ends with the server", () => {
  const { clock, start } = stage();
  const first = start();
  const code = first.newCode(owner);
  assert.equal(start().begin(code), null);
  assert.notEqual(first.begin(code), null);
  assert.equal(first.begin(code), null);
  const late = first.newCode(owner);
  clock.steadyMs += 60_000;
  assert.equal(first.begin(late), null);
});
