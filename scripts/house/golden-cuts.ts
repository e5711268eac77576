// Records anew what follows from each golden journal when it is cut after any event (`test/golden/cuts/`). Only for a
// change that is meant: what is recorded is what the code of before would have done. The journals stay as they are.
import { cutJournals, cutsOf, readCutJournal, writeCuts } from "../../test/fold/journal-cuts.ts";

for (const name of cutJournals()) writeCuts(name, cutsOf(await readCutJournal(name)));
