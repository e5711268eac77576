import assert from "node:assert/strict";
import type { Journal } from "../../../src/journal/journal.ts";
import { memoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import type { CreateStore } from "./scene.ts";

export const createMemoryStore: CreateStore = (world) => {
  const disk = memoryDisk();
  const handles: Journal[] = [];
  return Promise.resolve({
    open() {
      const journal = memoryJournal({ world, disk });
      handles.push(journal);
      return Promise.resolve(journal);
    },
    tamper(run, seq, how) {
      const events = disk.runs.get(run)?.events ?? [];
      const event = events[seq - 1];
      assert.ok(event !== undefined);
      events.splice(seq - 1, 1, ...(how === "changed" ? [{ ...event, data: '{"what":"x"}' }] : []));
      return Promise.resolve();
    },
    blobs: () => Promise.resolve([...disk.blobs.keys()]),
    tamperBlob(digest, how) {
      assert.ok(disk.blobs.has(digest));
      if (how === "changed") disk.blobs.set(digest, '"another"');
      else disk.blobs.delete(digest);
      return Promise.resolve();
    },
    cleanup: async () => void (await Promise.all(handles.map((handle) => handle.close()))),
  });
};
