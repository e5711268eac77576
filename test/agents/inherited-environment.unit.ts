import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentSettings } from "../../src/model/settings/environment-settings.ts";
import type { AgentSpec } from "../../src/model/flow/flow.ts";
import { inheritedEnvironment } from "../../src/agents/inherited-environment.ts";

const URL = "postgres://ann:secret@db.example/holdfast";
const OWN = {
  ...{ PATH: "/bin", HOME: "/home/ann", LC_ALL: "C", AWS_KEY: "k", AWS_REGION: "r", ANTHROPIC_API_KEY: "sk" },
  ...{ HOLDFAST_STORE: URL, HOLDFAST_HOME: "/home/ann/holdfast", HOLDFAST_CRASH_AT: "x#1" },
  ...{ HOOK_SECRET: "whsec_0123456789", SAME_SECRET: "whsec_0123456789", DATABASE_URL: URL },
  ...{ APP_DATABASE_URL: "postgres://app@db.example/app", STATE: "/home/ann/holdfast" },
};

test("P3 A1 an agent inherits what its supervisor has, and nothing of Holdfast's own under any name", () => {
  const spec = { use: "claude", inherit: "all" } as const;
  assert.deepEqual(Object.keys(inheritedEnvironment(OWN, { spec, withheld: ["HOOK_SECRET"] })).sort(), [
    ...["ANTHROPIC_API_KEY", "APP_DATABASE_URL", "AWS_KEY", "AWS_REGION"],
    ...["HOME", "LC_ALL", "PATH", "STATE"],
  ]);
});

const MANY = {
  ...OWN,
  ...{
    OPENAI_API_KEY: "sk-2",
    GEMINI_API_KEY: "g",
    GROQ_API_KEY: "q",
    GOOGLE_API_KEY: "a",
    CODEX_HOME: "/c",
  },
  ...{
    GOPATH: "/go",
    CARGO_HOME: "/cargo",
    CARGO_REGISTRY_TOKEN: "t",
    NPM_TOKEN: "t",
    NPM_CONFIG_CACHE: "/n",
  },
  ...{ https_proxy: "http://proxy", SSH_AUTH_SOCK: "/s", GITHUB_TOKEN: "t", VIRTUAL_ENV: "/venv", CI: "1" },
  ...{ JAVA_HOME: "/java", BUNDLE_GEMS__EXAMPLE__ORG: "ann:pass", GOOGLE_APPLICATION_CREDENTIALS: "/g.json" },
};
const COMMON = [
  ...["CARGO_HOME", "CI", "GOPATH", "HOME", "JAVA_HOME", "LC_ALL", "NPM_CONFIG_CACHE", "PATH", "VIRTUAL_ENV"],
  "https_proxy",
];
const gets = (own: Record<string, string>, spec: AgentSpec, environment?: EnvironmentSettings): string[] =>
  Object.keys(
    inheritedEnvironment(own, { spec, ...(environment === undefined ? {} : { environment }) }),
  ).filter((name) => !COMMON.includes(name));

test("P5 by default an agent gets what programs commonly need and its own keys, and no other secret", () => {
  assert.deepEqual(
    COMMON.filter((name) => !(name in inheritedEnvironment(MANY, { spec: { use: "demo" } }))),
    [],
  );
  assert.deepEqual(gets(MANY, { use: "demo" }), []);
  assert.deepEqual(gets(MANY, { use: "claude" }), ["ANTHROPIC_API_KEY"]);
  assert.deepEqual(gets(MANY, { use: "codex" }), ["OPENAI_API_KEY", "CODEX_HOME"]);
  assert.deepEqual(gets(MANY, { use: "gemini" }), ["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
  for (const use of ["opencode", "acp", "command", "tmux", "function"] as const)
    assert.deepEqual(
      gets(MANY, { use }),
      [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GROQ_API_KEY",
        "GOOGLE_API_KEY",
        "CODEX_HOME",
      ],
      use,
    );
});

test("P5 keys of a cloud go to an agent that reaches its model by that cloud, and to no other", () => {
  const bedrock = { ...MANY, CLAUDE_CODE_USE_BEDROCK: "1" };
  assert.ok(gets(bedrock, { use: "claude" }).includes("AWS_KEY"));
  assert.ok(!gets(bedrock, { use: "codex" }).includes("AWS_KEY"));
  assert.ok(!gets({ ...MANY, CLAUDE_CODE_USE_BEDROCK: "0" }, { use: "claude" }).includes("AWS_KEY"));
  const vertex = { ...MANY, GOOGLE_GENAI_USE_VERTEXAI: "true" };
  assert.ok(gets(vertex, { use: "gemini" }).includes("GOOGLE_APPLICATION_CREDENTIALS"));
});

test("P5 a variable is passed by name: to one agent by `pass`, to all by `env.pass`; `all` passes everything", () => {
  const all = { inherit: "listed", pass: ["GITHUB_*"] } as const;
  assert.deepEqual(gets(MANY, { use: "demo" }, { ...all, pass: [...all.pass] }), ["GITHUB_TOKEN"]);
  assert.deepEqual(gets(MANY, { use: "demo", pass: ["SSH_AUTH_SOCK", "NPM_TOKEN"] }), [
    "NPM_TOKEN",
    "SSH_AUTH_SOCK",
  ]);
  assert.ok(gets(MANY, { use: "demo" }, { inherit: "all", pass: [] }).includes("CARGO_REGISTRY_TOKEN"));
  assert.ok(!gets(MANY, { use: "demo" }, { inherit: "all", pass: [] }).includes("HOLDFAST_STORE"));
});

test("A1 `inherit` names the only variables that an agent gets beside what every program needs", () => {
  const heir = (inherit: string[]) =>
    Object.keys(inheritedEnvironment(OWN, { spec: { use: "claude", inherit } })).sort();
  assert.deepEqual(heir([]), ["HOME", "LC_ALL", "PATH"]);
  assert.deepEqual(heir(["AWS_*"]), ["AWS_KEY", "AWS_REGION", "HOME", "LC_ALL", "PATH"]);
  assert.deepEqual(heir(["HOLDFAST_STORE", "DATABASE_URL"]), ["HOME", "LC_ALL", "PATH"]);
});
