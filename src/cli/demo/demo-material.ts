import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Fault } from "../../model/fault.ts";

/** What the demo plays with: a throw-away git repository, a flow, scripted agents, and a store of its own. */
export interface DemoMaterial {
  readonly repository: string;
  readonly flow: string;
  readonly store: string;
}

const PLAN = {
  attempts: [
    [
      { do: "say", text: "the greeting is missing; I will write it and check it" },
      { do: "write", file: "PLAN.md", content: "1. write greeting.txt\n2. check it\n" },
      { do: "claim", ok: true, text: "the plan is in PLAN.md" },
    ],
  ],
};

const PARTS = ["read the plan", "wrote half of greeting.txt", "wrote the rest", "read it once more"];

/** Dies in its first attempt; in the second it takes long enough to see its supervisor die. */
const BUILD = {
  attempts: [
    [
      { do: "say", text: "writing greeting.txt" },
      { do: "tool", name: "write", args: "greeting.txt", result: "segmentation fault", ok: false },
      { do: "crash" },
    ],
    [
      { do: "say", text: "writing greeting.txt, second try" },
      ...PARTS.flatMap((text, index) => [
        { do: "sleep", ms: 900 },
        { do: "progress", text, pct: (100 * (index + 1)) / PARTS.length },
      ]),
      { do: "write", file: "greeting.txt", content: "hello\n" },
      { do: "claim", ok: true, text: "greeting.txt is written" },
    ],
  ],
};

const LOOKS = Array.from({ length: 200 }, () => [
  { do: "tool", name: "bash", args: "cat greetings.txt", result: "no such file", ok: false },
  { do: "sleep", ms: 400 },
]).flat();

/** Goes round in circles, then runs into a limit of its provider, and then does its work. */
const VERIFY = {
  attempts: [
    [{ do: "say", text: "looking at the greeting" }, ...LOOKS],
    [
      { do: "say", text: "looking at the greeting, another way" },
      { do: "limit", text: "rate limit exceeded, try again in 4 seconds", retryAfterMs: 4_000 },
      { do: "error", text: "429 rate limit exceeded", status: 429 },
      { do: "exit", code: 1 },
    ],
    [
      { do: "tool", name: "read", args: "greeting.txt", result: "hello" },
      { do: "claim", ok: true, text: "greeting.txt says hello" },
    ],
  ],
};

/** As in earnest, but in seconds instead of minutes. */
const SETTINGS = {
  backoff: { baseMs: 500 },
  ladder: { nudges: 1, nudgeMs: 500, strategyMs: 500, restartMs: 1_500 },
};

const step = (name: string, task: string, needs: string[] = []) => ({ name, task, agent: name, needs });

export function layOutDemo(): DemoMaterial {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-demo-"));
  const repository = path.join(folder, "repository");
  mkdirSync(repository);
  const git = spawnSync("git", ["init", "--quiet", repository], { encoding: "utf8" });
  if (git.status !== 0)
    throw new Fault(
      "agent_missing",
      `git could not make a repository for the demo: ${git.error?.message ?? git.stderr}; install git`,
    );
  const script = (name: string, content: unknown): string => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const agents = {
    plan: { use: "demo", script: script("plan", PLAN) },
    build: { use: "demo", script: script("build", BUILD) },
    verify: { use: "demo", script: script("verify", VERIFY) },
  };
  writeFileSync(path.join(repository, "holdfast.json"), JSON.stringify({ agents, ...SETTINGS }));
  const flow = path.join(folder, "flow.json");
  const steps = [
    step("plan", "plan how to greet the world"),
    step("build", "write greeting.txt", ["plan"]),
    step("verify", "check greeting.txt", ["build"]),
  ];
  writeFileSync(flow, JSON.stringify({ name: "demo", steps }));
  return { repository, flow, store: `sqlite:${path.join(folder, "holdfast.db")}` };
}
