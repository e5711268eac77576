import assert from "node:assert/strict";
import { test } from "node:test";
import { inheritedEnvironment } from "../../src/agents/inherited-environment.ts";

const URL = "postgres://ann:secret@db.example/holdfast";
const OWN = {
  ...{ PATH: "/bin", HOME: "/home/ann", LC_ALL: "C", AWS_KEY: "k", AWS_REGION: "r", ANTHROPIC_API_KEY: "sk" },
  ...{ HOLDFAST_STORE: URL, HOLDFAST_HOME: "/home/ann/holdfast", HOLDFAST_CRASH_AT: "x#1" },
  ...{ HOOK_SECRET: "whsec_0123456789", SAME_SECRET: "whsec_0123456789", DATABASE_URL: URL },
  ...{ APP_DATABASE_URL: "postgres://app@db.example/app", STATE: "/home/ann/holdfast" },
};

test("P3 A1 an agent inherits what its supervisor has, and nothing of Holdfast's own under any name", () => {
  const spec = { use: "claude" } as const;
  assert.deepEqual(Object.keys(inheritedEnvironment(OWN, { spec, withheld: ["HOOK_SECRET"] })).sort(), [
    ...["ANTHROPIC_API_KEY", "APP_DATABASE_URL", "AWS_KEY", "AWS_REGION"],
    ...["HOME", "LC_ALL", "PATH", "STATE"],
  ]);
});

test("A1 `inherit` names the only variables that an agent gets beside what every program needs", () => {
  const heir = (inherit: string[]) =>
    Object.keys(inheritedEnvironment(OWN, { spec: { use: "claude", inherit } })).sort();
  assert.deepEqual(heir([]), ["HOME", "LC_ALL", "PATH"]);
  assert.deepEqual(heir(["AWS_*"]), ["AWS_KEY", "AWS_REGION", "HOME", "LC_ALL", "PATH"]);
  assert.deepEqual(heir(["HOLDFAST_STORE", "DATABASE_URL"]), ["HOME", "LC_ALL", "PATH"]);
});
