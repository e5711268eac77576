/** What the programs in the pages call without saying what it is: their readers have it, and so do the tests. */
import * as holdfast from "../../src/index.ts";
import type { Body, Holdfast, LoopState, Run } from "../../src/index.ts";

export interface Issue {
  readonly id: number;
}
export interface Reply {
  readonly text: string;
  readonly done: boolean;
}

const opened: Holdfast[] = [];
/** Stores that a block has opened. */
export const lastOpened = (): Holdfast | undefined => opened.at(-1);
export const closeAll = async (): Promise<void> => {
  for (const store of opened.splice(0)) await store.close();
};
export const openHoldfast: typeof holdfast.openHoldfast = async (options) => {
  const store = await holdfast.openHoldfast(options);
  opened.push(store);
  return store;
};
export const defineFlow = holdfast.defineFlow;

export const issues: Issue[] = [{ id: 7 }, { id: 8 }];
export const fetchIssues = (): Promise<Issue[]> => Promise.resolve(issues);
export const fixIssue: Body<Issue, string> = (run, { id }) => run.step("fix", () => `fixed ${String(id)}`);
export const next = (state: LoopState<{ issues: Issue[]; fixed: number }>) => ({
  state: { ...state, fixed: state.fixed + 1 },
  done: state.fixed + 1 >= state.issues.length,
});
export const model = (messages: readonly Reply[]): Promise<Reply> =>
  Promise.resolve({ text: `reply ${String(messages.length)}`, done: messages.length === 2 });
export const post = (end: { readonly messages: readonly Reply[] }, key: string): string =>
  `${key}: ${String(end.messages.length)}`;
export const triage: Body<null, string> = (run: Run) => run.step("look", () => "looked");
export const commit = "60405c";
export const runTests: Body<string, boolean> = (run, at) => run.step("test", () => at !== "");
export const writeDocs: Body<string, string> = (run, at) => run.step("write", () => `docs of ${at}`);
export const loadHistory = () =>
  Promise.resolve([
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "read", input: {} }] },
  ]);
export const openCalls = (messages: readonly unknown[]): { id: string }[] =>
  messages.length === 2 ? [{ id: "call_2" }] : [];
export const runTool = ({ id }: { readonly id: string }): string => `ran ${id}`;
export const shown: unknown[] = [];
export const show = (event: unknown): void => void shown.push(event);
