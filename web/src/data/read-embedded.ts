import type { ExportedFile } from "./file-source.ts";

/** What `holdfast view` has put into the page: JSON, compressed, in letters that cannot end their element. */
export async function readEmbedded(id: string): Promise<ExportedFile> {
  const text = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as ExportedFile;
}
