import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli/cli-process.ts";
import { takesTurns } from "../turns.ts";

const { test } = takesTurns(2);

const SCRIPT = "turns:\n  - say: Hello there.\n    faults:\n      - { kind: error, status: 503 }\n";

test("P2 O1 `chaos model` listens where it says, answers by its script, prints each request and ends when interrupted", async () => {
  const bench = new CliBench({ "hello.yaml": SCRIPT });
  try {
    const log = path.join(bench.cwd, "requests.jsonl");
    const model = bench.start([
      "chaos",
      "model",
      "--script",
      "hello.yaml",
      "--log",
      "requests.jsonl",
      "--json",
    ]);
    await model.prints('"url"');
    const { url } = JSON.parse(model.stdout().split("\n")[0] ?? "") as { url: string };
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const ask = (): Promise<Response> => fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    assert.equal((await ask()).status, 503);
    assert.match(await (await ask()).text(), /Hello there\./);
    await model.prints(/"status":503[\s\S]*"status":200/);
    model.child.kill("SIGINT");
    const { code, stdout } = await model.ended;
    assert.equal(code, 130);
    assert.equal(stdout.trimEnd().split("\n").length, 3);
    assert.equal(readFileSync(log, "utf8").trimEnd().split("\n").length, 2);
    await assert.rejects(ask(), "nobody listens any more");
  } finally {
    await bench.close();
  }
});

test("P4 a wrong script, a wrong port and a port that is taken are reported in words", async () => {
  const bench = new CliBench({
    "hello.yaml": SCRIPT,
    "wrong.yaml":
      "turns:\n  - say: 7\n    acts: [{ wriet: x }, { run: ls, read: x }]\n    faults: [{ kind: hangs }, { kind: hang, status: 500 }, { kind: cut, times: 0 }]\n",
  });
  try {
    const wrong = await bench.call(["chaos", "model", "--script", "wrong.yaml"]);
    assert.equal(wrong.code, 2);
    for (const words of [
      /turns\[0\]\.say is 7; expected text/,
      /turns\[0\]\.acts\[0\]\.wriet is not a key here; did you mean "write"\?/,
      /turns\[0\]\.acts\[1\] is a mapping; expected exactly one of write, run, read, tool/,
      /turns\[0\]\.faults\[0\]\.kind is "hangs"; expected one of .*did you mean "hang"\?/,
      /turns\[0\]\.faults\[1\]\.status is 500; expected only with kind error/,
      /turns\[0\]\.faults\[2\]\.times is 0; expected at least 1/,
    ])
      assert.match(wrong.stderr, words);
    const port = await bench.call(["chaos", "model", "--script", "hello.yaml", "--port", "70000"]);
    assert.equal(port.code, 2);
    assert.match(port.stderr, /"70000" is no port; expected a whole number from 0 to 65535/);
    const first = bench.start(["chaos", "model", "--script", "hello.yaml"]);
    await first.prints("ANTHROPIC_BASE_URL");
    const taken = /127\.0\.0\.1:(\d+)/.exec(first.stdout())?.[1] ?? "";
    const second = await bench.call(["chaos", "model", "--script", "hello.yaml", "--port", taken]);
    assert.equal(second.code, 5);
    assert.match(second.stderr, new RegExp(`port ${taken} of 127\\.0\\.0\\.1 cannot be listened on`));
    first.child.kill("SIGTERM");
    assert.equal((await first.ended).code, 0);
  } finally {
    await bench.close();
  }
});
