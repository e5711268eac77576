import { isHostSection } from "../src/model/settings/host-config.ts";

type Document = Record<string, unknown>;

/** What of a configuration belongs into a repository, and what into the user's own file. */
export function splitSettings(document: Document): { repository: Document; host: Document } {
  const { budget, ...sections } = document;
  const { day, ...ownBudget } = (budget ?? {}) as Document;
  const part = (isHost: boolean): Document =>
    Object.fromEntries(Object.entries(sections).filter(([name]) => isHostSection(name) === isHost));
  return {
    repository: { ...part(false), ...(budget === undefined ? {} : { budget: ownBudget }) },
    host: { ...part(true), ...(day === undefined ? {} : { budget: { day } }) },
  };
}
