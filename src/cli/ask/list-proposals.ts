import { Fault } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { ProposalState } from "../../model/requests/proposal.ts";
import { EXIT } from "../shell/define-command.ts";
import { stateOf } from "../run/state-of.ts";
import type { Invocation } from "../shell/invocation.ts";
import { runNamed } from "./settle-proposal.ts";
import { tableLines } from "../print/table.ts";

const FILES_CHARS_MAX = 80;

export function listProposals(call: Invocation, text: string): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const { run, proposals } = await stateOf(system, text);
    const all = Object.values(proposals.made).map(viewOf);
    call.output.document({ run, proposals: all });
    if (all.length === 0) call.output.line(`${run} has no proposals`);
    else
      for (const line of tableLines([
        ["ID", "AT", "STEP", "STATE", "FILES"],
        ...all.map(({ id, at, step, status, files }) => [
          id,
          at,
          step,
          status,
          printableLine(files.map(({ path }) => path).join(", "), FILES_CHARS_MAX),
        ]),
      ]))
        call.output.line(line);
    const open = all.find(({ status }) => status === "open");
    if (open !== undefined) call.output.line(`see ${call.command("proposal", "show", open.id)}`);
    return EXIT.done;
  });
}

export function showProposal(call: Invocation, id: string): Promise<number> {
  const named = runNamed(id);
  return call.withSystem("empty", async (system) => {
    const { run, proposals } = await stateOf(system, named);
    const found = Object.hasOwn(proposals.made, id) ? proposals.made[id] : undefined;
    if (found === undefined)
      throw new Fault(
        "not_found",
        `${run} has no proposal "${id}"; it has ${Object.keys(proposals.made).join(", ") || "none"}`,
      );
    const bytes = await system.ports.artifacts.read(found.digest);
    if (bytes === null)
      throw new Fault(
        "not_found",
        `the patch of ${id} (SHA-256 ${found.digest}) is not stored unchanged on this host; expected it on the host where it was made: reject it, and it is made again`,
      );
    const patch = new TextDecoder().decode(bytes);
    call.output.document({ run, ...viewOf(found), patch });
    for (const line of patch.replace(/\n$/, "").split("\n")) call.output.line(line);
    return EXIT.done;
  });
}

const viewOf = (proposal: ProposalState) => ({
  id: proposal.id,
  at: isoTime(proposal.at),
  step: proposal.step,
  attempt: proposal.attempt,
  status: proposal.status,
  base: { snapshot: proposal.base, commit: proposal.commit },
  sha256: proposal.digest,
  bytes: proposal.bytes,
  files: proposal.files,
  count: proposal.count,
  refused: proposal.refused,
});
