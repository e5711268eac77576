import { createContext } from "react";

/** Where a button of a group shows its command. */
export const ActionLine = createContext<{ readonly show: (command: string | null) => void } | null>(null);
