/** What is chosen in a run; it stands in the address, so that every view of the run shows the same and can be linked to. */
export interface RunSearch {
  readonly attempt?: string;
  readonly seq?: number;
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 300) : undefined;

const place = (value: unknown): number | undefined => {
  const seq = Number(value);
  return value !== undefined && Number.isInteger(seq) && seq > 0 ? seq : undefined;
};

export const readRunSearch = (search: Readonly<Record<string, unknown>>): RunSearch => ({
  ...given("attempt", text(search["attempt"])),
  ...given("seq", place(search["seq"])),
  ...given("from", text(search["from"])),
  ...given("to", text(search["to"])),
  ...given("type", text(search["type"])),
});

const given = <Key extends string, Value>(key: Key, value: Value | undefined): { [_ in Key]?: Value } =>
  (value === undefined ? {} : { [key]: value }) as { [_ in Key]?: Value };
