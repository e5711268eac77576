import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENTS_MAY, notFor } from "../../../src/decide/requests/who-may.ts";
import { claimedPrincipal, type Principal, principalNamed } from "../../../src/model/requests/principal.ts";
import { isProved } from "../../../src/model/requests/proved.ts";
import type { RequestKind, RunRequest } from "../../../src/model/requests/requests.ts";

const agent = (run: string): Principal => ({
  kind: "agent",
  name: `agent:${run}/build#1`,
  proof: "process",
  run,
  attempt: "build#1",
});

const person = (proof: Principal["proof"]): Principal => ({ kind: "person", name: "anna", proof });

const refusal = (kind: RequestKind, who: Principal, run: { run: string; family?: string }): string | null =>
  notFor(run, { kind } as RunRequest, who);

test("G4 agents may ask for nothing that opens, accepts, raises or settles, of no run", () => {
  const kinds: RequestKind[] = [
    ...(["approve", "reject", "unblock", "budget", "set", "trust", "settle", "accept"] as const),
    ...(["commit", "apply_proposal", "reject_proposal"] as const),
  ];
  for (const kind of kinds)
    for (const run of [{ run: "mine" }, { run: "other" }, { run: "child", family: "mine" }])
      assert.match(refusal(kind, agent("mine"), run) ?? "", /is an agent; only people/, kind);
});

test("G4 an agent may stop and speak in its own run and in those that it started, and restart only the latter", () => {
  for (const kind of ["pause", "cancel", "tell"] as const) {
    assert.equal(refusal(kind, agent("mine"), { run: "mine" }), null);
    assert.equal(refusal(kind, agent("mine"), { run: "child", family: "mine" }), null);
    assert.match(refusal(kind, agent("mine"), { run: "other" }) ?? "", /only of its own run/);
  }
  for (const kind of ["resume", "retry", "reopen"] as const) {
    assert.notEqual(refusal(kind, agent("mine"), { run: "mine" }), null);
    assert.equal(refusal(kind, agent("mine"), { run: "child", family: "mine" }), null);
    assert.notEqual(refusal(kind, agent("mine"), { run: "other", family: "another" }), null);
  }
  assert.equal(refusal("escalate", agent("mine"), { run: "other" }), null);
});

test("G4 an attempt speaks for itself alone", () => {
  const alarm = { kind: "alarm", dueAt: 1, note: "n", attempt: "build#2" } as const;
  assert.match(notFor({ run: "mine" }, alarm, agent("mine")) ?? "", /may not speak for build#2/);
  assert.equal(notFor({ run: "mine" }, { ...alarm, attempt: "build#1" }, agent("mine")), null);
});

test("G4 people and programs may ask for everything, and every kind of request has its row", () => {
  for (const kind of Object.keys(AGENTS_MAY) as RequestKind[])
    for (const who of [person("none"), person("passphrase"), principalNamed("program")])
      assert.equal(refusal(kind, who, { run: "mine" }), null, kind);
});

test("G4 a row that says of itself that it is proved is not believed, and one that says it is an agent's is", () => {
  assert.equal(claimedPrincipal(person("passphrase"), "anna").proof, "none");
  assert.equal(claimedPrincipal({ ...person("token"), kind: "policy" }, "anna").kind, "program");
  assert.equal(claimedPrincipal(person("token"), "agent:build#1").kind, "agent");
  assert.deepEqual(claimedPrincipal(agent("mine"), "anna"), agent("mine"));
  assert.deepEqual(claimedPrincipal("nonsense", "anna"), principalNamed("anna"));
  assert.equal(isProved({ kind: "agent", proof: "token" }), false);
  assert.deepEqual(principalNamed("agent build#1"), {
    kind: "agent",
    name: "agent build#1",
    proof: "none",
    attempt: "build#1",
  });
});
