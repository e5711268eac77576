import { checkpointKey } from "../../model/effects/checkpoint.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { CarriedFile, Ports } from "../ports.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

interface Piece {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Left {
  readonly path: string;
  readonly why: string;
}

interface Under {
  readonly run: string;
  readonly key: string;
}

const LEFT_NAMED_MAX = 100;

export const moveFiles = (
  ports: Ports,
  effect: EffectOf<"UploadFiles" | "FetchFiles">,
  under: Under,
): Promise<EffectOutcome> =>
  effect.kind === "UploadFiles" ? uploadFiles(ports, effect, under) : fetchFiles(ports, effect, under);

/** Copies what a run needs on another host to the remote. */
async function uploadFiles(
  ports: Ports,
  effect: EffectOf<"UploadFiles">,
  { run }: Under,
): Promise<EffectOutcome> {
  const spoken = await conversationPieces(ports, effect);
  const beside = await besidePieces(ports, effect);
  const { project, tree, remote, epoch, snapshot, others, head, branch, previous, at } = effect;
  const sent = await ports.workspace.upload({
    ...{ run, epoch, remote, project, tree, snapshot, others, head, branch, previous, atMs: at },
    pieces: [...spoken.pieces, ...beside.pieces],
  });
  const left = [...sent.left, ...spoken.left, ...beside.left];
  return {
    kind: "done",
    uploaded: {
      ref: sent.ref,
      commit: sent.commit,
      left: { count: left.length, paths: left.slice(0, LEFT_NAMED_MAX) },
      conversations: spoken.conversations,
      without: { ...sent.without },
    },
  };
}

type Conversations = EffectOf<"UploadFiles">["conversations"];

async function conversationPieces(
  { conversations }: Ports,
  effect: EffectOf<"UploadFiles">,
): Promise<{ pieces: Piece[]; left: Left[]; conversations: Omit<Conversations[number], "spec">[] }> {
  const found = {
    pieces: [] as Piece[],
    left: [] as Left[],
    conversations: [] as Omit<Conversations[number], "spec">[],
  };
  for (const { step, agent, id, spec } of effect.conversations) {
    const kept = await conversations?.read(spec, id);
    if (kept === undefined || kept.files.length === 0)
      found.left.push({ path: `conversation ${id}`, why: `where ${agent} keeps it is not known` });
    else {
      found.conversations.push({ step, agent, id });
      for (const { home, path, bytes } of kept.files)
        found.pieces.push({ name: JSON.stringify(["conversation", step, home, path]), bytes });
    }
    found.left.push(...(kept?.left ?? []));
  }
  return found;
}

async function besidePieces(
  { artifacts, guard }: Ports,
  effect: EffectOf<"UploadFiles">,
): Promise<{ pieces: Piece[]; left: Left[] }> {
  const found = { pieces: [] as Piece[], left: [] as Left[] };
  for (const digest of effect.artifacts) {
    const bytes = await artifacts.read(digest);
    if (bytes === null) found.left.push({ path: `output ${digest}`, why: "no longer kept" });
    else found.pieces.push({ name: JSON.stringify(["artifact", digest]), bytes });
  }
  for (const { digest, bytes } of effect.trusted === null ? [] : await guard.pack(effect.trusted.digest))
    found.pieces.push({ name: JSON.stringify(["trusted", digest]), bytes });
  return found;
}

/** Makes the run's worktree here, and puts beside it what belongs to it. */
async function fetchFiles(
  ports: Ports,
  effect: EffectOf<"FetchFiles">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const { worktree, remote, ref, commit, snapshot, checkpoints, head, branch, at } = effect;
  const inside = worktree.cwd.slice(worktree.tree.length + 1);
  const {
    worktree: made,
    before,
    pieces,
  } = await ports.workspace.download({
    ...{ key: `${run}/${key}`, project: worktree.project, tree: worktree.tree, inside },
    ...{ remote, ref, commit, snapshot, head, branch, ports: effect.ports, atMs: at },
    keys: checkpoints.map((one) => ({ key: `${run}/${checkpointKey(one.id)}`, snapshot: one.snapshot })),
  });
  const named = pieces.map(({ name, bytes }) => ({ name: JSON.parse(name) as string[], bytes }));
  const isSamePath = made.tree === worktree.tree;
  const conversations = isSamePath ? await bringConversations(ports, effect.conversations, named) : [];
  for (const { name, bytes } of named) if (name[0] === "artifact") await ports.artifacts.keep(bytes);
  const { tree } = made;
  const placed = { ...worktree, tree, cwd: inside === "" ? tree : `${tree}/${inside}`, ports: made.ports };
  return {
    kind: "done",
    fetched: {
      worktree: placed,
      conversations,
      trusted: await trustedHere(ports, effect, { tree, named }),
      ...(before === null ? {} : { before }),
      ports: made.ports,
    },
  };
}

interface Named {
  readonly name: readonly string[];
  readonly bytes: Uint8Array;
}

async function bringConversations(
  { conversations, world }: Ports,
  wanted: EffectOf<"FetchFiles">["conversations"],
  named: readonly Named[],
): Promise<Omit<Conversations[number], "spec">[]> {
  const brought: Omit<Conversations[number], "spec">[] = [];
  for (const { step, agent, id, spec } of wanted) {
    const files = named.flatMap(({ name: [kind, of, home = "", path = ""], bytes }): CarriedFile[] =>
      kind === "conversation" && of === step ? [{ home, path, bytes }] : [],
    );
    if ((await conversations?.bring(spec, files)) === true) brought.push({ step, agent, id });
    world.crashPoint("move.conversation.brought");
  }
  return brought;
}

async function trustedHere(
  { guard }: Ports,
  { trusted }: EffectOf<"FetchFiles">,
  { tree, named }: { readonly tree: string; readonly named: readonly Named[] },
): Promise<string | null> {
  if (trusted === null) return null;
  const copies = named.flatMap(({ name: [kind], bytes }) => (kind === "trusted" ? [bytes] : []));
  return guard.unpack({ tree, rules: trusted.rules, trusted: trusted.digest, copies });
}
