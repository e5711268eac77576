import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { validateFile } from "../../../src/cli/config/validate-file.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { isFault } from "../../../src/model/fault.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-broken-"));
after(() => rmSync(folder, { recursive: true }));

/** Everything that is said of a file, in one text. */
async function saidOf(name: string, text: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  try {
    const config = configSchema.parse({ agents: { dev: { use: "demo" } } });
    const found = await validateFile(file, { agent: undefined, config: () => Promise.resolve(config) });
    return found.problems.join("\n");
  } catch (error) {
    assert.ok(isFault(error, "config_invalid"), String(error));
    assert.ok(error.message.includes(file), `names the file: ${error.message}`);
    return error.message;
  }
}

const step = (more: string): string => `name: f\nsteps:\n  - name: a\n    task: t\n    agent: dev\n${more}`;
const twoSteps = (first: string, second: string): string =>
  `${step(first)}  - name: b\n    task: t\n    agent: dev\n${second}`;

/** What is written, and what must be said of it: the place, what was found, what was expected, the nearest key. */
const BROKEN: readonly (readonly [
  what: string,
  file: string,
  text: string | Buffer,
  said: readonly RegExp[],
])[] = [
  [
    "a key that is almost right",
    "a.yaml",
    "agnets: {}",
    [/line 1, column 1: agnets is not a key here; did you mean "agents"\?/],
  ],
  [
    "a key deeper down",
    "b.yaml",
    "agents:\n  dev:\n    use: demo\n    scrpt: x",
    [/line 4, column 5: agents\.dev\.scrpt .* did you mean "script"/],
  ],
  [
    "a key in another section",
    "c.yaml",
    "perStep: 3",
    [/line 1, column 1: perStep is not a key here; did you mean "attempts\.perStep"/],
  ],
  ["a key that resembles none", "d.yaml", "zzzzzzzzzz: 3", [/line 1, column 1: .*the keys here are agents/]],
  [
    "a word for a number",
    "e.yaml",
    "attempts:\n  perStep: three",
    [/line 2, column 12: attempts\.perStep is "three"; expected a number/],
  ],
  [
    "a fraction for a whole number",
    "f.yaml",
    "attempts:\n  perStep: 1.5",
    [/line 2, column 12: attempts\.perStep is 1\.5; expected a whole number/],
  ],
  [
    "a number that is too small",
    "g.yaml",
    "attempts:\n  perStep: 0",
    [/line 2, column 12: attempts\.perStep is 0; expected at least 1/],
  ],
  [
    "a list for a mapping",
    "h.yaml",
    "agents: [a, b]",
    [/line 1, column 9: agents is a list of 2; expected a mapping/],
  ],
  [
    "a value that is almost one",
    "i.yaml",
    "agents:\n  dev: {use: claud}",
    [/line 2, column 14: agents\.dev\.use is "claud"; expected one of .*did you mean "claude"/],
  ],
  [
    "a missing key",
    "j.yaml",
    "agents:\n  dev:\n    model: x",
    [/line 2, column 3: agents\.dev\.use is missing; expected one of/],
  ],
  [
    "an empty mapping where a list must be",
    "k.yaml",
    "steps: {}\nname: f",
    [/line 1, column 8: steps is a mapping; expected a list/],
  ],
  [
    "no steps at all",
    "l.yaml",
    "name: f\nsteps: []",
    [/line 2, column 8: steps is a list of 0; expected at least 1 entries/],
  ],
  [
    "a step without a task",
    "m.yaml",
    "name: f\nsteps:\n  - name: a\n    agent: dev",
    [/line 3, column 5: steps\[0\]\.task is missing; expected text/],
  ],
  [
    "a name that is none",
    "n.yaml",
    step('    needs: ["a b/c"]'),
    [/line 6, column 13: steps\[0\]\.needs\[0\] is "a b\/c"/],
  ],
  [
    "a key of a step that is almost right",
    "o.yaml",
    step("    need: [b]"),
    [/line 6, column 5: steps\[0\]\.need is not a key here; did you mean "needs"/],
  ],
  [
    "an authority that is none",
    "p.yaml",
    step("    authority: write"),
    [/line 6, column 16: .*did you mean "writes"/],
  ],
  [
    "a need that is no step",
    "q.yaml",
    step("    needs: [x]"),
    [/line 3, column 5: "a": it needs "x", which is no step/],
  ],
  [
    "an agent that is not configured",
    "r.yaml",
    "name: f\nsteps:\n  - {name: a, task: t, agent: dave}",
    [/line 3, column 5: "a": its agent "dave" is not configured/],
  ],
  [
    "two steps of one name",
    "s.yaml",
    `${step("")}  - name: a\n    task: t\n    agent: dev`,
    [/line 6, column 5: "a": the name "a" is used by two steps/],
  ],
  [
    "a circle",
    "t.yaml",
    twoSteps("    needs: [b]\n", "    needs: [a]"),
    [/line 3, column 5: "a": it waits for itself/, /line 7, column 5: "b"/],
  ],
  [
    "a phase that is not declared",
    "u.yaml",
    step("    phase: biuld\nphases:\n  - name: build"),
    [/line 3, column 5: "a": its phase "biuld" is not declared; those there are: build/],
  ],
  [
    "a need of a later phase",
    "v.yaml",
    `${twoSteps("    phase: one\n    needs: [b]\n", "    phase: two\n")}phases: [{name: one}, {name: two}]`,
    [/line 3, column 5: "a": it needs "b" of the later phase "two"/],
  ],
  [
    "a gate that nothing can open",
    "w.yaml",
    step("phases:\n  - {name: ship, gate: {name: ok, kind: approval}}"),
    [/line 7, column 5: "ship": .*gate "ok" and no step/],
  ],
  [
    "reviewers with nothing to review",
    "x.yaml",
    step("    authority: reviews"),
    [/line 3, column 5: "a": every step only reviews/],
  ],
  [
    "a reviewer that must deliver",
    "y.yaml",
    twoSteps("    authority: reviews\n    outputs: [r.md]\n", ""),
    [/line 3, column 5: "a": it is to deliver "r\.md" and only reviews/],
  ],
  [
    "two makers of one file",
    "z.yaml",
    twoSteps("    outputs: [r.md]\n", "    outputs: [r.md]"),
    [/line 7, column 5: "b": it delivers "r\.md", and so does "a"/],
  ],
  ["a key twice in YAML", "aa.yaml", "agents: {}\nagents: {}", [/line 2, column 1/, /duplicated|twice/]],
  [
    "a key twice in JSON",
    "ab.json",
    '{\n  "agents": {},\n  "agents": {}\n}',
    [/has the key "agents" twice in one mapping, line 3, column 3/],
  ],
  ["half a JSON document", "ac.json", '{\n  "agents": {', [/is not JSON/]],
  ["a word too many in JSON", "ad.json", '{"agents": {}} x', [/is not JSON.*line 1,? column 16/]],
  ["a bracket that is not closed", "ae.yaml", "agents: {dev: {use: demo}\nsteps: 1", [/is not YAML, line 2/]],
  ["a tab as indentation", "af.yaml", "agents:\n\tdev:\n\t\tuse: demo", [/is not YAML, line \d/]],
  ["an alias bomb", "ag.yaml", bomb(), [/is not YAML.*[Aa]lias/s]],
  ["an alias of nothing", "ah.yaml", "agents: *gone", [/is not YAML, line 1.*gone/s]],
  ["nesting without end in YAML", "ai.yaml", `agents: ${"[".repeat(50_000)}`, [/is not YAML/]],
  [
    "nesting without end in JSON",
    "aj.json",
    `{"agents": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
    [/nested deeper than 100 levels|is not JSON/],
  ],
  ["bytes that are no text", "ak.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]), [/is not UTF-8 text/]],
  ["another document behind the first", "al.yaml", "agents: {}\n---\nagents: {}", [/is not YAML/]],
  [
    "a list where a file should begin",
    "am.yaml",
    "- a\n- b",
    [/line 1, column 1: the whole file is a list of 2; expected a mapping/],
  ],
  ["a name that means something to JavaScript", "an.yaml", "__proto__: {agents: 1}", [/__proto__/]],
];

function bomb(): string {
  const rows = ["a: &a [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 9; level += 1) {
    const name = String.fromCharCode(97 + level);
    const before = String.fromCharCode(96 + level);
    rows.push(`${name}: &${name} [${Array.from({ length: 20 }, () => `*${before}`).join(", ")}]`);
  }
  return rows.join("\n");
}

for (const [what, file, text, said] of BROKEN)
  test(`G1 P4 what is wrong with a file is reported by line and column: ${what}`, async () => {
    const found = await saidOf(file, text);
    for (const expected of said) assert.match(found, expected);
    assert.doesNotMatch(found, /\n\s+at .*:\d+:\d+/, "no stack trace");
    assert.ok(found.length < 4_000, `short enough to read: ${String(found.length)} characters`);
  });

test("G1 a flow without a fault has no problem, regardless of its size, and ten times the steps cost about ten times the work", async () => {
  const steps = Array.from({ length: 2_000 }, (_, n) => ({
    name: `s${String(n)}`,
    task: "t",
    agent: "dev",
    needs: n === 0 ? [] : ["s0", `s${String(n - 1)}`].slice(n === 1 ? 1 : 0),
    outputs: [{ path: "one.md" }],
  }));
  assert.equal(await saidOf("large.json", JSON.stringify({ name: "f", steps })), "");
});
