import type { World } from "../../model/world.ts";
import { endSession } from "../keeper/end-session.ts";
import { exitWatch } from "../keeper/exit-watch.ts";
import { endWords, postWords, wasPosted } from "../keeper/post-words.ts";
import { pollMs } from "../keeper/spool/read-spool.ts";
import { readingShare } from "../keeper/spool/reading-share.ts";
import type { SessionFolder } from "../keeper/session-folder.ts";
import { spoolTail } from "../keeper/spool/spool-tail.ts";
import { pause } from "../pause.ts";
import * as say from "./acp-message.ts";
import { AcpTalk } from "./acp-talk.ts";
import {
  noteClosed,
  noteReplayed,
  pastOf,
  readOrder,
  readMessage,
  messageNames,
  type AcpOrder,
} from "./session-papers.ts";

const POST_LIMIT_MS = 60_000;
/** Some go on replaying an old conversation after they said that it is loaded. */
const REPLAY_QUIET_MS = 400;
/** So long an agent may take to leave when there is nothing more to say to it. */
const LEAVE_MS = 8_000;
const LEAVE_GRACE_MS = 4_000;

/**
 * Says to an agent what is due, until its session is over. What is due follows from the spool and from what was said
 * before, both on disk: a supervisor that takes the session over goes on with the next word, and repeats none.
 */
export class AcpPump {
  readonly #world: World;
  readonly #session: SessionFolder;
  readonly #talk: AcpTalk;
  readonly #posted = new Set<string>();
  #closed = false;
  #quietSince: number;
  #leavesSince: number | null = null;

  constructor(world: World, session: SessionFolder) {
    this.#world = world;
    this.#session = session;
    this.#talk = new AcpTalk(pastOf(session));
    this.#quietSince = world.now();
  }

  close(): void {
    this.#closed = true;
  }

  async run(): Promise<void> {
    const order = readOrder(this.#session);
    if (order === undefined) return;
    const tail = spoolTail(this.#session, ["out"]);
    const watch = exitWatch({ world: this.#world, session: this.#session, spools: ["out"] });
    const share = readingShare(this.#world);
    while (!this.#closed) {
      const over = watch();
      share.begin();
      const lines = tail.next(over?.sizes);
      if (typeof lines !== "string") {
        for (const { line, spool } of lines) {
          this.#talk.read(line, spool);
          if (share.isOver()) await share.turn();
        }
        this.#quietSince = this.#world.now();
        // One piece, then others' turn: there may be much to read.
        if (lines.length > 0) {
          share.leave();
          await pause(this.#world, 0);
          continue;
        }
      } else if (over !== undefined) return;
      else await this.#sayDue(order, Number(tail.readTo()));
      share.rested();
      await pause(this.#world, pollMs(this.#world.now() - this.#quietSince));
    }
  }

  async #sayDue(order: AcpOrder, offset: number): Promise<void> {
    const talk = this.#talk;
    for (const [askId, { id, method }] of talk.unserved) {
      if (!(await this.#post(`hf:unserved:${askId}`, say.notSupported(id, method)))) return;
      talk.unserved.delete(askId);
    }
    if (talk.broken) return this.#leave();
    if (!talk.initialized) return void (await this.#post(say.CALLS.initialize, say.initialize()));
    if (talk.sessionId === null) return void (await this.#open(order));
    if (this.#goesOn(order) && !this.#replayOver(offset)) return;
    await this.#prompt(order, talk.sessionId);
  }

  #goesOn({ resume }: AcpOrder): boolean {
    return resume !== undefined && this.#talk.canLoad && !this.#talk.loadFailed;
  }

  #open(order: AcpOrder): Promise<boolean> {
    const { cwd, resume, mcpServers } = order;
    return resume !== undefined && this.#goesOn(order)
      ? this.#post(say.CALLS.load, say.loadSession(resume, cwd, mcpServers))
      : this.#post(say.CALLS.open, say.openSession(cwd, mcpServers));
  }

  #replayOver(offset: number): boolean {
    if (pastOf(this.#session).replayedTo() !== undefined) return true;
    if (this.#world.now() - this.#quietSince < REPLAY_QUIET_MS) return false;
    noteReplayed(this.#session, offset, this.#world.id("draft"));
    return true;
  }

  /** The task first, then what people said meanwhile; one at a time, where the agent does not queue them itself. */
  async #prompt({ task }: AcpOrder, sessionId: string): Promise<void> {
    if (!(await this.#post(say.TASK_PROMPT, say.prompt(say.TASK_PROMPT, sessionId, task)))) return;
    let atWork = !this.#talk.answered.has(say.TASK_PROMPT);
    for (const file of messageNames(this.#session)) {
      const name = file.slice(file.indexOf("-") + 1);
      const id = say.promptCall(name);
      if (this.#talk.answered.has(id)) continue;
      if (atWork && !this.#talk.queues && !wasPosted(this.#session, id)) return;
      if (!(await this.#post(id, say.prompt(id, sessionId, readMessage(this.#session, file).text)))) return;
      atWork = true;
    }
    // One that was interrupted waits for instructions about what to do instead.
    if (!atWork && this.#talk.stopped !== "cancelled") await this.#leave();
  }

  /** All is said: an agent leaves when its input ends, or is made to. */
  async #leave(): Promise<void> {
    const now = this.#world.now();
    if (this.#leavesSince === null) {
      this.#leavesSince = now;
      noteClosed(this.#session, this.#world.id("draft"));
      endWords(this.#world, this.#session);
    } else if (now - this.#leavesSince > LEAVE_MS)
      await endSession(this.#world, this.#session, LEAVE_GRACE_MS);
  }

  async #post(key: string, text: string): Promise<boolean> {
    if (this.#posted.has(key)) return true;
    const closed = (): boolean => this.#closed;
    const post = { world: this.#world, session: this.#session, key, text, limitMs: POST_LIMIT_MS, closed };
    const { kind } = await postWords(post);
    if (kind === "delivered") this.#posted.add(key);
    return kind === "delivered";
  }
}
