import { Fault } from "../../model/fault.ts";
import {
  modelScriptJsonSchema,
  modelScriptSchema,
  type ModelScript,
} from "../../model/agent/model-script.ts";
import { describeIssues } from "./describe-issues.ts";
import { readDocument } from "./read-document.ts";

/** Reads and checks the script of a fake model. */
export function loadModelScript(file: string): ModelScript {
  const document = readDocument(file, "the script");
  const checked = modelScriptSchema.safeParse(document.value);
  if (checked.success) return checked.data;
  const problems = describeIssues(checked.error.issues, document, modelScriptJsonSchema());
  throw new Fault("config_invalid", `${file} is not a valid script of a model: ${problems.join("; ")}`, {
    details: { file, problems },
  });
}
