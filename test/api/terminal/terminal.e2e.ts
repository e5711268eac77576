import assert from "node:assert/strict";
import { noTmux } from "../../agents/contract/tmux-subject.ts";
import { TerminalStage } from "./terminal-stage.ts";
import { connectViewer } from "./terminal-viewer.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

const stage = new TerminalStage();
const { bench } = stage;
const skip = noTmux;

before(async () => {
  if (!skip) await stage.begin();
});
after(() => (skip ? bench.close() : stage.end()));

test("O2 a late viewer sees what the terminal holds, and then what is drawn", { skip }, async () => {
  const viewer = await stage.open();
  await viewer.sees("the screen", ({ screen }) => screen.includes("working"));
  assert.deepEqual(viewer.of("size").length, 1);
  assert.deepEqual(viewer.of("holder").at(-1), { kind: "holder", yours: false, by: null });
  await viewer.close();
});

test("O2 a ticket is good once, for the one it was made out to, and never without it", { skip }, async () => {
  const protocols = await stage.ticket();
  const first = await stage.open(bench.token, { protocols });
  await first.close();
  assert.equal(await connectViewer(bench, { protocols, headers: stage.bearer() }), 401);
  const ofAnother = await stage.ticket(stage.viewer);
  assert.equal(await connectViewer(bench, { protocols: ofAnother, headers: stage.bearer() }), 401);
  assert.equal(
    await connectViewer(bench, { protocols: ["holdfast.terminal.v1"], headers: stage.bearer() }),
    401,
  );
  assert.equal(await connectViewer(bench, { protocols: await stage.ticket() }), 401);
});

test(
  "O2 a WebSocket of another origin, or to another path, is refused before its ticket is looked at",
  { skip },
  async () => {
    const protocols = await stage.ticket();
    const foreign = { ...stage.bearer(), origin: "http://evil.example" };
    assert.equal(await connectViewer(bench, { protocols, headers: foreign }), 403);
    assert.equal(
      await connectViewer(bench, { protocols, headers: stage.bearer(), path: "/api/v1/terminals" }),
      404,
    );
    const viewer = await stage.open(bench.token, {
      protocols,
      headers: { ...stage.bearer(), origin: bench.ready.url },
    });
    await viewer.close();
  },
);

test("O2 nothing is typed before the terminal was taken over, nor by who only views", { skip }, async () => {
  const viewer = await stage.open();
  viewer.say({ kind: "type", text: "too early\r" });
  await viewer.sees("a refusal", (seen) => seen.of("refused").length === 1);
  assert.match(viewer.of("refused")[0]?.text ?? "", /take the terminal over first/);
  await viewer.close();
  const wall = await stage.open(stage.viewer);
  wall.say({ kind: "take" });
  await wall.sees("a refusal", (seen) => seen.of("refused").length === 1);
  assert.match(wall.of("refused")[0]?.text ?? "", /wall is viewer; typing needs the role operator/);
  await wall.close();
  assert.deepEqual(await stage.recorded(), []);
});

test(
  "O2 typing is taken over, reaches the program, is journaled with who and from where, and is given back",
  { skip },
  async () => {
    const viewer = await stage.open();
    const other = await stage.open();
    viewer.say({ kind: "take" });
    await viewer.sees("that it is theirs", (seen) => seen.of("holder").at(-1)?.yours === true);
    await other.sees("who has it", (seen) => typeof seen.of("holder").at(-1)?.by === "string");
    other.say({ kind: "take" });
    await other.sees("a refusal", (seen) => seen.of("refused").length === 1);
    viewer.say({ kind: "type", text: "grüße\r" });
    await other.sees("what was typed", ({ screen }) => screen.includes("heard: grüße"));
    viewer.say({ kind: "give_back" });
    await other.sees("that it is free", (seen) => seen.of("holder").at(-1)?.by === null);
    await viewer.close();
    await other.close();
    const acts = await stage.recorded();
    assert.deepEqual(
      acts.map(({ request }) => (request.kind === "terminal" ? [request.act, request.text ?? null] : [])),
      [
        ["take", null],
        ["type", "grüße\r"],
        ["give_back", null],
      ],
    );
    assert.match(acts[1]?.principal?.via ?? "", /^API, http from 127\.0\.0\.1, by the owner's token$/);
  },
);

test("O2 a program's queries and its writes to the clipboard never reach the viewer", { skip }, async () => {
  const viewer = await stage.open();
  viewer.say({ kind: "take" });
  await viewer.sees("that it is theirs", (seen) => seen.of("holder").at(-1)?.yours === true);
  viewer.say({ kind: "type", text: "query\r" });
  await viewer.sees("the answer", ({ screen }) => screen.includes("queried"));
  for (const active of ["\u001b[c", "\u001b[6n", "\u001b]52", "\u001b[?1004h"])
    assert.equal(viewer.screen.includes(active), false, JSON.stringify(active));
  await viewer.close();
});

test(
  "O2 what is typed on a guess does not fall into a dialog; a person who has seen it may answer",
  { skip },
  async () => {
    const viewer = await stage.open();
    viewer.say({ kind: "take" });
    await viewer.sees("that it is theirs", (seen) => seen.of("holder").at(-1)?.yours === true);
    viewer.say({ kind: "type", text: "ask\r" });
    await viewer.sees("the dialog", ({ screen }) => screen.includes("Allow this? (y/n)"));
    viewer.say({ kind: "type", text: "more words\r" });
    await viewer.sees("a refusal", (seen) => seen.of("refused").length === 1);
    const { dialog } = viewer.of("refused")[0] ?? {};
    assert.match(dialog?.text ?? "", /Allow this\?/);
    viewer.say({ kind: "type", text: "y\r", dialog: dialog?.id ?? "" });
    await viewer.sees("the answer", ({ screen }) => screen.includes("answered: y"));
    assert.equal(viewer.screen.includes("more words"), false);
    await viewer.close();
    // The one that goes away leaves nothing taken.
    const next = await stage.open();
    await next.sees("that it is free", (seen) => seen.of("holder").at(-1)?.by === null);
    await next.close();
  },
);
