import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { proofs, openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { EventData, EventType, Recorded } from "../../../src/model/events/events.ts";
import type { ApproverKey } from "../../../src/model/requests/principal.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { CliBench, type Ended } from "../../cli/cli-process.ts";
import {
  attackScript,
  CALLS,
  codeOf,
  GATE_FILES,
  gateAttacks,
  gateFlow,
  HIDDEN,
  untilAllEnded,
} from "./gate-attackers.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(0);

/**
 * Attacks on gates by agents that run as the same user, without a sandbox. Where the gate is credentialed none may
 * succeed; elsewhere those that hide every trace are recorded as not proven.
 */
const PASSPHRASE = "correct horse battery";
const isLinux = process.platform === "linux";

const bench = new CliBench({ ...GATE_FILES, "for-anna.yaml": gateFlow("approvers: [anna]") });
after(() => bench.close());

const only = <Type extends EventType>(events: readonly Recorded[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

async function piped(args: readonly string[], secret: string): Promise<Ended> {
  const process = bench.start(args, { stdin: "open" });
  process.child.stdin?.end(`${secret}\n`);
  return process.ended;
}

/** Starts a run, waits until it stands at its gate, and answers the token that was printed. */
async function atGate(flow: string, id: string): Promise<string | null> {
  const { code, stderr, stdout } = await bench.call(["run", "--flow", `${flow}.yaml`, "--id", id]);
  assert.equal(code, 3, stdout + stderr);
  return /token of \S+: (hf-\S+)/.exec(stderr)?.[1] ?? null;
}

const opened = () => openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });

before(async () => {
  const added = await piped(["approver", "add", "anna", "--proof-stdin"], PASSPHRASE);
  assert.equal(added.code, 0, added.stderr);
});

const ATTACKS = gateAttacks(bench);
const skip = isLinux ? false : "processes are followed by /proc";

test(
  "G4 T16 an agent of another run opens no gate, however it hides, where it can be found; what cannot be is recorded as not proven",
  { skip },
  async () => {
    bench.write("ATTACK", attackScript(bench, ATTACKS));
    await atGate("plain", "open-victim");
    await atGate("closed", "closed-victim");
    await bench.json(["run", "attack", "--agent", "bad", "--id", "attacker", "--detach"]);
    await untilAllEnded(ATTACKS);
    const succeeded = ATTACKS.filter((one) => codeOf(one) === "0").map(
      ({ victim, way }) => `${victim} ${way}`,
    );
    const reported = ATTACKS.map(
      (one) => `${one.file}: ${codeOf(one)} ${readFileSync(`${one.file}.out`, "utf8")}`,
    );
    assert.deepEqual(
      succeeded,
      HIDDEN.map((way) => `open-victim ${way}`),
      reported.join("\n"),
    );
    const refusals = ATTACKS.filter((one) => codeOf(one) === "5").length;
    console.log(
      `not sandboxed: ${String(refusals)} of ${String(ATTACKS.length)} attacks refused, 1 recorded as not proven`,
    );

    const asked = only(await bench.eventsOf("open-victim"), "RequestHeard").filter(
      ({ request }) => request.kind === "approve",
    );
    const found = asked.filter(({ principal }) => principal?.kind === "agent");
    assert.equal(found.length, Object.keys(CALLS).length - HIDDEN.length, JSON.stringify(asked));
    assert.ok(found.some(({ principal }) => principal?.proof === "process"));
    for (const { principal } of found) assert.match(principal?.name ?? "", /^agent:attacker\//);
    const [approval] = only(await bench.eventsOf("open-victim"), "GateApproved");
    assert.equal(approval?.proof, "none");
    const { stdout } = await bench.call(["status", "open-victim"]);
    assert.match(stdout, /release: (approved|passed) .*principal not proven/);
    assert.match((await bench.call(["why", "open-victim"])).stdout, /principal not proven/);
    assert.deepEqual(only(await bench.eventsOf("closed-victim"), "GateApproved"), []);
    await bench.call(["cancel", "attacker"]);
  },
);

test("G4 T15 forged rows in the inbox open neither a credentialed gate nor one for somebody with a passphrase", async () => {
  await atGate("closed", "forged");
  await atGate("for-anna", "for-anna");
  const system = await opened();
  try {
    const mine = proofs.approverKey("anna", "passphrase", "the agent's own words");
    const signer = proofs.signerOf([mine], "the agent's own words") ?? assert.fail("no signer");
    const { journal } = system.ports;
    for (const run of ["forged", "for-anna"]) {
      const state = (await system.loadRun(run)) ?? assert.fail("no run");
      const [escalation] = Object.keys(state.escalations);
      const request = {
        kind: "approve",
        gate: "release",
        digest: state.blocked?.digest,
        escalation,
        who: "anna",
      } as RunRequest;
      const claim = (proof: string) => ({ kind: "person", name: "anna", proof });
      const now = Date.now();
      const proof = signer.sign({ run, requestId: "f4", request, now });
      const realKey = state.approverKeys?.[0]?.key;
      const forged = [
        {},
        { principal: claim("passphrase") },
        { principal: claim("token") },
        { principal: { ...claim("passphrase"), kind: "policy" } },
        { principal: claim("passphrase"), proof },
        { principal: claim("passphrase"), proof: { ...proof, key: realKey } },
        { proof: { ...proof, signature: "0".repeat(128), key: realKey } },
        { proof: "yes" },
      ];
      for (const [at, more] of forged.entries())
        await journal.ask({
          id: `f${String(at)}-${run}`,
          address: run,
          request,
          by: "anna",
          at: now,
          ...more,
        });
      await system.requests.ask(run, { kind: "tell", text: "hello" }, { by: "test", waitMs: 20_000 });
      const events = await bench.eventsOf(run);
      const answers = only(events, "RequestAnswered").filter(({ requestId }) => requestId.startsWith("f"));
      assert.equal(answers.length, forged.length);
      for (const { answer } of answers)
        assert.match(`${answer.kind}: ${answer.text}`, /^refused: .*not proven/);
      assert.deepEqual(only(events, "GateApproved"), []);
      for (const { principal } of only(events, "RequestHeard")) assert.equal(principal?.proof, "none");
    }
  } finally {
    await system.close();
  }
  const { inbox } = await bench.json<{ inbox: { run: string; proof?: string }[] }>(["inbox"]);
  assert.match(
    inbox.find(({ run }) => run === "forged")?.proof ?? "",
    /passphrase of anna \(key [0-9a-f]{12}\)/,
  );
});

test("G4 T15 a proof opens one question once: fifty clicks have one effect, a replay and a proof of something else have none", async () => {
  await atGate("closed", "clicked");
  const system = await opened();
  try {
    const state = (await system.loadRun("clicked")) ?? assert.fail("no run");
    const keys = state.approverKeys as ApproverKey[];
    const signer = proofs.signerOf(keys, PASSPHRASE) ?? assert.fail("no signer");
    const [escalation] = Object.keys(state.escalations);
    const request = {
      kind: "approve",
      gate: "release",
      digest: state.blocked?.digest,
      escalation,
    } as RunRequest;
    const click = (asked: RunRequest, now = Date.now()) =>
      system.requests.ask("clicked", asked, {
        by: "root",
        waitMs: 30_000,
        prove: (under) => signer.sign({ ...under, request: asked, now }),
      });
    const textOf = (outcome: Awaited<ReturnType<typeof click>>): string =>
      outcome.kind === "answered" ? outcome.answer.text : "queued";
    // Signed long ago, for another digest, for another question, and for no question at all.
    assert.match(textOf(await click(request, Date.now() - 3_600_000)), /not proven/);
    assert.match(textOf(await click({ ...request, digest: "0".repeat(64) } as RunRequest)), /has changed/);
    assert.match(
      textOf(await click({ ...request, escalation: "clicked.e99" } as RunRequest)),
      /not open any more/,
    );
    assert.match(textOf(await click({ kind: "approve", gate: "release" })), /does not say what was shown/);
    // A proof that is taken from one row into another is of another id.
    const stolen = signer.sign({ run: "clicked", requestId: "req_real", request, now: Date.now() });
    await system.ports.journal.ask({
      id: "req_other",
      address: "clicked",
      request,
      by: "anna",
      at: 0,
      proof: stolen,
    });
    const texts = (await Promise.all(Array.from({ length: 50 }, () => click(request)))).map(textOf);
    assert.equal(texts.filter((text) => text.startsWith("approved: ")).length, 1, texts.join("\n"));
    const events = await bench.eventsOf("clicked");
    const approvals = only(events, "GateApproved");
    assert.deepEqual(
      approvals.map(({ by, proof }) => [by, proof]),
      [["anna", "passphrase"]],
    );
    const refused = only(events, "RequestAnswered").find(({ requestId }) => requestId === "req_other");
    assert.equal(refused?.answer.kind, "refused");
  } finally {
    await system.close();
  }
});

test("G4 T15 an approval survives a crash between the click and its effect, and counts once", async () => {
  await atGate("closed", "crashed");
  const args = ["approve", "crashed", "--proof-stdin"];
  const crashed = bench.start(args, { stdin: "open", env: { HOLDFAST_CRASH_AT: "journal.ask.after#1" } });
  crashed.child.stdin?.end(`${PASSPHRASE}\n`);
  assert.equal((await crashed.ended).signal, "SIGKILL");
  assert.deepEqual(only(await bench.eventsOf("crashed"), "GateApproved"), []);
  const again = await piped(args, PASSPHRASE);
  assert.match(again.stdout + again.stderr, /approved already|not open any more|approved:/);
  await bench.reaches("crashed", "completed");
  assert.equal(only(await bench.eventsOf("crashed"), "GateApproved").length, 1);
});

test("G4 T5 a run's token opens its gate from standard input alone, is written nowhere, and a wrong secret is refused", async () => {
  assert.equal((await bench.call(["approver", "remove", "anna"])).code, 0);
  const token = (await atGate("closed", "tokened")) ?? assert.fail("no token was printed");
  const bare = await bench.call(["approve", "tokened"]);
  assert.equal(bare.code, 5, bare.stdout);
  assert.match(bare.stderr, /--proof-stdin/);
  const wrong = await piped(["approve", "tokened", "--proof-stdin"], "hf-not-it");
  assert.equal(wrong.code, 5, wrong.stdout);
  // Who is added afterwards is nobody to this run.
  assert.equal((await piped(["approver", "add", "eve", "--proof-stdin"], PASSPHRASE)).code, 0);
  assert.equal((await piped(["approve", "tokened", "--proof-stdin"], PASSPHRASE)).code, 5);
  const right = await piped(["approve", "tokened", "--proof-stdin"], token);
  assert.equal(right.code, 0, right.stderr);
  await bench.reaches("tokened", "completed");
  const [approval] = only(await bench.eventsOf("tokened"), "GateApproved");
  assert.equal(approval?.proof, "token");
  for (const file of readdirSync(bench.root, { recursive: true, withFileTypes: true }))
    if (file.isFile()) {
      const name = path.join(file.parentPath, file.name);
      assert.ok(!readFileSync(name).includes(token), `${name} holds the token`);
      assert.ok(!readFileSync(name).includes(PASSPHRASE), `${name} holds the passphrase`);
    }
});

test("G4 T16 an agent may set no passphrase, is given no token, and changes none that is set", async () => {
  const env = { HOLDFAST_ATTEMPT: "build#1", HOLDFAST_RUN: "tokened" };
  const added = bench.start(["approver", "add", "mallory", "--proof-stdin"], { stdin: "open", env });
  added.child.stdin?.end(`${PASSPHRASE}\n`);
  assert.equal((await added.ended).code, 5);
  assert.equal((await bench.call(["approver", "remove", "eve"], { env })).code, 5);
  assert.equal(
    (await piped(["approver", "add", "eve", "--proof-stdin"], "not the current one\nanother one, longer"))
      .code,
    5,
  );
  assert.equal((await bench.call(["approver", "remove", "eve"])).code, 0);
  const started = await bench.call(["run", "--flow", "closed.yaml", "--id", "by-agent"], { env });
  assert.equal(started.code, 5, started.stdout);
  assert.match(started.stderr, /a token is given to people alone/);
});
