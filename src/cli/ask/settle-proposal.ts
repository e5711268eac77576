import type { System } from "../../main.ts";
import type { Recorded } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import { runOfProposal } from "../../model/requests/proposal.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { askRun, refusal, seeToWork } from "./ask-run.ts";
import { EXIT } from "../shell/define-command.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { askerOf } from "./who-asks.ts";

export interface RejectOptions {
  readonly note?: string;
  readonly drop?: boolean;
}

/** How long the outcome is waited for; it is applied without anybody who waits. */
const WAIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

export function rejectProposal(
  call: Invocation,
  id: string,
  { note = "", drop }: RejectOptions,
): Promise<number> {
  if (note.trim() === "")
    throw new Fault(
      "usage",
      `--note "${note}" says nothing; expected words such as --note "the error is not handled"`,
    );
  return askRun(call, runNamed(id), {
    kind: "reject_proposal",
    proposal: id,
    note,
    ...(drop === true ? { drop } : {}),
  });
}

/** The run that a proposal is of. */
export function runNamed(id: string): string {
  const run = runOfProposal(id);
  if (run !== null) return run;
  throw new Fault(
    "usage",
    `"${id}" is no proposal; expected an id such as mail-1.p1 (\`holdfast proposals RUN\` lists them)`,
  );
}

/** Asks, sees to it that somebody does it, and shows what became of it. */
export function applyProposal(call: Invocation, id: string): Promise<number> {
  const named = runNamed(id);
  return call.withSystem("empty", async (system, config) => {
    const run = await findRun(system.ports.journal, named);
    const request = { kind: "apply_proposal", proposal: id } as const;
    const outcome = await system.requests.ask(run, request, {
      ...(await askerOf(call, system)),
      waitMs: config.requests.answerWaitMs,
    });
    if (outcome.kind === "answered" && outcome.answer.kind === "refused")
      throw await refusal(system, run, outcome.answer);
    if (outcome.kind === "answered") await seeToWork(call, system, run);
    return report(call, {
      run,
      proposal: id,
      ended: await outcomeOf(system, { run, id, from: outcome.since }),
    });
  });
}

interface Sought {
  readonly run: string;
  readonly id: string;
  readonly from: number;
}

type Ended = Extract<Recorded, { type: "ProposalApplied" | "ProposalApplyRefused" }>;

/** The event that settles it; null where it takes too long to wait for. */
async function outcomeOf(system: System, { run, id, from }: Sought): Promise<Ended | null> {
  const until = Date.now() + WAIT_MS;
  for (let after = from; Date.now() < until;) {
    for (const event of await system.ports.journal.read(run, { after, limit: 1_000 })) {
      after = event.seq;
      const isEnd = event.type === "ProposalApplied" || event.type === "ProposalApplyRefused";
      if (isEnd && event.data.proposal === id) return event;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}

interface Outcome {
  readonly run: string;
  readonly proposal: string;
  readonly ended: Ended | null;
}

function report(call: Invocation, { run, proposal, ended }: Outcome): number {
  if (ended?.type === "ProposalApplyRefused") {
    const { why, files } = ended.data;
    const named = files.length === 0 ? "" : `: ${files.slice(0, 10).join(", ")}`;
    throw new Fault(
      "refused",
      `${proposal} is not applied: ${why}${named}; have it made again with: ${call.command("proposal", "reject", proposal, "--note", "do it again on the files as they are")}`,
      { details: { run, proposal, files } },
    );
  }
  const text = ended === null ? "it is still under way" : describeEvent(ended);
  call.output.document({ run, proposal, outcome: ended === null ? "queued" : "done", text, ...ended?.data });
  call.output.line(`${run}: ${text}`);
  if (ended === null) call.output.line(`see ${call.command("status", run)}`);
  return EXIT.done;
}
