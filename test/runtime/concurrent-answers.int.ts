import assert from "node:assert/strict";
import { test } from "node:test";
import { bench, step } from "./worked-run.ts";

test("G3 G5 fifty people who approve at once have one effect, and each gets an answer", async () => {
  const b = bench({
    asks: async (context) => {
      if (context.number === 1)
        await context.emit({ kind: "blocked", reason: "approval_completion", text: "is this right?" });
      return "done";
    },
  });
  const { run, epoch } = await b.create([step("a", "asks")]);
  await b.supervisor({ only: run, held: { run, epoch } }).work();
  assert.equal((await b.state(run)).status, "awaiting_approval");
  const asked = Array.from({ length: 50 }, (_, index) =>
    b.requests.ask(run, { kind: "approve" }, { by: `person-${String(index)}`, waitMs: 60_000 }),
  );
  const answers = (await Promise.all(asked)).map((outcome) =>
    outcome.kind === "answered" ? outcome.answer.kind : outcome.kind,
  );
  assert.equal(answers.filter((kind) => kind === "done").length, 1);
  assert.equal(answers.filter((kind) => kind === "refused").length, 49);
  const events = await b.events(run);
  assert.equal(events.filter(({ type }) => type === "RunUnblocked").length, 1);
  assert.equal(events.filter(({ type }) => type === "EscalationResolved").length, 1);
  assert.equal(events.filter(({ type }) => type === "RequestAnswered").length, 50);
  await b.close();
});
