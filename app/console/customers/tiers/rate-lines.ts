import { cutText } from "#app/cut-text.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";

const MAX_LINES = 1000;
/** In place of a rate: the service has none of its own anymore. */
const NONE = "-";

type OwnRate = { serviceId: number; rate: number | null };

/** Reads lines like "12 | 0.80". Rates are micro-units; null removes the one that the service has. */
export function readRateLines(text: string): { ok: true; rates: OwnRate[] } | { ok: false; text: string } {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  if (lines.length > MAX_LINES) return { ok: false, text: `Enter at most ${MAX_LINES.toLocaleString("en-US")} lines` };
  const rates = new Map<number, number | null>();
  for (const line of lines) {
    const [, id = "", rest = ""] = /^(\d{1,10})([\s|;,].*)$/.exec(line.trim()) ?? [];
    const written = rest
      .trimStart()
      .replace(/^[|;,]/, "")
      .trimStart();
    const rate = written === NONE ? null : parseDecimal(written);
    if (id === "" || (rate === null && written !== NONE)) {
      return { ok: false, text: `Can't read “${cutText(line.trim(), 60)}”. Enter lines like: 12 | 0.80` };
    }
    if (rates.has(Number(id))) return { ok: false, text: `Service ${id} is there twice` };
    rates.set(Number(id), rate);
  }
  return { ok: true, rates: [...rates].map(([serviceId, rate]) => ({ serviceId, rate })) };
}
