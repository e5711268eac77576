import { useApi } from "./use-query.ts";

/** As commands name the store that is shown, for those that the page makes itself; null where they need not. */
export function useStoreName(): string | null {
  const { data } = useApi("whoAmI", {}, { kind: "nothing" });
  return data?.store ?? null;
}
