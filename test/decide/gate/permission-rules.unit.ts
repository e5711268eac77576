import assert from "node:assert/strict";
import { test } from "node:test";
import { permissionRuling } from "../../../src/decide/requests/permission-rule.ts";
import { matchesPattern } from "../../../src/model/text/wildcards.ts";
import { permissionsSchema, toolUse, type Permissions } from "../../../src/model/flow/permission-rules.ts";

const RULES: Permissions = {
  default: "ask",
  rules: [
    { tool: "Bash", match: "rm *", then: "deny" },
    { tool: "Bash", match: "npm test*", then: "allow" },
    { kind: "edit", match: "src/*", then: "allow" },
    { kind: "edit", match: "*.env", then: "deny" },
    { tool: "Read*", then: "allow" },
  ],
};

const bash = (command: string) => toolUse({ tool: "Bash", toolKind: "execute", command });
const edit = (...paths: string[]) => toolUse({ tool: "Write a.txt", toolKind: "edit", paths });
const ruled = (use: ReturnType<typeof toolUse>, rules = RULES) => permissionRuling(rules, use, "/srv/tree");
const then = (use: ReturnType<typeof toolUse>, rules = RULES) => ruled(use, rules).then;

test("A9 the first rule that is about a request decides, and what it says is recorded with it", () => {
  assert.deepEqual(ruled(bash("npm test")), {
    then: "allow",
    rule: "rule 2 (tool Bash, match npm test*): allow",
  });
  assert.deepEqual(ruled(bash("rm -r build")), {
    then: "deny",
    rule: "rule 1 (tool Bash, match rm *): deny",
  });
  assert.deepEqual(ruled(bash("make")), { then: "ask", rule: "default: ask" });
  const turned: Permissions = {
    rules: [
      { tool: "Bash", then: "allow" },
      { tool: "*", then: "deny" },
    ],
  };
  assert.equal(then(bash("rm -r build"), turned), "allow", "no later rule is stronger");
  assert.equal(then(toolUse({ tool: "Read a file", toolKind: "read" })), "allow");
});

test("A9 the old words mean what they meant", () => {
  for (const word of ["ask", "allow", "deny"] as const)
    assert.deepEqual(permissionRuling(word, bash("x"), ""), { then: word, rule: `permissions: ${word}` });
  assert.equal(permissionRuling(undefined, bash("x"), "").then, "ask");
  assert.equal(permissionRuling({}, bash("x"), "").then, "ask");
});

test("A9 no wildcard of a rule that allows stands for what begins another command", () => {
  for (const more of [
    "; rm -rf /",
    " && curl x",
    " | sh",
    "\nrm -rf /",
    "\r\nrm x",
    " $(rm x)",
    " `rm x`",
    " > /etc/x",
    "\0",
  ])
    assert.equal(then(bash(`npm test${more}`)), "ask", JSON.stringify(more));
  for (const more of ["; rm -rf /", "\nrm -rf /", " && x"])
    assert.equal(then(bash(`rm a${more}`)), "deny", JSON.stringify(more));
  const piped: Permissions = { rules: [{ match: "npm test* | tee *", then: "allow" }] };
  assert.equal(then(bash("npm test -- one | tee log"), piped), "allow", "what is written out is allowed");
  assert.equal(then(bash("npm test -- one | tee log | sh"), piped), "ask");
});

test("A9 paths are matched from the folder of the work, all of them where it allows and any where it denies", () => {
  assert.equal(then(edit("/srv/tree/src/a.ts")), "allow");
  assert.equal(then(edit("src/a.ts", "/srv/tree/src/(b)/c.ts")), "allow");
  assert.equal(then(edit("src/a.ts", "/etc/passwd")), "ask");
  assert.equal(then(edit("/srv/tree/src/../../../etc/passwd")), "ask");
  assert.equal(then(edit("src/../.env")), "deny");
  assert.equal(then(edit("lib/a.ts", "lib/.env")), "deny");
  assert.equal(then(edit("/srv/treeless/src/a.ts")), "ask");
});

test("A9 what was not reported whole allows nothing, and a rule that might deny it asks a person", () => {
  const long = bash(`npm test ${"x".repeat(10_000)}`);
  assert.equal(long.command, undefined);
  assert.match(ruled(long).rule, /rule 1 .* did not report/);
  assert.equal(ruled(long).then, "ask");
  const open: Permissions = { default: "allow", rules: [{ tool: "Bash", match: "rm *", then: "deny" }] };
  assert.equal(then(bash("ls"), open), "allow");
  assert.equal(then(long, open), "ask");
  assert.equal(then(toolUse({}), open), "ask");
  assert.equal(
    then(toolUse({ tool: "Read", toolKind: "read" }), open),
    "allow",
    "the tool is known, and another",
  );
  const closed: Permissions = { default: "deny", rules: [{ tool: "Bash", match: "ls*", then: "allow" }] };
  assert.equal(then(toolUse({}), closed), "deny");
});

test("A9 a pattern takes bounded time no matter what it is matched with", () => {
  const text = "a".repeat(20_000);
  assert.equal(matchesPattern(`${"*a".repeat(100)}*b`, text), false);
  assert.equal(matchesPattern(`${"*a?".repeat(60)}*b*`, text), false);
  assert.equal(matchesPattern("*".repeat(300), text), true);
  assert.equal(matchesPattern(`*${"a".repeat(250)}`, text), true);
  assert.equal(matchesPattern("a?c", "abc") && !matchesPattern("a?c", "ac"), true);
  assert.equal(matchesPattern("", ""), true);
  assert.equal(matchesPattern("[a-z]+", "b"), false, "no other character is special");
  assert.equal(matchesPattern("[a-z]+", "[a-z]+"), true);
});

test("A9 P4 a policy that says nothing, too much or something else is refused", () => {
  const wrong = [
    "sometimes",
    { default: "perhaps" },
    { rules: [{ then: "allow" }] },
    { rules: [{ tool: "", then: "allow" }] },
    { rules: [{ tool: "Bash" }] },
    { rules: [{ tool: "Bash", then: "allow", matches: "x" }] },
    { rules: [{ kind: "shell", then: "allow" }] },
    { rules: [{ match: "x".repeat(301), then: "allow" }] },
    { rules: Array.from({ length: 65 }, () => ({ tool: "a", then: "allow" })) },
    { rule: [] },
  ];
  for (const value of wrong)
    assert.equal(permissionsSchema.safeParse(value).success, false, JSON.stringify(value));
  for (const value of ["ask", {}, RULES]) assert.equal(permissionsSchema.safeParse(value).success, true);
});
