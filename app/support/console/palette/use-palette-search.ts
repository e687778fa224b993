import { useEffect, useState } from "react";

/** How long typing must pause before the server is asked. */
const PAUSE_MS = 150;

/** What the palette's search answers, with the page each result opens. */
type Answer = {
  conversations: { sessionId: string; userName: string; userEmail: string | null }[];
  customers: { userId: string; email: string; fullName: string }[];
  orders: { id: number; service: string; status: string }[];
};
export type PaletteResult = {
  group: "Conversations" | "Customers" | "Orders";
  to: string;
  label: string;
  detail: string;
};
export type PaletteSearch = { state: "idle" | "searching" | "failed"; results: PaletteResult[]; retry: () => void };

/** Searches for what was typed once typing pauses. A newer search aborts an older one. */
export function usePaletteSearch(typed: string): PaletteSearch {
  const text = typed.trim();
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<{ text: string; results: PaletteResult[] | null }>({ text: "", results: [] });

  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is another search
  useEffect(() => {
    if (text === "") {
      setFound({ text, results: [] });
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const results = await ask(text, abort.signal);
      if (!abort.signal.aborted) setFound({ text, results });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, tries]);

  function retry(): void {
    setFound({ text: "", results: [] });
    setTries((before) => before + 1);
  }
  const isSearching = found.text !== text;
  const state = isSearching ? "searching" : found.results === null ? "failed" : "idle";
  return { state, results: (isSearching ? null : found.results) ?? [], retry };
}

/** Returns null if the search failed. */
async function ask(text: string, signal: AbortSignal): Promise<PaletteResult[] | null> {
  try {
    const response = await fetch(`/admin/find?${new URLSearchParams({ q: text })}`, { signal });
    if (!response.ok || response.redirected) return null;
    const { conversations, customers, orders } = (await response.json()) as Answer;
    return [
      ...conversations.map(({ sessionId, userName, userEmail }) => ({
        group: "Conversations" as const,
        to: `/admin/support/${sessionId}`,
        label: userName,
        detail: userEmail ?? "",
      })),
      ...customers.map(({ userId, email, fullName }) => ({
        group: "Customers" as const,
        to: `/admin/customers/${userId}`,
        label: fullName || email,
        detail: fullName ? email : "",
      })),
      ...orders.map(({ id, service, status }) => ({
        group: "Orders" as const,
        to: `/admin/orders/${id}`,
        label: `Order ${id}`,
        detail: `${service} · ${status}`,
      })),
    ];
  } catch {
    return null;
  }
}
