import assert from "node:assert/strict";
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LOOK_ALIKES, seededSecrets } from "../../model/secret-samples.ts";
import { CliBench, type Ended } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(3);

const SECRETS = seededSecrets(2026);
const ENV = {
  DB_PASSWORD: 'korrekt "horse" battery\\ 7',
  UNTOLD: "plain-name-of-a-secret-5522",
  GH_TOKEN: "no-shape-but-a-telling-name-81",
};
const FROM_FILE = "from-a-file-of-secrets-3141";
const KNOWN = [...Object.values(ENV), FROM_FILE];
const FORMS = KNOWN.flatMap((value) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").slice(0, -4),
]);
const SAID = [
  ...SECRETS.map(({ value, around = (one: string) => one }) => around(value)),
  ...KNOWN,
  ...KNOWN.map((value) => `${encodeURIComponent(value)} ${Buffer.from(value).toString("base64")}`),
  "The notes are written, and the task is done.",
].join("\n");
/** In a person's words each stands by itself too. */
const WORDS = `use ${KNOWN[2] ?? ""} and ${SECRETS[0]?.value ?? ""} for it`;

const AGENTS: Readonly<Record<string, object>> = {
  demo: { use: "demo", script: "ROOT/says.json" },
  text: { use: "command", command: ["cat", "ROOT/said.txt", "ROOT/looks.txt"] },
  described: {
    use: "command",
    command: [process.execPath, "print.mjs", "described"],
    signals: [{ is: "message", text: "words" }],
  },
  module: { use: "function", module: "./agent.mjs" },
  acp: { use: "acp", command: [process.execPath, "SMALL", "ROOT/acts.json"] },
  ...Object.fromEntries(
    ["claude", "codex", "gemini", "opencode"].map((use) => [
      use,
      { use, command: [process.execPath, "print.mjs", use] },
    ]),
  ),
  tmux: { use: "tmux", command: ["sh", "-c", "cat ROOT/said.txt; sleep 0.2"] },
};

/** Prints what agents print, with everything in it, and reads what it is given. */
const PRINT = `import { readFileSync } from "node:fs";
const text = readFileSync("ROOT/said.txt", "utf8");
const [, , who] = process.argv;
const say = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
const session_id = "0b8c51f1-7c1c-4a4e-9f0e-0a6f5b6f0c11";
const lines = {
  described: [{ words: text }],
  claude: [
    { type: "system", subtype: "init", session_id },
    { type: "assistant", session_id, message: { id: "m1", role: "assistant", content: [
      { type: "text", text }, { type: "tool_use", id: "t1", name: "Bash", input: { command: text } }] } },
    { type: "user", session_id, message: { role: "user", content: [
      { type: "tool_result", tool_use_id: "t1", content: text }] } },
    { type: "result", subtype: "success", is_error: false, result: text, session_id, total_cost_usd: 0 },
  ],
  codex: [
    { type: "thread.started", thread_id: session_id },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "i1", type: "agent_message", text } },
    { type: "item.completed", item: { id: "i2", type: "command_execution", command: text, aggregated_output: text, exit_code: 0, status: "completed" } },
    { type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
  ],
  gemini: [
    { type: "init", session_id, model: "m" },
    { type: "message", role: "assistant", content: text },
    { type: "result", status: "success", stats: {} },
  ],
  opencode: [
    { type: "text", sessionID: "ses_1", part: { type: "text", text } },
    { type: "step_finish", sessionID: "ses_1", part: { type: "step-finish", reason: "stop", tokens: {}, cost: 0 } },
  ],
};
process.stdin.resume();
process.stdin.on("end", () => {
  for (const line of lines[who]) say(line);
  process.stderr.write(text);
});
process.stdin.on("error", () => undefined);
`;

const MODULE = `import { readFileSync } from "node:fs";
export default async (context) => {
  const text = readFileSync("ROOT/said.txt", "utf8");
  console.log(text);
  context.message?.(text);
  return text;
};
`;

/** Beside the repository: what is trusted of a repository is kept byte for byte, like its checkpoints. */
const DATA: Readonly<Record<string, string>> = {
  "says.json": JSON.stringify({
    attempts: [
      [
        { do: "say", text: SAID },
        { do: "claim", ok: true, text: SAID },
      ],
    ],
  }),
  "said.txt": `${SAID}\n`,
  "looks.txt": `${LOOK_ALIKES.join("\n")}\n`,
  "acts.json": JSON.stringify([{ tool: SAID }, { say: SAID }]),
};

function files(): Record<string, string> {
  const small = fileURLToPath(new URL("../../agents/acp/small-agent.ts", import.meta.url));
  return {
    "print.mjs": PRINT,
    "agent.mjs": MODULE,
    "flow.yaml": JSON.stringify({
      name: "all-drivers",
      steps: Object.keys(AGENTS).map((name, at) => ({
        name,
        task: `${WORDS} (${name})`,
        agent: name,
        ...(at === 0 ? {} : { needs: [Object.keys(AGENTS)[at - 1]] }),
        checks: [{ run: name === "tmux" ? "cat ROOT/said.txt; exit 1" : "true" }],
      })),
    }),
    "holdfast.yaml": JSON.stringify({
      agents: JSON.parse(JSON.stringify(AGENTS).replace("SMALL", small)) as object,
      hooks: [{ name: "talks", at: "before_validation", run: "cat ROOT/said.txt" }],
      supervisor: { idleExitMs: 300, scanMs: 100 },
      sandbox: { agents: "none" },
      backoff: { baseMs: 1 },
      checks: { tries: 1, baseline: false },
      attempts: { perStep: 1 },
      mirrors: { humanTasks: true, status: true },
      notify: { channels: { file: { use: "command", command: ["sh", "-c", "cat >> notices.txt"] } } },
      secrets: { names: ["UNTOLD"], files: ["SECRETS_FILE"] },
    }),
  };
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(file);
    return lstatSync(file).isFile() ? [file] : [];
  });

/** Trees and checkpoints are as they are, byte for byte. */
const isExempt = (file: string): boolean => file.includes("-trees/");

/** Which secret stands where, by name. */
const leaks = (where: string, text: string): string[] => [
  ...SECRETS.filter(({ value }) => text.includes(value)).map(({ name }) => `${where}: ${name}`),
  ...FORMS.filter((form) => text.includes(form)).map((form) => `${where}: ${form}`),
];

test("P5 T12 60 secrets and known values through every driver, check, hook and person are in no file and no output", async () => {
  const bench = new CliBench({});
  try {
    const secretsFile = path.join(bench.root, "secrets.env");
    writeFileSync(secretsFile, `export A_SECRET="${FROM_FILE}"\n`);
    chmodSync(secretsFile, 0o600);
    for (const [name, text] of Object.entries(DATA)) writeFileSync(path.join(bench.root, name), text);
    for (const [name, text] of Object.entries(files()))
      bench.write(name, text.replace("SECRETS_FILE", secretsFile).replaceAll("ROOT", bench.root));
    const outputs: Ended[] = [];
    const call = async (...args: string[]): Promise<Ended> => {
      const ended = await bench.call(args, { env: ENV });
      outputs.push(ended);
      return ended;
    };
    const done = await call("run", WORDS, "--flow", "flow.yaml", "--id", "r", "--trust");
    const reported = await call("tell", "r", WORDS);
    await call("escalate", "r", "--note", WORDS);
    const reads = [
      ["status", "r", "--json"],
      ["why", "r"],
      ["events", "r", "--json"],
      ["export", "r"],
      ["report", "r"],
      ["inbox", "--json"],
      ["logs", "r"],
      ["runs", "--json"],
      ["config", "show", "--json"],
    ];
    const reader = async (): Promise<void> => {
      for (let args = reads.shift(); args !== undefined; args = reads.shift()) await call(...args);
    };
    await Promise.all([reader(), reader()]);
    assert.match(done.stdout, /r .*blocked|blocked/, done.stdout.slice(-3_000) + done.stderr.slice(-3_000));
    const attempts = (await bench.eventsOf("r")).filter(({ type }) => type === "AttemptStarted");
    assert.equal(attempts.length, Object.keys(AGENTS).length, done.stdout + done.stderr);
    const shown = outputs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    assert.match(shown, /\[redacted: github-token\]/);
    assert.match(reported.stdout, /removed from your words: GH_TOKEN, anthropic-key/);
    assert.deepEqual(leaks("shown", shown), []);
    const kept = filesUnder(bench.home).filter((file) => !isExempt(file));
    assert.ok(kept.length > 30, String(kept.length));
    assert.deepEqual(
      kept.flatMap((file) => leaks(path.relative(bench.home, file), readFileSync(file, "utf8"))),
      [],
    );
    const beside = ["HUMAN_TASKS.md", "notices.txt", path.join(".holdfast", "status", "r.json")];
    for (const name of beside) {
      const file = path.join(bench.cwd, name);
      assert.ok(existsSync(file), name);
      assert.deepEqual(leaks(name, readFileSync(file, "utf8")), []);
    }
    const spools = kept
      .filter((file) => file.endsWith("out.spool"))
      .map((file) => readFileSync(file, "utf8"));
    const intact = LOOK_ALIKES.filter((text) => spools.some((spool) => spool.includes(text)));
    assert.equal(intact.length, LOOK_ALIKES.length);
  } finally {
    await bench.close();
  }
});
