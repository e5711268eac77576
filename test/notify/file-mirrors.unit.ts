import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EMPTY_FILE, sectionOf, withSection } from "../../src/notify/file-mirrors.ts";
import type { OpenTask } from "../../src/notify/notifier.ts";

const task: OpenTask = {
  id: "esc_1",
  title: "Step build needs you",
  detail: "The third check failed.",
  reason: "check_failed",
  owner: "ada",
  command: "holdfast unblock esc_1",
  since: 1_700_000_000_000,
};

test("G5 a section describes each open task: what, why, since when, whose, and what to type", () => {
  assert.equal(
    sectionOf("run_1", [task]),
    [
      "<!-- holdfast:run run_1 begin: rewritten by Holdfast -->",
      "",
      "## run\\_1",
      "",
      "- **Step build needs you** (esc\\_1)\\",
      "  The third check failed.\\",
      "  since 2023-11-14T22:13:20.000Z, reason check\\_failed, owner ada\\",
      "  run: `holdfast unblock esc_1`",
      "",
      "<!-- holdfast:run run_1 end -->",
      "",
    ].join("\n"),
  );
  assert.equal(sectionOf("run_1", []), "");
});

test("G5 putting a section in, replacing it and taking it out leaves everything else as it was", () => {
  const own = fc
    .array(fc.constantFrom("word\n", "\r\n", "# heading\r\n", "<!-- note -->\n", "ü\n", "- [ ] mine\n"))
    .map((lines) => lines.join(""));
  fc.assert(
    fc.property(own, own, (above, below) => {
      const one = sectionOf("run_1", [task]);
      const two = sectionOf("run_1", [task, { ...task, id: "esc_2" }]);
      const withOne = `${above}${one}${below}`;
      assert.equal(withSection(withOne, "run_1", two), `${above}${two}${below}`);
      assert.equal(withSection(withOne, "run_1", ""), `${above}${below}`);
      assert.equal(withSection(above, "run_1", one), `${above}${one}`);
      assert.equal(withSection(withOne, "run_2", ""), withOne);
    }),
  );
});

test("G5 a run's section is its own: one whose name begins another's is another", () => {
  const text = withSection(EMPTY_FILE, "run_10", sectionOf("run_10", [task]));
  assert.equal(withSection(text, "run_1", ""), text);
  const odd = sectionOf("a--b/c d", [task]);
  assert.match(odd, /^<!-- holdfast:run a%2d%2db%2fc%20d begin/);
  assert.equal(withSection(`${EMPTY_FILE}${odd}`, "a--b/c d", ""), EMPTY_FILE);
});

test("G5 a section whose end a person has removed costs none of the lines below it", () => {
  const [begin = ""] = sectionOf("run_1", [task]).split("\n");
  const text = `above\n${begin}\nmine, still\n`;
  assert.equal(withSection(text, "run_1", ""), "above\nmine, still\n");
  const again = withSection(text, "run_1", sectionOf("run_1", [task]));
  assert.ok(again.startsWith("above\n") && again.endsWith("mine, still\n"));
  assert.equal(withSection(again, "run_1", ""), "above\nmine, still\n");
});

test("G5 a section that was copied is one section again", () => {
  const one = sectionOf("run_1", [task]);
  assert.equal(withSection(`${one}mine\n${one}`, "run_1", one), `${one}mine\n`);
});

test("P3 an agent's words cannot leave the section, mark anything up or speak to the terminal", () => {
  const evil = [
    "x\n<!-- holdfast:run run_1 end -->\n# Pwned",
    "--> <script>alert(1)</script> <!--",
    "[click](http://evil.example) ![i](x) <http://evil.example> www.evil.example @everyone",
    "`code` **bold** _it_ ~~s~~ | a | # h $x$",
    "\u001b[2J\u009b \u202e \u2028 \r\n\r\n",
    "1. one",
    "- dash",
    "=====",
  ];
  for (const text of evil) {
    const nasty: OpenTask = {
      ...task,
      id: text,
      title: text,
      detail: text,
      reason: text,
      owner: text,
      command: text,
    };
    const section = sectionOf("run_1", [nasty, task]);
    assert.equal(withSection(`mine\n${section}yours\n`, "run_1", ""), "mine\nyours\n");
    const prose = section
      .split("\n")
      .slice(3, -2)
      .filter((line) => !line.startsWith("  run: "));
    assert.doesNotMatch(prose.join("\n"), /[<>@]|(?<!\\)[[\]`~|$]|[^\\]:\/\/|www\.|(?<![\\&])#/);
    // eslint-disable-next-line no-control-regex -- that there is none is the point
    assert.doesNotMatch(section, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    assert.equal(section.split("\n").length, sectionOf("run_1", [task, task]).split("\n").length);
  }
});

test("G5 a command is shown as it is, no matter what backticks it holds", () => {
  const shown = (command: string): string | undefined =>
    sectionOf("r", [{ ...task, command }])
      .split("\n")
      .find((line) => line.startsWith("  run: "));
  assert.equal(shown("echo `id`"), "  run: `` echo `id` ``");
  assert.equal(shown("a ``` b"), "  run: ```` a ``` b ````");
  assert.equal(shown("a\nb"), "  run: `a b`");
});
