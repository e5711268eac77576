import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { CliBench, pasted, type Ended } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(0);

/** The agent replaces the program that is to prove, review or publish its work. */
const script = (file: string, content: string): string =>
  JSON.stringify({
    attempts: [
      [
        { do: "write", file, content },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  });

const flow = (step: object, more: object = {}): string =>
  JSON.stringify({ name: "f", steps: [{ name: "work", task: "work", agent: "dev", ...step }], ...more });

const UNTRUSTED = { env: { HOLDFAST_TRUST: "" } };

interface Case {
  readonly what: string;
  readonly file: string;
  readonly content: (canary: string) => string;
  readonly files: Readonly<Record<string, string>>;
  readonly agents?: object;
  readonly gated?: boolean;
}

const CASES: readonly Case[] = [
  {
    what: "a check",
    file: "verify.sh",
    content: (canary) => `touch ${canary}\n`,
    files: { "verify.sh": "exit 1\n", "flow.json": flow({ checks: [{ run: "sh ./verify.sh" }] }) },
  },
  {
    what: "a reviewer",
    file: "critic.mjs",
    content: (canary) =>
      `import { writeFileSync } from "node:fs";\nexport default () => { writeFileSync(${JSON.stringify(canary)}, ""); return { verdict: "pass", findings: [] }; };\n`,
    files: {
      "critic.mjs":
        'export default () => ({ verdict: "fail", findings: [{ severity: "high", text: "no" }] });\n',
      "flow.json": flow({ reviewers: ["critic"] }),
    },
    agents: { critic: { use: "function", module: "./critic.mjs" } },
  },
  {
    what: "an action of a gate",
    file: "deploy.sh",
    content: (canary) => `touch ${canary}\n`,
    files: {
      "deploy.sh": "exit 0\n",
      "flow.json": flow(
        { phase: "out" },
        {
          phases: [
            { name: "out", gate: { name: "release", kind: "approval", action: { run: "sh ./deploy.sh" } } },
          ],
        },
      ),
    },
    gated: true,
  },
];

for (const { what, file, content, files, agents = {}, gated = false } of CASES)
  test(`P3 G4 ${what} that an agent has replaced is not run: the run is blocked, and its printed command shows the change and lets it go on`, async () => {
    const bench = new CliBench();
    after(() => bench.close());
    const canary = path.join(bench.root, "canary");
    for (const [name, text] of Object.entries(files)) bench.write(name, text);
    bench.write("replaces.json", script(file, content(canary)));
    const dev = { use: "demo", script: "./replaces.json" };
    bench.write("holdfast.yaml", JSON.stringify({ agents: { dev, ...agents } }));
    const call = (...words: string[]): Promise<Ended> => bench.call(words, UNTRUSTED);
    const run = await call("run", "g", "--flow", "flow.json", "--id", "r", "--trust");
    assert.equal(run.code, 3, run.stdout + run.stderr);
    if (gated) {
      const { inbox } = await bench.json<{ inbox: { command: string }[] }>(["inbox"]);
      const approved = await call(...pasted(inbox[0]?.command ?? assert.fail("nothing is asked")));
      assert.equal(approved.code, 0, approved.stdout + approved.stderr);
      await bench.reaches("r", "blocked");
    }
    interface Status {
      readonly blocked: { readonly reason: string; readonly detail: string; readonly command: string };
    }
    const { blocked } = await bench.json<Status>(["status", "r"]);
    assert.equal(blocked.reason, "protected_files", JSON.stringify(blocked));
    assert.match(
      blocked.detail,
      new RegExp(`was not run, .*not trusted as it is now: file ${file} \\(changed\\)`),
    );
    assert.equal(existsSync(canary), false);
    const shown = await call(...pasted(blocked.command));
    assert.equal(shown.code, 0, shown.stdout + shown.stderr);
    assert.match(shown.stdout, new RegExp(`changed {2}file {2}file ${file}`));
    assert.equal(existsSync(canary), false, "to look accepts nothing");
    const accepted = await call("trust", "r");
    assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
    await bench.reaches("r", "completed");
    assert.equal(existsSync(canary), true, "once a person has accepted it");
    const attempts = (await bench.eventsOf("r")).filter(({ type }) => type === "AttemptStarted");
    assert.equal(attempts.length, 1, "the work itself is kept");
  });
