// LangGraph's own validation of checkpointers, all of its suites, through SQLite: npx vitest run
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { HoldfastSaver } from "holdfast/langgraph";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const folders = new Map<HoldfastSaver, string>();

const initializer = {
  checkpointerName: "holdfast/langgraph",
  async createCheckpointer() {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-saver-"));
    const saver = await HoldfastSaver.open({ store: `sqlite:${folder}/threads.db` });
    folders.set(saver, folder);
    return saver;
  },
  async destroyCheckpointer(saver: HoldfastSaver) {
    await saver.close();
    rmSync(folders.get(saver) ?? "", { recursive: true, force: true });
  },
};

validate(initializer);
deltaChannelHistoryTests(initializer);
