import type { AgentSpec } from "../../model/flow/flow.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import { ledgerHomes, type LedgerHomes } from "./any-meter.ts";
import {
  bringConversation,
  readConversation,
  type ConversationFile,
  type KeptConversation,
} from "./carry-conversation.ts";

/** Where an agent of this host keeps its conversations, by the environment that it is started in. */
const homesOf = (spec: AgentSpec): LedgerHomes =>
  ledgerHomes({ ...inheritedEnvironment(process.env, {}), ...spec.env });

/** The conversations of this host's agents. A file in which a known secret stands is not given away. */
export const carriedConversations = (redact: (text: string) => string) => ({
  read: (spec: AgentSpec, id: string): Promise<KeptConversation> => {
    const { files, left } = readConversation(homesOf(spec), id);
    const isOpen = ({ bytes }: { readonly bytes: Uint8Array }): boolean => {
      const text = Buffer.from(bytes).toString();
      return redact(text) === text;
    };
    const hidden = files.filter((file) => !isOpen(file));
    const told = hidden.map((file) => ({ path: file.path, why: "holds a known secret" }));
    return Promise.resolve({ files: hidden.length === 0 ? files : [], left: [...left, ...told] });
  },
  bring: (spec: AgentSpec, files: readonly ConversationFile[]): Promise<boolean> =>
    Promise.resolve(bringConversation(homesOf(spec), files)),
});
