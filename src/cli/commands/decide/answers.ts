import type { Command } from "commander";
import { runOfEscalation } from "../../../model/requests/blocked.ts";
import { Fault } from "../../../model/fault.ts";
import type { RunRequest } from "../../../model/requests/requests.ts";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

const RUN = "the run's id, or the beginning or end of it";
const OPTIONAL_RUN = `${RUN}; may be left out where only one can be meant`;
const GATE = "the gate, where several wait";

/** The commands by which a person answers what a run asks. */
export function addAnswers(parent: Command, bind: Bind): void {
  addApprove(parent, bind);
  addReject(parent, bind);
  addUnblock(parent, bind);
  addEscalate(parent, bind);
  addMessage(parent, bind);
}

interface MessageOptions {
  readonly step?: string;
  readonly now?: boolean;
}

function addMessage(parent: Command, bind: Bind): void {
  parent
    .command("tell")
    .summary("say something to a run's agent")
    .description(
      "Says something to the agent at work. One that cannot be spoken to at work has it with its next attempt; with --now its turn is ended, at no charge, and its conversation continues with the message.",
    )
    .argument("<RUN>", RUN)
    .argument("<TEXT>", "what to say")
    .option("--step <name>", "the step whose agent is meant, where several are at work")
    .option(
      "--now",
      "end the turn of an agent that cannot be spoken to at work, and continue with the message",
    )
    .addHelpText(
      "after",
      examples(
        ['tell mail-1 "leave the tests as they are"', "the agent receives it"],
        ['tell mail-1 "faster, please" --step sort', "one of several agents"],
      ),
    )
    .action(
      bind((call: Invocation, run: string, text: string, { step, now }: MessageOptions) =>
        ask(call, run, {
          kind: "tell",
          text: saying(text),
          ...(step === undefined ? {} : { step }),
          ...(now === undefined ? {} : { now }),
        }),
      ),
    );
}

function saying(text: string): string {
  if (text.trim() !== "") return text;
  throw new Fault("usage", `"${text}" says nothing; expected words for the agent`);
}

export const ask = async (call: Invocation, run: string, request: RunRequest): Promise<number> =>
  (await import("../../ask/ask-run.ts")).askRun(call, run, request);

interface Noted {
  readonly note?: string;
}

const noted = ({ note }: Noted): Noted => (note === undefined ? {} : { note });

/** What has to be said in words must say something. */
function words(note: string | undefined, example: string): string {
  if (note !== undefined && note.trim() !== "") return note;
  throw new Fault("usage", `--note "${note ?? ""}" says nothing; expected words such as ${example}`);
}

interface Answered extends Noted {
  readonly for?: string;
}

interface Approved extends Answered {
  readonly digest?: string;
  readonly proofStdin?: boolean;
  readonly dryRun?: boolean;
}

const FOR = "only what was asked under this id, as inbox shows it; refused where that is not open any more";

const question = (options: Answered): { escalation?: string } =>
  options.for === undefined ? {} : { escalation: options.for };

function shown(digest: string): string {
  if (/^[0-9a-f]{8,64}$/.test(digest)) return digest;
  throw new Fault(
    "usage",
    `--digest "${digest}" is no digest; expected at least 8 of its hexadecimal digits, as inbox shows them`,
  );
}

const answer = async (
  call: Invocation,
  run: string | undefined,
  request: Extract<RunRequest, { kind: "approve" | "reject" }>,
  isPiped = false,
): Promise<number> => (await import("../../ask/ask-approval.ts")).askApproval(call, run, request, isPiped);

function addApprove(parent: Command, bind: Bind): void {
  parent
    .command("approve")
    .summary("say yes to what a run waits for")
    .description("Approves what a run waits for, and lets it go on.")
    .argument("[RUN]", OPTIONAL_RUN)
    .argument("[GATE]", GATE)
    .option("--note <text>", "a note that is recorded and sent to the agent")
    .option("--digest <digest>", "only what has this digest, as inbox and status show it")
    .option("--for <escalation>", FOR)
    .option(
      "--proof-stdin",
      "read the passphrase or the run's token from standard input; a terminal asks for it",
    )
    .option(
      "--dry-run",
      "only show what the gate's own conditions (auto) say of the work; nothing is approved",
    )
    .addHelpText(
      "after",
      examples(
        ["approve mail-1", "it goes on"],
        ["approve mail-1 release --digest 0123456789ab", "that gate, and nothing but what was shown"],
        ['approve mail-1 --note "and inform the team"', "with words for the record"],
        ["approve mail-1 release --proof-stdin < token", "a credentialed gate, without a terminal"],
        ["approve mail-1 --dry-run", "what the gate's own conditions would decide"],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string | undefined, gate: string | undefined, options: Approved) =>
        options.dryRun === true
          ? (await import("../../show-auto-approval.ts")).showAutoApproval(call, run, gate)
          : answer(
              call,
              run,
              {
                kind: "approve",
                ...(gate === undefined ? {} : { gate }),
                ...(options.digest === undefined ? {} : { digest: shown(options.digest) }),
                ...question(options),
                ...noted(options),
              },
              options.proofStdin === true,
            ),
      ),
    );
}

function addReject(parent: Command, bind: Bind): void {
  parent
    .command("reject")
    .summary("send what a run waits for back to be worked again")
    .description("Sends the work back to the step it came from; its next attempt is given the reason.")
    .argument("[RUN]", OPTIONAL_RUN)
    .argument("[GATE]", GATE)
    .option("--note <text>", "what has to be better")
    .option("--for <escalation>", FOR)
    .addHelpText(
      "after",
      examples(
        ['reject mail-1 --note "the error is not handled"', "the step is redone with these words"],
        ['reject mail-1 --note "too long" --json', "the answer as JSON"],
      ),
    )
    .action(
      bind((call: Invocation, run: string | undefined, gate: string | undefined, options: Answered) =>
        answer(call, run, {
          kind: "reject",
          note: words(options.note, '--note "the error is not handled"'),
          ...question(options),
          ...(gate === undefined ? {} : { gate }),
        }),
      ),
    );
}

function addUnblock(parent: Command, bind: Bind): void {
  parent
    .command("unblock")
    .summary("settle what a run asked a person for")
    .description("Settles an escalation and lets its run go on. `inbox` lists what is open.")
    .argument("<ESCALATION>", "the escalation's id, such as mail-1.e1")
    .option("--note <text>", "a note that is recorded and sent to the agent")
    .addHelpText(
      "after",
      examples(
        ["unblock mail-1.e1", "its run goes on"],
        ['unblock mail-1.e1 --note "the key is in the vault now"', "with words for the agent"],
      ),
    )
    .action(bind(unblock));
}

function unblock(call: Invocation, escalation: string, options: Noted): Promise<number> {
  const run = runOfEscalation(escalation);
  if (run === null)
    throw new Fault(
      "usage",
      `"${escalation}" is no escalation; expected an id such as mail-1.e1 (\`holdfast inbox\` lists what is open)`,
    );
  return ask(call, run, { kind: "unblock", escalation, ...noted(options) });
}

function addEscalate(parent: Command, bind: Bind): void {
  parent
    .command("escalate")
    .summary("stop a run for an operator to look at")
    .description(
      "Blocks a run until an operator has looked; sessions that live go on, nothing new is started.",
    )
    .argument("<RUN>", RUN)
    .option("--step <name>", "the step it is about")
    .option("--note <text>", "what has to be looked at")
    .addHelpText(
      "after",
      examples(
        [
          'escalate mail-1 --note "it touches the billing code"',
          "nothing new is started until somebody unblocks it",
        ],
        ['escalate mail-1 --step sort --note "why so slow?"', "about one step"],
      ),
    )
    .action(
      bind((call: Invocation, run: string, { step, note }: Noted & { readonly step?: string }) =>
        ask(call, run, {
          kind: "escalate",
          note: words(note, '--note "it touches the billing code"'),
          ...(step === undefined ? {} : { step }),
        }),
      ),
    );
}
