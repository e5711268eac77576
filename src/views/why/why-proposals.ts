import type { Recorded } from "../../model/events/events.ts";
import type { Causes, WhyJournal } from "./why-journal.ts";

type Found = Recorded | undefined;

const made = (proposal: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last("ProposalMade", event, ({ data }) => data.proposal === proposal);

/** The one that wanted a proposal applied, and what came of trying. */
const applying = (proposal: string, event: Recorded, journal: WhyJournal): Found[] => [
  journal.outcomeOf("ApplyProposal", event, (effect) => effect.proposal === proposal),
  journal.last("ProposalApplyWanted", event, ({ data }) => data.proposal === proposal),
];

/** From what is proposed back to the work that it is of, and to the one that decided about it. */
export const proposalCauses: Causes = {
  CopyMade: (event, journal) => [
    journal.outcomeOf("CopyTree", event, ({ step }) => step === event.data.step),
  ],
  CopyDropped: (event, journal) => [
    journal.outcomeOf("DropCopy", event, ({ tree }) => tree === event.data.tree),
  ],
  ProposalMade: (event, journal) => [
    journal.outcomeOf("KeepProposal", event, ({ attempt }) => attempt === event.data.attempt),
  ],
  ProposalApplyWanted: (event, journal) => [
    journal.askedBy(event),
    made(event.data.proposal, event, journal),
  ],
  ProposalApplied: (event, journal) => applying(event.data.proposal, event, journal),
  ProposalApplyRefused: (event, journal) => applying(event.data.proposal, event, journal),
  ProposalRejected: (event, journal) => [journal.askedBy(event), made(event.data.proposal, event, journal)],
};
