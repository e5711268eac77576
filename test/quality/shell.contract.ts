import { qualityContract } from "./contract/quality-contract.ts";
import { shellSubject } from "./contract/shell-subject.ts";

qualityContract(shellSubject);
