import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { CliBench } from "../cli/cli-process.ts";
import { noBrowser, WebBrowser } from "./browser.ts";
import { RUN_TABS, script, settled } from "./dashboard-stage.ts";

const hostile = [
  "</script><script>window.ran=1</script>",
  "<!--<script>",
  "]]><img src=x onerror=window.ran=1>",
  "\u2028</SCRIPT\t><svg onload=window.ran=1>",
];
const bench = new CliBench({
  "hostile.json": script([
    ...hostile.map((text) => ({ do: "say", text })),
    { do: "tool", name: "read", args: hostile[0], result: hostile[2] },
    { do: "usage", usd: 0.5, tokensIn: 1_000, tokensOut: 10 },
    { do: "claim", ok: true, text: hostile[3] },
  ]),
  "holdfast.yaml": "agents: { hostile: { use: demo, script: hostile.json } }\n",
});
const browser = new WebBrowser();
const options = { skip: noBrowser, timeout: 120_000 };

before(async () => {
  const words = ["run", hostile[0] ?? "", "--id", "seen", "--agent", "hostile", "--in-place"];
  const ended = await bench.call(words);
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal((await bench.call(["export", "seen", "--out", "seen.jsonl"])).code, 0);
  if (noBrowser === false) await browser.launch();
});
after(async () => {
  await browser.close();
  await bench.close();
});

test(
  "O2 an exported run becomes one page that shows it from disk, where nothing of it runs and nothing is loaded",
  options,
  async () => {
    const made = await bench.json<{ file: string; events: number; ok: boolean }>(["view", "seen.jsonl"]);
    assert.deepEqual([made.file, made.ok], [path.join(bench.cwd, "seen.html"), true]);
    const address = pathToFileURL(made.file).href;
    const page = await browser.page();
    await page.goto(address);
    await settled(page);
    for (const tab of RUN_TABS) {
      await page.goto(`${address}#/runs/seen/${tab}`);
      await settled(page);
      assert.equal(await page.evaluate("window.ran"), undefined, tab);
    }
    const { requests, errors, violations, dialogs } = browser.seen;
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(address) && !url.startsWith("data:")),
      [],
    );
    assert.deepEqual({ errors, violations, dialogs }, { errors: [], violations: [], dialogs: [] });
  },
);

test("O2 an export that was changed is refused, and no page is written", async () => {
  const text = readFileSync(path.join(bench.cwd, "seen.jsonl"), "utf8");
  bench.write("changed.jsonl", text.replace("onerror", "onfocus"));
  const ended = await bench.call(["view", "changed.jsonl", "--out", "changed.html"]);
  assert.equal(ended.code, 6, ended.stderr);
  assert.match(ended.stderr, /does not match its hash/);
  assert.throws(() => readFileSync(path.join(bench.cwd, "changed.html")), /ENOENT/);
});

test("O2 nothing in the text of a run can end the element that it stands in", async () => {
  await bench.json(["view", "seen.jsonl", "--out", "other.html"]);
  const html = readFileSync(path.join(bench.cwd, "other.html"), "utf8");
  const before = html.slice(0, html.indexOf('<script type="module">'));
  assert.equal([...before.matchAll(/<script/gi)].length, 1);
  assert.equal([...html.matchAll(/<\/script/gi)].length, 2);
  assert.match(
    html,
    /<script type="application\/octet-stream" id="holdfast-export">[A-Za-z0-9+/=]+<\/script>/,
  );
  assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  assert.doesNotMatch(html, /window\.ran/);
});
