import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(0);

const claim = { do: "claim", ok: true, text: "done" };
const write = (file: string, content: string) => ({ do: "write", file, content });

const FLOW = `name: proposed
roles:
  adviser: { agent: adviser, authority: proposes }
  writer: { agent: writer }
steps:
  - { name: advise, task: mend one, role: adviser, checks: [{ run: "grep -q better one" }] }
  - { name: go-on, task: build on it, role: writer, needs: [advise] }
`;

const bench = new CliBench({
  one: "plain\n",
  gone: "not needed\n",
  // The first attempt removes and changes files; the next one knows the note.
  "adviser.json": JSON.stringify({
    attempts: [
      [write("one", "better\n"), write("new/two", "added\n"), { do: "remove", file: "gone" }, claim],
      [write("one", "better still\n"), { do: "append", file: "told", line: "{task}" }, claim],
    ],
  }),
  "writer.json": JSON.stringify({ attempts: [[write("three", "3\n"), claim]] }),
  "meddler.json": JSON.stringify({
    attempts: [[write("one", "better\n"), write("tests/a", "true\n"), claim]],
  }),
  "flow.yaml": FLOW,
  "meddling.yaml": FLOW.replaceAll("adviser", "meddler"),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: none }
protected: { paths: ["tests/**"] }
agents:
  adviser: { use: demo, script: adviser.json }
  writer: { use: demo, script: writer.json }
  meddler: { use: demo, script: meddler.json }
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();
const read = (name: string): string => readFileSync(path.join(bench.cwd, name), "utf8");

before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

interface Status {
  readonly status: string;
  readonly blocked: { readonly command: string; readonly guidance: string[] } | null;
}
const statusOf = async (run: string): Promise<Status> =>
  JSON.parse((await bench.call(["status", run, "--json"])).stdout) as Status;

async function ended(run: string): Promise<Status> {
  const until = Date.now() + 60_000;
  for (;;) {
    const status = await statusOf(run);
    if (["completed", "failed", "blocked"].includes(status.status) || Date.now() > until) return status;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const start = async (run: string, flow = "flow.yaml"): Promise<void> => {
  const ran = await bench.call(["run", "--flow", flow, "--id", run]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
};

/** The words of a printed command, as a shell would split them. */
const pasted = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "").slice(1);

test("G16 G3 an agent that only proposes leaves the tree alone; its patch is listed, shown, and applied by the command that status prints", async () => {
  await start("offer");
  assert.deepEqual([read("one"), existsSync(path.join(bench.cwd, "new"))], ["plain\n", false]);
  const status = await statusOf("offer");
  assert.deepEqual(status.blocked?.guidance, ["proposal_apply_required"]);
  const listed = JSON.parse((await bench.call(["proposals", "offer", "--json"])).stdout) as {
    proposals: { id: string; status: string; count: number; files: unknown; base: { commit: string } }[];
  };
  assert.deepEqual(
    listed.proposals.map(({ id, status: state, files }) => ({ id, state, files })),
    [
      {
        id: "offer.p1",
        state: "open",
        files: [
          { path: "gone", kind: "removed" },
          { path: "new/two", kind: "added" },
          { path: "one", kind: "modified" },
        ],
      },
    ],
  );
  assert.equal(listed.proposals[0]?.base.commit, git("rev-parse", "HEAD"));
  const patch = (await bench.call(["proposal", "show", "offer.p1"])).stdout;
  assert.match(patch, /^-plain\n\+better$/m);
  execFileSync("git", ["-C", bench.cwd, "apply", "--check", "-"], { input: patch });
  const applied = await bench.call(pasted(status.blocked?.command ?? ""));
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  assert.equal((await ended("offer")).status, "completed");
  assert.deepEqual(
    [read("one"), read("new/two"), existsSync(path.join(bench.cwd, "gone")), read("three")],
    ["better\n", "added\n", false, "3\n"],
  );
  const events = await bench.eventsOf("offer");
  const copy = events.find(({ type }) => type === "CopyMade");
  assert.ok(copy?.type === "CopyMade" && !existsSync(copy.data.tree), "the copy is gone");
  const again = await bench.call(["proposal", "apply", "offer.p1"]);
  assert.equal(again.code, 5);
  assert.match(again.stderr, /allowed when the run is|applied already/);
  git("checkout", "-q", "--", ".");
  git("clean", "-qfd");

  // What it was made of is let go with the run; the patch itself is kept.
  await bench.receives("offer", "ReleaseCheckpoints");
  const released = (await bench.eventsOf("offer")).flatMap(({ type, data }) =>
    type === "EffectIntended" && data.effect.kind === "ReleaseCheckpoints"
      ? data.effect.snapshots.map(({ key }) => key.replace(/\.\d+/, ""))
      : [],
  );
  assert.deepEqual(
    released.filter((key) => key.startsWith("workspace/")),
    [
      "workspace/CopyTree/base",
      "workspace/CopyTree/fill/before/1",
      "workspace/KeepProposal",
      "workspace/ApplyProposal/now",
    ],
  );
  assert.equal((await bench.call(["proposal", "show", "offer.p1"])).stdout, patch);
});

test("G16 a rejected proposal goes back with the note; the next one is made of what was there, and can be done without", async () => {
  await start("back");
  const rejected = await bench.call(["proposal", "reject", "back.p1", "--note", "keep gone"]);
  assert.equal(rejected.code, 0, rejected.stdout + rejected.stderr);
  const status = await ended("back");
  assert.match(status.blocked?.command ?? "", /proposal apply back\.p2/);
  const patch = (await bench.call(["proposal", "show", "back.p2"])).stdout;
  assert.match(patch, /^\+better still$/m);
  assert.match(patch, /^\+.*your proposal was rejected: keep gone/m);
  const dropped = await bench.call(["proposal", "reject", "back.p2", "--drop", "--note", "not needed"]);
  assert.equal(dropped.code, 0, dropped.stderr);
  const over = await ended("back");
  assert.equal(over.status, "completed", JSON.stringify(over.blocked));
  assert.equal(read("one"), "plain\n");
  git("clean", "-qfd");
});

test("G16 a proposal whose files have changed since is refused with their names, nothing is touched, and the next is made on them", async () => {
  await start("clash");
  writeFileSync(path.join(bench.cwd, "one"), "changed by its owner\n");
  const refused = await bench.call(["proposal", "apply", "clash.p1"]);
  assert.equal(refused.code, 5, refused.stdout);
  assert.match(refused.stderr, /1 file has changed since it was made: one;/);
  assert.deepEqual([read("one"), read("gone")], ["changed by its owner\n", "not needed\n"]);
  const command = (await statusOf("clash")).blocked?.command ?? "";
  assert.match(command, /proposal reject clash\.p1/);
  const rejected = await bench.call(pasted(command));
  assert.equal(rejected.code, 0, rejected.stderr);
  assert.equal((await ended("clash")).status, "blocked");
  const patch = (await bench.call(["proposal", "show", "clash.p2"])).stdout;
  assert.match(patch, /^-changed by its owner\n\+better still$/m);
  assert.equal((await bench.call(["proposal", "apply", "clash.p2"])).code, 0);
  assert.equal((await ended("clash")).status, "completed");
  assert.equal(read("one"), "better still\n");
  git("checkout", "-q", "--", ".");
  git("clean", "-qfd");
});

test("G16 W9 what is protected cannot be proposed: the agent is informed, and after its tries a person is asked", async () => {
  await start("meddle", "meddling.yaml");
  const events = await bench.eventsOf("meddle");
  const found = events.filter(({ type }) => type === "StepChecked");
  assert.equal(found.length, 3);
  assert.match(JSON.stringify(found[0]?.data), /tests\/a is protected/);
  assert.equal(
    events.some(({ type }) => type === "ProposalMade"),
    false,
  );
});
